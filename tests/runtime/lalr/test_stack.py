import pytest

from maskc.runtime.lalr.stack import Stack, pop_and_push


def list_states(stack):
    states = []
    while stack is not None:
        states.append(stack.state)
        stack = stack.below
    return states


BOTTOM = Stack(0, None)
STACK = Stack(2, Stack(1, BOTTOM))


def test_the_depth_is_the_number_of_states_below():
    assert (BOTTOM.depth, STACK.depth) == (0, 2)


def test_states_are_popped_and_others_pushed_the_lowest_first():
    assert list_states(pop_and_push(STACK, 2, (3, 4))) == [4, 3, 0]


def test_the_lower_part_is_shared():
    assert pop_and_push(STACK, 1, (9,)).below is STACK.below


def test_no_more_is_popped_than_there_is():
    with pytest.raises(ValueError, match="below the bottom"):
        pop_and_push(BOTTOM, 1, ())
