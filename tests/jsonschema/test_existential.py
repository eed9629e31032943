"""Existential constraints of an object, and which members can fulfil them."""

from maskc.jsonschema.demands import Existential, MemberConstraints, MemberDemand
from maskc.jsonschema.expressions import Space

NAMES = ("a", "b", "c")


def names(*found):
    return ("names", frozenset(found))


def find(space, constraints, fits=None, required=()):
    """Return the constraints that are left, and what is asked of the members and required then.

    Each constraint is of pairs, and of the names one of which may be missing instead.
    """
    demands = [MemberDemand(pairs, frozenset(lacked)) for pairs, lacked in constraints]
    asked = [list((fits or {}).get(name, ())) for name in NAMES]
    needed = dict.fromkeys(required)
    left = MemberConstraints(space, NAMES, asked, needed, lambda: None).find(demands, [])
    return left, asked, list(needed)


def test_a_constraint_that_no_member_can_fulfil_makes_the_object_impossible():
    space = Space()
    constraint = [(names("a"), space.types(1))], ""
    assert find(space, [constraint], {"a": [space.types(2)]})[0] is None


def test_a_constraint_that_another_name_may_fulfil_by_being_missing_is_kept():
    space = Space()
    fits = space.types(1)
    wide = [(names("a"), fits), (names("b"), fits)], "b"
    left, _, _ = find(space, [wide, ([(names("a"), fits)], "c")])
    assert left is not None
    assert [constraint.lacked for constraint in left] == [{1}, {2}]
    left, _, _ = find(space, [wide, ([(names("a"), fits)], "b")])
    assert left is not None
    assert [constraint.lacked for constraint in left] == [{1}]


def test_keys_that_are_none_of_some_are_all_others():
    space = Space()
    left, _, _ = find(space, [([(("other", frozenset(["a"]), ()), space.true)], "")])
    assert left == [Existential({1: space.true, 2: space.true}, frozenset())]


def test_a_name_that_may_be_missing_or_else_fit_is_asked_to_fit():
    space = Space()
    left, asked, needed = find(space, [([(names("a"), space.types(1))], "a"), ([], "b")])
    assert (left, needed) == ([], [])
    assert asked == [[space.types(1)], [space.false], []]


def test_a_name_that_is_required_is_not_missing():
    space = Space()
    constraint = [(names("b"), space.true)], "ac"
    left, _, _ = find(space, [constraint], required=["a"])
    assert left == [Existential({1: space.true}, frozenset([2]))]
    assert find(space, [constraint], required=["a", "c"])[2] == ["a", "c", "b"]
    assert find(space, [([], "a")], required=["a"])[0] is None
