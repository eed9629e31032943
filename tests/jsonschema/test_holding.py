"""Which values a formula holds of."""

from fractions import Fraction

import pytest

from maskc.jsonschema.automata import of_texts
from maskc.jsonschema.expressions import Space

SPACE = Space()
A = SPACE.add_dfa(of_texts(["a"]))
TEXT, LIST = ("string", "a"), ("array", (("null", None), ("null", None)))
THREE = ("number", Fraction(3))
OBJECT = ("object", (("a", THREE),))


@pytest.mark.parametrize(
    ("kind", "args", "value", "holds"),
    [
        ("string", (A, True), TEXT, True),
        ("string", (A, False), TEXT, False),
        ("string", (A, False), THREE, True),
        ("length", (2, None), TEXT, False),
        ("bounds", (Fraction(3), True, None, False), THREE, False),
        ("bounds", (Fraction(3), False, None, False), THREE, True),
        ("multiple", (Fraction(2), False), THREE, True),
        ("size", (0, 1), LIST, False),
        ("unique", (True,), LIST, False),
        ("contains", (1, None, SPACE.types(1), 1, 1), LIST, True),
        ("items", (0, None, SPACE.types(1)), LIST, True),
        ("all", (("names", frozenset("a")), SPACE.false), OBJECT, False),
        ("some", (("other", frozenset("a"), ()), SPACE.true), OBJECT, False),
        ("any", (((("names", frozenset("a")), SPACE.types(1)),), frozenset("b")), OBJECT, True),
        ("any", (((("names", frozenset("a")), SPACE.types(1)),), frozenset("a")), OBJECT, False),
        ("any", (((("names", frozenset("a")), SPACE.true),), frozenset("a")), OBJECT, True),
        ("count", (1, 1), OBJECT, True),
        ("values", (frozenset([TEXT]),), TEXT, True),
        ("novalues", (frozenset([TEXT]),), TEXT, False),
        ("one", ((SPACE.true, SPACE.true),), TEXT, False),
    ],
)
def test_an_atom_holds_of_the_values_that_it_describes(kind, args, value, holds):
    atom = SPACE.make(kind, *args)
    assert SPACE.holds(atom, value) is holds
    assert SPACE.holds(SPACE.negate(atom), value) is not holds


def chain(length):
    """Return a reference that leads to the next one, and so on."""
    space = Space()

    def build(n):
        more = [] if n == length else [space.close(n + 1, lambda: build(n + 1), "")]
        return space.both([space.make("length", n, None), *more])

    return space, space.close(0, lambda: build(0), "")


def test_references_are_followed_as_deep_as_people_write_them():
    space, first = chain(100)
    assert space.holds(first, THREE)
    assert not space.holds(first, TEXT)


def test_a_chain_of_references_has_an_end_in_compiled_code_too():
    space, first = chain(5_000)
    for _ in range(2):  # and what was counted is let go of
        with pytest.raises(RecursionError):
            space.holds(first, THREE)


@pytest.mark.parametrize(
    ("keys", "is_in"),
    [
        (("names", frozenset(["a"])), True),
        (("dfa", A), True),
        (("strings", SPACE.make("length", 2, None)), False),
        (("other", frozenset(), (A,)), False),
        (("other", frozenset(["b"]), ()), True),
    ],
)
def test_a_name_is_in_a_set_of_keys(keys, is_in):
    assert SPACE.contains_key(keys, "a") is is_in
