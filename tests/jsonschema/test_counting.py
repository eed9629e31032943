"""Where items need not be counted, as the length of an array and its items say enough."""

import pytest

from maskc.jsonschema.demands import Counted, ItemDemands, Stretch
from maskc.jsonschema.expressions import Space

SPACE = Space()
STRING, NUMBER, BOTH = (SPACE.types(bits) for bits in (8, 4, 12))


STRINGS = (Stretch(0, None, STRING),)


def reduce(*counters, stretches=STRINGS, low=0, high=None):
    """Return the counters that are left, and what the array is with them."""
    items = ItemDemands(SPACE, stretches, low, high, lambda: None)
    left = items.reduce([Counted(*counter) for counter in counters])
    return left, items


@pytest.mark.parametrize(
    ("counter", "low", "high"),
    [
        ((0, None, BOTH, 1, None), 1, None),
        ((0, None, BOTH, 0, 2), 0, 2),
        ((3, None, BOTH, 2, 4), 5, 7),
        ((3, 8, BOTH, 2, 4), 5, 7),
        ((3, 8, BOTH, 0, 5), 0, None),
        ((0, None, NUMBER, 0, 0), 0, None),
        ((0, None, NUMBER, 0, 3), 0, None),
    ],
)
def test_items_that_all_add_to_a_counter_or_none_of_which_does_need_none(counter, low, high):
    left, items = reduce(counter)
    assert (left, items.low, items.high) == ([], low, high)


@pytest.mark.parametrize("counter", [(0, None, NUMBER, 1, None), (2, 4, BOTH, 3, None)])
def test_a_counter_that_never_holds_is_found(counter):
    assert reduce(counter)[0] is None


def test_that_one_item_fits_is_asked_of_that_item():
    left, items = reduce((2, 3, STRING, 1, None), stretches=())
    assert (left, items.low, items.stretches) == ([], 3, [Stretch(2, 3, STRING)])


def test_that_no_item_fits_is_asked_of_all():
    left, items = reduce((0, None, STRING, 0, 0), stretches=())
    assert (left, items.stretches) == ([], [Stretch(0, None, SPACE.negate(STRING))])


def test_a_counter_of_what_others_count_says_nothing():
    narrow, wide = (0, None, STRING, 2, None), (0, None, BOTH, 1, None)
    assert reduce(wide, narrow, stretches=())[0] == [Counted(*narrow)]
    assert reduce(narrow, wide, narrow, stretches=())[0] == [Counted(*narrow)]


def test_a_counter_with_a_greatest_number_is_kept():
    narrow, wide = (0, None, STRING, 2, None), (0, None, BOTH, 1, 3)
    assert len(reduce(wide, narrow, stretches=())[0]) == 2


def test_what_fits_part_of_a_stretch_is_not_known_of_all_of_it():
    counter = (0, None, BOTH, 1, None)
    assert reduce(counter, stretches=(Stretch(1, None, STRING),))[0] == [Counted(*counter)]
