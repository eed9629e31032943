"""What is written in the plan of a link is read again, and nothing else is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.frontends.regex import read_pattern
from maskc.kit.patterns import Pattern
from maskc.runtime.link.automata.tabled import tabulate
from maskc.runtime.link.counts.encoding import (
    read_automaton,
    read_bits,
    read_bytes,
    read_list,
    read_number,
    read_ranges,
    write_automaton,
    write_ranges,
)
from maskc.runtime.schema.plan.entries import PlanError


@given(st.frozensets(st.integers(0, 300)))
def test_ranges_round_trip(numbers):
    assert read_ranges(write_ranges(numbers)) == numbers


@pytest.mark.parametrize("bounds", [[1], [2, 1], [1, 1], [0, 3, 3, 4]])
def test_ranges_that_do_not_ascend_are_refused(bounds):
    with pytest.raises(PlanError):
        read_ranges(bounds)


@pytest.mark.parametrize("pattern", ["a", "[a-c]{1,3}|é+", "(ab|ba)*!"])
def test_automata_round_trip(pattern):
    tables = tabulate(Pattern(read_pattern(pattern)), 1_000)
    read = read_automaton(write_automaton(tables))
    assert all(np.array_equal(tables[name], read[name]) for name in tables)


@pytest.mark.parametrize(
    ("value", "is_read"),
    [(0, True), (4, True), (5, False), (-1, False), (True, False), ("1", False)],
)
def test_a_number_is_inside_of_what_it_indexes(value, is_read):
    if is_read:
        assert read_number(value, 5) == value
        return
    with pytest.raises(PlanError):
        read_number(value, 5)


def test_a_text_of_the_plan_has_a_character_for_each_byte():
    assert read_bytes("a\xff") == b"a\xff"
    for text in ("€", 3, None):
        with pytest.raises(PlanError):
            read_bytes(text)


def test_lists_are_as_long_as_they_must_be():
    assert read_list([1, 2], 2) == [1, 2]
    with pytest.raises(PlanError, match="2 entries instead of 3"):
        read_list([1, 2], 3)
    assert read_bits([0, 3], 4) == 0b1001
