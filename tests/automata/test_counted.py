"""Which patterns get counters, and what their positions are."""

import pytest

from maskc.automata.counted import count_loops
from maskc.runtime.link.counts.positions import START


@pytest.mark.parametrize("pattern", ["^a{1,100}$", r"\Aa{1,100}\Z", "(?m:^a{1,100}|b$)"])
def test_anchors_at_the_ends_ask_for_nothing(pattern: str) -> None:
    found = count_loops(pattern)
    assert found is not None
    assert found.bounds == ((1, 100),)


@pytest.mark.parametrize(
    "pattern",
    [
        "abc",
        "[a-z]+",
        "[0-9]{4}",  # four positions are cheaper than a counter
        "a{100}(?=b)b",
        r"a{100}\b",
        "(?>a|ab){100}",
        "(?:^a){100}",
        r"a{100}[^\s\S]",
        "(a)?b{100}(?(1)c|d)",
    ],
)
def test_other_patterns_are_left_to_threads(pattern: str) -> None:
    assert count_loops(pattern) is None


def test_flags_of_a_part_take_the_place_of_those_around_it() -> None:
    assert count_loops(r"(?a:(?u:\w){100})") == count_loops(r"\w{100}")


def test_a_pass_that_reads_nothing_does_not_count() -> None:
    found = count_loops("(?:a?b?){50}")
    assert found is not None
    assert found.bounds == ((1, 50),)
    assert START in found.ends


def test_a_loop_of_nothing_is_nothing() -> None:
    found = count_loops("(?:){4000000}(?:|){1000000}a{100}")
    assert found is not None
    assert len(found.roots) == 2
