"""What is written in the plan of a link is read again, and nothing else is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.frontends.notations import read_pattern
from maskc.kit.compiling import PatternAutomaton
from maskc.runtime.fields import PlanError
from maskc.runtime.link.automata import tabulate
from maskc.runtime.link.plan.records import (
    AUTOMATON,
    BYTES,
    WORD,
    Scope,
    grouped,
    in_ranges,
    list_ranges,
    listed,
    number,
    ordered,
    read_list,
    read_node,
    write_node,
)

SCOPE = Scope({"tokens": 20, "inner": 3}, frozenset([9]))


@given(st.frozensets(st.integers(0, 300)))
def test_ranges_round_trip(numbers):
    assert in_ranges(list_ranges(numbers)) == numbers


@pytest.mark.parametrize("bounds", [[1], [2, 1], [1, 1], [0, 3, 3, 4], [], [8, 10], [20, 22]])
def test_ranges_that_are_no_tokens_in_order_are_refused(bounds):
    with pytest.raises(PlanError):
        read_node(["tokens", bounds], SCOPE)


def test_ranges_may_touch_a_token_that_ends_the_sequence():
    assert read_node(["tokens", [1, 9, 10, 20]], SCOPE) == ("tokens", [1, 9, 10, 20])


@pytest.mark.parametrize("pattern", ["a", "[a-c]{1,3}|é+", "(ab|ba)*!"])
def test_automata_round_trip(pattern):
    tables = tabulate(PatternAutomaton(read_pattern(pattern)), 1_000)
    read = AUTOMATON.read(AUTOMATON.write(tables), SCOPE)
    assert all(np.array_equal(tables[name], read[name]) for name in tables)


@pytest.mark.parametrize(
    ("value", "is_read"),
    [(0, True), (4, True), (5, False), (-1, False), (True, False), ("1", False)],
)
def test_a_number_is_inside_of_what_it_indexes(value, is_read):
    if is_read:
        assert number(5).read(value, SCOPE) == value
        return
    with pytest.raises(PlanError):
        number(5).read(value, SCOPE)


def test_a_text_of_the_plan_has_a_character_for_each_byte():
    assert BYTES.read("a\xff", SCOPE) == b"a\xff"
    for text in ("€", 3, None):
        with pytest.raises(PlanError):
            BYTES.read(text, SCOPE)


def test_a_word_is_texts_and_tokens():
    word = (97, 98, 256 + 7, 99)
    assert WORD.write(word) == ["ab", 7, "c"]
    assert WORD.read(["ab", 7, "c"], SCOPE) == word
    assert WORD.read(WORD.write((97,)), SCOPE) == (97,)


def test_lists_are_as_long_as_they_must_be():
    assert read_list([1, 2], 2) == [1, 2]
    with pytest.raises(PlanError, match="2 entries instead of 3"):
        read_list([1, 2], 3)
    field = grouped(dict, listed(grouped(lambda *pair: pair, number(9), number("pairs")),
                                 size="pairs"))  # fmt: skip
    assert field.read([[[7, 0], [8, 1]]], SCOPE) == {7: 0, 8: 1}
    with pytest.raises(PlanError, match="the plan holds 1, outside 0 … 0"):
        field.read([[[7, 1]]], SCOPE)


def test_words_ascend_and_are_as_many_as_they_must_be():
    assert ordered(BYTES).read(["a", "b"], SCOPE) == (b"a", b"b")
    for field, entry in [(ordered(BYTES), ["b", "a"]), (ordered(BYTES), ["a", "a"]),
                         (ordered(BYTES), [""]), (ordered(BYTES, least=1), [])]:  # fmt: skip
        with pytest.raises(PlanError, match="too few, empty, or not in order"):
            field.read(entry, SCOPE)


@pytest.mark.parametrize(
    "node",
    [
        ["sequence", [0, 2]],
        ["repeat", 1, 2, None],
        ["words", ["", "a"]],
        ["name", ["b", "a"]],
        ["tokens", [0, 3]],
        ["stop", 9],
        ["switch", ["a", ["b", 7]], []],
    ],
)
def test_a_node_is_written_as_it_was_read(node):
    assert write_node(*split(read_node(node, SCOPE))) == node


def split(node):
    kind, *values = node
    return kind, values
