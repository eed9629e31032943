"""Closed formulas are built when they are looked into, and may lead back into a value only."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.expressions import Space


def test_a_closed_formula_is_built_once_and_late():
    space, built = Space(), []

    def build():
        built.append(1)
        return space.true

    ref = space.close("a", build, "/a")
    assert built == []
    assert space.expand(ref) is space.expand(ref) is space.true
    assert built == [1]


def test_a_circle_through_an_item_ends():
    space = Space()
    ref = space.close("a", lambda: space.make("items", 0, None, ref), "/a")
    assert space.expand(ref).args[2] is ref


def test_a_circle_at_the_same_value_is_refused_where_it_stands():
    space = Space()
    short = space.make("length", 0, 3)
    first = space.close("a", lambda: space.both([short, second]), "/a")
    second = space.close("b", lambda: space.either([short, space.negate(first)]), "/b")
    with pytest.raises(SchemaError, match="leads back to itself") as caught:
        space.expand(first)
    assert caught.value.pointer == "/a"
