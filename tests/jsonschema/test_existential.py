"""Existential constraints of an object, and which members can fulfil them."""

from maskc.jsonschema.existential import MemberConstraints
from maskc.jsonschema.expressions import Space

NAMES = ("a", "b", "c")


def names(*found):
    return ("names", frozenset(found))


def find(space, constraints, fits=None, required=()):
    """Return the constraints that are left, and what is asked of the members and required then."""
    asked = [list((fits or {}).get(name, ())) for name in NAMES]
    needed = dict.fromkeys(required)
    left = MemberConstraints(space, NAMES, asked, needed, lambda: None).find(constraints, [])
    return left, asked, list(needed)


def test_a_constraint_that_no_member_can_fulfil_makes_the_object_impossible():
    space = Space()
    constraint = [(names("a"), space.types(1))]
    assert find(space, [constraint], {"a": [space.types(2)]})[0] is None


def test_keys_that_are_none_of_some_are_all_others():
    space = Space()
    left, _, _ = find(space, [[(("other", frozenset(["a"]), ()), space.true)]])
    assert left == [{1: space.true, 2: space.true}]
