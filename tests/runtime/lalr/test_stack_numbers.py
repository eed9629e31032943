"""Stacks by number: equal ones have one, others have others."""

from random import Random

from maskc.ids import RefinedStateId
from maskc.runtime.cache.budget import Budget
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.stack_cache import StackNumbers


def build(states):
    stack = None
    for state in states:
        stack = Stack(RefinedStateId(state), stack)
    assert stack is not None
    return stack


def test_stacks_have_one_number_iff_their_states_are_equal():
    draw, numbers = Random(1), StackNumbers(Budget(1 << 24))
    known = {}
    for _ in range(2_000):
        states = tuple(draw.choices(range(3), k=draw.randint(1, 6)))
        known.setdefault(states, set()).add(numbers.number(build(states)))
    assert all(len(found) == 1 for found in known.values())
    assert len({n for found in known.values() for n in found}) == len(known) > 300


def test_of_a_stack_that_grew_only_the_top_is_looked_at():
    numbers = StackNumbers(Budget(1 << 24))
    stack = build([7] * 100_000)
    numbers.number(stack)
    n_known = len(numbers._by_serial.generations.current)
    numbers.number(Stack(RefinedStateId(8), stack))
    assert len(numbers._by_serial.generations.current) == n_known + 1


def test_what_is_evicted_gives_other_numbers_and_never_one_of_another_stack():
    budget = Budget(3_000)
    numbers = StackNumbers(budget)
    content = {}
    for n in range(3_000):
        states = (n % 7, n % 11, n % 13)
        found = numbers.number(build(states))
        assert content.setdefault(found, states) == states
    assert len(content) > 7 * 11 * 13
