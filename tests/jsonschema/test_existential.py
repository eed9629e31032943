"""What is wished of some member of an object, and which members can fulfil it."""

from maskc.jsonschema.existential import MemberConstraints
from maskc.jsonschema.expressions import Space

NAMES = ("a", "b", "c")


def names(*found):
    return ("names", frozenset(found))


def find(space, wishes, fits=None, required=()):
    """Return the wishes that are left, and what is asked of the members and required then."""
    asked = [list((fits or {}).get(name, ())) for name in NAMES]
    needed = dict.fromkeys(required)
    left = MemberConstraints(space, NAMES, asked, needed, lambda: None).find(wishes, [])
    return left, asked, list(needed)


def test_a_wish_that_no_member_can_fulfil_makes_the_object_impossible():
    space = Space()
    wish = [(names("a"), space.types(1))]
    assert find(space, [wish], {"a": [space.types(2)]})[0] is None


def test_keys_that_are_none_of_some_are_all_others():
    space = Space()
    left, _, _ = find(space, [[(("other", frozenset(["a"]), ()), space.true)]])
    assert left == [{1: space.true, 2: space.true}]
