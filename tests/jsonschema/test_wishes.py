"""What is wished of some member of an object, and which members can fulfil it."""

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.wishes import Wishes

NAMES = ("a", "b", "c")


def names(*found):
    return ("names", frozenset(found))


def find(space, wishes, fits=None, required=()):
    """Return the wishes that are left, and what is asked of the members and required then."""
    asked = [list((fits or {}).get(name, ())) for name in NAMES]
    needed = dict.fromkeys(required)
    left = Wishes(space, NAMES, asked, needed, lambda: None).find(wishes, [])
    return left, asked, list(needed)


def one(space, number):
    return space.values([("number", number)])


def test_a_wish_that_no_member_can_fulfil_makes_the_object_impossible():
    space = Space()
    wish = [(names("a"), space.types(1))]
    assert find(space, [wish], {"a": [space.types(2)]})[0] is None


def test_a_wish_that_one_name_can_fulfil_is_a_required_name():
    space = Space()
    wish = [(names("a"), space.types(1)), (names("b"), space.types(1))]
    left, asked, required = find(space, [wish], {"b": [space.false]})
    assert (left, required) == ([], ["a"])
    assert asked[0] == [space.types(1)]


def test_what_is_required_then_may_fulfil_another_wish():
    space = Space()
    first = [(names("a"), one(space, 1)), (names("b"), one(space, 1))]
    second = [(names("a"), space.types(4)), (names("c"), space.true)]
    left, _, required = find(space, [second, first], {"b": [space.false]})
    assert (left, required) == ([], ["a"])


def test_a_wish_that_a_required_name_fulfils_in_any_case_is_none():
    space = Space()
    wish = [(names("a"), space.types(3)), (names("b"), space.true)]
    assert find(space, [wish], {"a": [space.types(1)]}, ["a"])[0] == []


def test_a_wish_that_is_fulfilled_whenever_another_one_is_says_nothing():
    space = Space()
    wide = [(names("a"), space.types(3)), (names("b"), space.types(3)), (names("c"), space.true)]
    narrow = [(names("a"), space.types(1)), (names("b"), space.types(2))]
    left, _, _ = find(space, [wide, narrow, wide])
    assert left == [{0: space.types(1), 1: space.types(2)}]


def test_keys_that_are_none_of_some_are_all_others():
    space = Space()
    left, _, _ = find(space, [[(("other", frozenset(["a"]), ()), space.true)]])
    assert left == [{1: space.true, 2: space.true}]
