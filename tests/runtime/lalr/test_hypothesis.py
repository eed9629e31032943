import pytest

from maskc.runtime.lalr.hypothesis import Stack, lower, pop_and_push, serial_of


def list_states(stack):
    states = []
    while stack is not None:
        states.append(stack.state)
        stack = stack.below
    return states


BOTTOM = Stack(0, None)


def test_no_more_is_popped_than_there_is():
    with pytest.raises(ValueError, match="below the bottom"):
        pop_and_push(BOTTOM, 1, ())


def test_a_depth_is_found_from_wherever_one_begins():
    stacks = [BOTTOM]
    for _ in range(13_000):
        stacks.append(Stack(1, stacks[-1]))
    # In this order some nodes already know one far below, and others do not.
    for begin in (13_000, 12_289, 12_288, 4_097, 4_096, 200, 64, 0):
        for depth in (0, 1, 63, 64, 4_095, 4_096, 4_097, 8_192, begin - 1, begin):
            if 0 <= depth <= begin:
                assert lower(stacks[begin], depth) is stacks[depth]
    with pytest.raises(ValueError, match="below the bottom"):
        lower(stacks[5], 6)


def test_many_states_are_popped_as_few_are():
    stack = Stack(5, BOTTOM)
    for _ in range(500):
        stack = Stack(1, stack)
    assert list_states(pop_and_push(stack, 500, (3,))) == [3, 5, 0]
    with pytest.raises(ValueError, match="below the bottom"):
        pop_and_push(stack, 502, (3,))


def test_each_stack_has_a_number_of_its_own():
    one, other = Stack(1, BOTTOM), Stack(1, BOTTOM)
    assert serial_of(one) == serial_of(one) != serial_of(other)
