import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.regular import partition
from maskc.regular.partition import (
    Predecessors,
    find_coaccessible,
    refine,
    refine_by_signature,
    refine_in_rounds,
)
from tests.examples import examples


@st.composite
def automata(draw):
    """Return (class of each state, moves), of a few states and letters."""
    n_states, n_letters = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    states = st.integers(0, n_states - 1)
    row = st.lists(states, min_size=n_letters, max_size=n_letters)
    moves = draw(st.lists(row, min_size=n_states, max_size=n_states))
    classes = draw(st.lists(st.integers(0, 2), min_size=n_states, max_size=n_states))
    return classes, np.array(moves, dtype=np.int32)


def told_apart(classes: list[int], moves, one: int, other: int, n_letters: int) -> bool:
    """Return whether some text of at most so many letters leads to different classes."""
    if classes[one] != classes[other]:
        return True
    return n_letters > 0 and any(
        told_apart(classes, moves, a, b, n_letters - 1)
        for a, b in zip(moves[one].tolist(), moves[other].tolist(), strict=True)
    )


@given(automata())
@examples(50)
def test_states_are_in_one_class_iff_no_text_tells_them_apart(automaton):
    classes, moves = automaton
    moves = moves[:5, :2] % min(5, len(classes))
    classes = classes[: len(moves)]
    found = refine(classes, moves)
    for one in range(len(moves)):
        for other in range(one):
            apart = told_apart(classes, moves, one, other, len(moves))
            assert apart == (found[one] != found[other])


@given(automata())
@examples(50)
def test_round_k_tells_apart_what_k_letters_tell_apart(automaton):
    classes, moves = automaton
    for n_letters, found in enumerate(refine_in_rounds(classes, moves)):
        if n_letters > 3:
            break
        for state in range(len(moves)):
            apart = told_apart(classes, moves, 0, state, n_letters)
            assert apart == (found[0] != found[state])


def test_classes_are_numbered_by_first_occurrence():
    moves = np.array([[0], [1], [2], [3]], dtype=np.int32)
    assert refine([7, 5, 7, 5], moves).tolist() == [0, 1, 0, 1]


def test_of_no_states_there_are_no_classes():
    assert refine([], np.zeros((0, 2), dtype=np.int32)).tolist() == []


def test_a_state_with_no_path_to_one_that_was_found_is_not_coaccessible():
    moves = np.array([[1], [2], [2], [3]], dtype=np.int32)
    found = np.array([False, False, True, False])
    assert find_coaccessible(Predecessors(moves), found).tolist() == [True, True, True, False]


def test_in_a_chain_each_state_is_looked_at_a_few_times(monkeypatch):
    looked_at = []
    split = partition._split

    def counting(pending, *rest):
        looked_at.append(len(pending))
        return split(pending, *rest)

    monkeypatch.setattr(partition, "_split", counting)
    n_states = 3000
    chain = np.minimum(np.arange(n_states) + 1, n_states - 1).astype(np.int32)
    classes = [int(state == n_states - 1) for state in range(n_states)]
    assert refine(classes, chain.reshape(-1, 1)).max() == n_states - 1
    assert sum(looked_at) < 4 * n_states


@given(automata())
@examples(50)
def test_signatures_of_rows_refine_as_the_table_does(automaton):
    classes, moves = automaton
    by_signature = refine_by_signature(
        classes, lambda so_far: [tuple(so_far[t] for t in row) for row in moves.tolist()]
    )
    assert by_signature == refine(classes, moves).tolist()
