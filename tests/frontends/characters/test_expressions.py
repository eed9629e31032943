"""Expressions over characters stay simple while they are built."""

import pytest

from maskc.errors import LimitError
from maskc.frontends.characters.expressions import (
    EMPTY_TEXT,
    MAX_SIZE,
    NOTHING,
    Choice,
    Except,
    Reference,
    Repeat,
    check_size,
    choice,
    is_nullable,
    literal,
    measure,
    nesting,
    references,
    repeat,
    sequence,
)

A, B = literal("a"), literal("b")


def test_nothing_in_a_sequence_is_nothing():
    assert sequence(A, NOTHING, B) == NOTHING
    assert choice(A, NOTHING) == A


def test_one_and_any_number_more_is_at_least_one():
    assert sequence(A, repeat(A, 0, None)) == Repeat(A, 1, None)


def test_characters_among_alternatives_are_one_set():
    assert choice(A, literal("xy"), B) == Choice((choice(A, B), literal("xy")))


def test_an_empty_alternative_makes_the_rest_optional():
    assert choice(EMPTY_TEXT, literal("ab")) == Repeat(literal("ab"), 0, 1)


@pytest.mark.parametrize(
    ("body", "low", "high", "found"),
    [
        (A, 0, 0, EMPTY_TEXT),
        (NOTHING, 0, 3, EMPTY_TEXT),
        (NOTHING, 1, 3, NOTHING),
        (Repeat(A, 0, 1), 0, None, Repeat(A, 0, None)),
        (Repeat(A, 1, None), 0, 1, Repeat(A, 0, None)),
        (Repeat(A, 0, 3), 0, 1, Repeat(Repeat(A, 0, 3), 0, 1)),
    ],
)
def test_repetitions_of_repetitions_are_simplified(body, low, high, found):
    assert repeat(body, low, high) == found


def test_what_an_expression_asks_for_is_found_at_every_depth():
    inner = Except(Reference("a"), repeat(Reference("b"), 1, None), "g:1")
    assert references(sequence(A, inner)) == {"a", "b"}
    assert nesting(inner) == 1


def test_the_empty_text_is_matched_where_every_part_may_be_empty():
    assert is_nullable(sequence(repeat(A, 0, 1), repeat(B, 0, None)))
    assert not is_nullable(sequence(repeat(A, 0, 1), B))


def test_bounded_repetitions_count_as_they_are_written_out():
    large = repeat(repeat(literal("ab"), 200, 200), 1, 100)
    assert measure(large) == 40_000
    with pytest.raises(LimitError, match=r"in one expression at g:3") as caught:
        check_size("g:3", large)
    assert f"{MAX_SIZE:,}" in str(caught.value)
