"""Which rules are regular, and what their expressions are."""

import pytest

from maskc.errors import GrammarError
from maskc.frontends.characters.expressions import (
    Except,
    Reference,
    choice,
    literal,
    repeat,
    sequence,
)
from maskc.frontends.characters.regular import Regular, mirror

A, B, X, Y = literal("a"), literal("b"), Reference("x"), Reference("y")


def test_recursion_at_the_right_end_is_a_loop():
    assert Regular({"x": choice(sequence(A, X), B)}).expressions["x"] == sequence(
        repeat(A, 0, None), B
    )


def test_recursion_at_the_left_end_is_a_loop():
    assert Regular({"x": choice(sequence(X, A), B)}).expressions["x"] == sequence(
        B, repeat(A, 0, None)
    )


def test_recursion_in_the_middle_is_not_regular():
    rules = Regular({"x": choice(sequence(A, X, B), A), "y": sequence(A, B)})
    assert "x" not in rules.expressions
    assert rules.resolve(sequence(Y, X)) is None
    assert rules.resolve(sequence(Y, Y)) == literal("abab")


def test_two_rules_that_call_each_other_are_solved_together():
    rules = Regular({"x": sequence(A, repeat(Y, 0, 1)), "y": sequence(B, repeat(X, 0, 1))})
    assert set(rules.expressions) == {"x", "y"}


def test_an_exception_of_what_is_recursive_is_refused_at_its_place():
    rules = {"x": choice(sequence(A, X, B), A), "y": Except(A, X, "g:7")}
    with pytest.raises(GrammarError, match="g:7: both sides of an exception"):
        Regular(rules)


def test_an_exception_becomes_what_is_left():
    found = Regular({"y": Except(choice(A, B), B, "g:7")})
    assert found.expressions["y"] == A


def test_a_mirror_is_its_own_inverse():
    expression = sequence(A, repeat(sequence(B, A), 1, 2), choice(B, literal("ab")))
    assert mirror(mirror(expression)) == expression
    assert mirror(literal("abc")) == literal("cba")
