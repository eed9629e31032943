import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.pushdown.spreading import make_edges, spread

N_STATES, N_KINDS, N_WORDS = 6, 2, 2
states = st.integers(0, N_STATES - 1)
graphs = st.lists(
    st.lists(st.tuples(states, st.integers(0, N_KINDS - 1)), max_size=4),
    min_size=N_STATES,
    max_size=N_STATES,
)


def words(n):
    word = st.sampled_from([0, 1, 6, 7, 1 << 63, (1 << 64) - 1])
    return st.lists(word, min_size=N_WORDS * n, max_size=N_WORDS * n).map(
        lambda bits: np.array(bits, dtype=np.uint64).reshape(N_WORDS, n)
    )


def spread_by_definition(graph, here, passes, kinds):
    here, grown = here.copy(), True
    while grown:
        grown = False
        for state, row in enumerate(graph):
            for target, kind in row:
                joined = here[:, target] | here[:, state] & kinds[:, kind] & passes[:, target]
                grown |= bool((joined != here[:, target]).any())
                here[:, target] = joined
    return here.tolist()


@pytest.mark.parametrize("rounds", [0, 1, 200])
@given(graph=graphs, here=words(N_STATES), passes=words(N_STATES), kinds=words(N_KINDS))
def test_bits_reach_what_the_least_fixpoint_says(rounds, graph, here, passes, kinds):
    expected = spread_by_definition(graph, here, passes, kinds)
    spread(make_edges(graph), here, passes, kinds, rounds)
    assert here.tolist() == expected


def test_a_state_without_edges_keeps_its_bits():
    here = np.array([[5]], dtype=np.uint64)
    spread(make_edges([[]]), here, here.copy(), here.copy())
    assert here.tolist() == [[5]]
