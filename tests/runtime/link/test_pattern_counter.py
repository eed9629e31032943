"""Patterns with counters as automata: what they read, what they refuse, and what a token counts."""

import pytest

from maskc.errors import LimitError
from maskc.kit.file import make_kit
from maskc.regular.counted import count_loops
from maskc.runtime.link.counts.pattern_counter import PatternCounter, find_passes
from maskc.runtime.step_budget import one_mask
from maskc.vocab.vocabulary import Vocabulary


def _make(pattern: str) -> PatternCounter:
    found = count_loops(pattern)
    assert found is not None
    return PatternCounter(found, [3] * len(found.bounds))


def _read(counter: PatternCounter, text: bytes) -> bool | None:
    """Return whether a text may end, ``None`` if it does not begin so."""
    name = counter.name_of(0)
    for byte in text:
        after = counter.read(name, byte)
        if after is None:
            return None
        name = after
    return counter.is_accepting(name)


def test_a_state_has_one_smallest_count_where_a_loop_may_be_left() -> None:
    counter, name = _make(".*[a-z]{1,1000}"), None
    name = counter.name_of(0)
    for byte in b"abc def":
        name = counter.read(name, byte)
        assert name is not None
    assert {boxes for _, boxes in name} == {((),), (((1, 1),),)}


def test_capped_counts_far_from_the_bounds_are_one_state() -> None:
    counter, names = _make("[a-z]{1,1000}"), []
    name = counter.name_of(0)
    for _ in range(1000):
        name = counter.read(name, ord("a"))
        assert name is not None
        names.append(counter.cap(name))
    assert names[0] == names[996]
    assert len(set(names)) == 4


def test_too_many_ways_to_count_nested_loops_are_refused() -> None:
    counter = _make("(?:(?:(?:a|aa|aaaaa){7,19}|a{5,60}){13,40}){2000}")
    with pytest.raises(LimitError, match="counts of the repetitions in the text so far"):
        _read(counter, b"a" * 600)


def test_a_loop_passes_no_more_often_in_a_token_than_its_bytes_stand_in_a_row() -> None:
    tokens = (b"a", b"ab1ab", b"11111", "xéé".encode(), b"b" * 9)
    kit = make_kit(Vocabulary((*tokens, None), (len(tokens),), "small"))
    found = count_loops("[ab]{100}[0-9]{100}é{100}z{100}(?:[ab]1?){100}")
    assert found is not None
    assert find_passes(found, kit.tokens.index) == [9, 5, 4, 1, 9]


def test_what_is_counted_is_bounded_for_one_mask() -> None:
    counter = _make("(?:a{20,60}){20,60}b")
    with one_mask(1_000), pytest.raises(LimitError, match="more than 1,000 steps"):
        _read(counter, b"a" * 200)
    assert _read(counter, b"a" * 450 + b"b") is True


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w{1,50}\W{1,50}",
        "(?:[aé]{2,4}b?){3,6}",
        ".*[a-z]{1,900}",
        "(?:a|aa){50,60}b",
        "(?:(?:ab?){1,3}c{0,2}){2,4}d{3}",
        "(?:[ab]{1,6}a[ab]{2}){1,5}",
        "(?:a{2}|b{3,}){2,7}é{1,2}",
    ],
)
def test_moves_are_those_of_single_bytes_with_capped_counts(pattern: str) -> None:
    counter = _make(pattern)
    state = 0
    while state < min(counter.n_states, 100):
        name = counter.name_of(state)
        exact = {byte: counter.read(name, byte) for byte in range(256)}
        moves = {byte: counter.name_of(after) for byte, after in counter.moves(state).items()}
        assert moves == {byte: counter.cap(n) for byte, n in exact.items() if n is not None}
        state += 1
    assert state > 2
