"""A formula of one type as alternatives, each a conjunction of atoms."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema import alternatives
from maskc.jsonschema.alternatives import Alternatives, intersect_bounds
from maskc.jsonschema.expressions import Space


def find(space, formula, type_="string"):
    return Alternatives(space).find(formula, type_, "/a")


def test_what_is_about_other_types_is_left_out():
    space = Space()
    short, small = space.make("length", 0, 3), space.make("bounds", None, False, 3, False)
    assert find(space, space.both([short, small])) == [frozenset([short])]


def test_an_option_that_contradicts_what_is_known_is_dropped():
    space = Space()
    wide, narrow = space.make("length", 5, None), space.make("length", 0, 3)
    long_ = space.make("length", 9, None)
    found = find(space, space.both([wide, space.either([narrow, long_])]))
    assert found == [frozenset([wide, long_])]


def test_an_alternative_that_asks_for_more_than_another_adds_nothing():
    space = Space()
    low, high = space.make("length", 2, None), space.make("length", 0, 9)
    assert find(space, space.either([low, space.both([low, high])])) == [frozenset([low])]


def test_values_are_those_that_fit_the_rest():
    space = Space()
    values = space.values([("string", "a"), ("string", "abcd"), ("null", None)])
    (found,) = find(space, space.both([values, space.make("length", 2, None)]))
    assert [atom.args[0] for atom in found] == [frozenset([("string", "abcd")])]


def test_branches_that_differ_in_a_constant_are_not_multiplied():
    space = Space()
    key = ("names", frozenset(["kind"]))
    branches = [
        space.both([space.some(key, space.true), space.all(key, space.values([("string", name)]))])
        for name in "abcdefgh"
    ]
    assert len(find(space, space.make("one", tuple(branches)), "object")) == len(branches)


def test_too_many_ways_are_refused_where_they_are_asked(monkeypatch):
    monkeypatch.setattr(alternatives, "MAX_ALTERNATIVES", 3)
    space = Space()
    clauses = [
        space.either([space.make("string", 2 * n, True), space.make("string", 2 * n + 1, True)])
        for n in range(3)
    ]
    with pytest.raises(SchemaError) as caught:
        find(space, space.both(clauses))
    assert caught.value.pointer == "/a"


def test_bounds_are_intersected():
    space = Space()
    atoms = frozenset([space.make("size", 1, None), space.make("size", 0, 7)])
    assert intersect_bounds(atoms, "size") == (1, 7)
    assert intersect_bounds(atoms, "count") == (0, None)


def test_branches_beside_one_without_the_constant_are_not_multiplied():
    space = Space()
    kind = ("names", frozenset(["kind"]))
    branches = [
        space.both(
            [
                space.some(kind, space.true),
                space.all(kind, space.values([("string", name)])),
                space.some(("names", frozenset([f"{name}1"])), space.true),
                space.some(("names", frozenset([f"{name}2"])), space.true),
            ]
        )
        for name in "abcdefgh"
    ]
    branches.append(space.some(("names", frozenset(["free"])), space.true))
    # Without looking at the kind first they are 3 to the power of 8.
    assert len(find(space, space.make("one", tuple(branches)), "object")) < 40


def test_branches_that_differ_in_the_key_they_require_are_not_multiplied():
    space = Space()
    branches = []
    for name in "abcdefghijkl":
        key = ("names", frozenset([name]))
        fits = space.values([("string", name)])
        branches.append(space.both([space.some(key, space.true), space.all(key, fits)]))
    # A branch fails if its key is missing, or has another value: that is one way, not two.
    assert len(find(space, space.make("one", tuple(branches)), "object")) == len(branches)
