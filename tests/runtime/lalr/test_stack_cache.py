"""Results by the states that were read: right for each stack, and kept while in use.

Of stacks by number, equal ones have one, others have others.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.ids import RefinedStateId
from maskc.runtime.cache import Budget
from maskc.runtime.lalr.hypothesis import DEEP, Stack, StackCache, StackNumbers

LARGE = 1 << 30
BOTTOM, N_STATES = 9, 30
KEY = ("key",)


def make_stack(states):
    stack = Stack(BOTTOM, None)
    for state in states:
        stack = Stack(state, stack)
    return stack


def read(states):
    """Return a result of a stack, and how many states below the top it depends on."""
    states = [BOTTOM, *states]
    seed, n_read = states[-1], 0
    while states[-1 - n_read] != BOTTOM and Random(seed).random() < 0.7:
        n_read += 1
        seed = hash((seed, states[-1 - n_read]))
    return f"result {seed}", n_read


@given(
    limit=st.sampled_from([0, 5_000, LARGE]),
    stacks=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=60),
)
def test_a_result_is_found_for_each_stack_that_agrees_on_what_was_read(limit, stacks):
    cache = StackCache(Budget(limit), N_STATES)
    for states in stacks:
        stack, (result, n_read) = make_stack(states), read(states)
        found = cache.find((states[-1],), stack)
        assert found in (None, result)
        if found is None:
            cache.keep((states[-1],), stack, stack.depth - n_read, result)
            assert limit == 0 or cache.find((states[-1],), stack) == result
    if limit == LARGE:
        for states in stacks:
            assert cache.find((states[-1],), make_stack(states)) == read(states)[0]


def test_deep_results_in_use_stay():
    cache = StackCache(Budget(3 * 5_000), N_STATES)
    deep = make_stack([*range(20)])
    cache.keep(KEY, deep, 0, "deep")
    for number in range(100):
        assert cache.find(KEY, deep) == "deep"
        cache.keep((number,), deep, 10, "other")
    assert cache.find((0,), deep) is None


def test_what_reads_far_down_is_kept_for_the_stack_itself():
    cache = StackCache(Budget(LARGE), N_STATES)
    near, far = make_stack([1] * DEEP), make_stack([1] * (DEEP + 1))
    cache.keep(KEY, near, 0, "near")
    assert cache.find(KEY, make_stack([1] * DEEP)) == "near"
    assert cache.find(KEY, far) is None
    cache.keep(KEY, far, 0, "far")
    assert cache.find(KEY, far) == "far"
    equal = make_stack([1] * (DEEP + 1))
    assert cache.find(KEY, equal) is None
    cache.keep(KEY, equal, 0, "equal")
    assert (cache.find(KEY, near), cache.find(KEY, far)) == ("near", "far")
    assert cache.find(KEY, equal) == "equal"


def test_far_results_in_use_stay_when_others_are_evicted():
    cache = StackCache(Budget(3 * 40_000), N_STATES)
    far = make_stack([1] * (DEEP + 50))
    cache.keep(KEY, far, 0, "far")
    for number in range(1_000):
        assert cache.find(KEY, far) == "far"
        cache.keep((number,), far, 10, "other")
    assert cache.find((0,), far) is None


class Interrupted(dict):
    """A dict in which something else happens before the n-th time that it is used."""

    def __init__(self, entries, n, happens):
        super().__init__(entries)
        self._left, self._happens = n, happens

    def _use(self):
        self._left -= 1
        if self._left == 0:
            self._happens()

    def get(self, *arguments):
        self._use()
        return super().get(*arguments)

    def pop(self, *arguments):
        self._use()
        return super().pop(*arguments)

    def popitem(self):
        self._use()
        return super().popitem()

    def __setitem__(self, key, value):
        self._use()
        super().__setitem__(key, value)


# The first shares the chain of the second in part, the third ends elsewhere in it.
SHARING = [[1, 2, 0, 2, 1], [2, 2, 0, 2, 1], [1, 1, 0, 2, 1]]


@pytest.mark.parametrize("n", range(1, 13))
def test_another_thread_may_look_at_any_moment_while_a_chain_is_split(n):
    first, second, third = map(make_stack, SHARING)
    cache = StackCache(Budget(LARGE), N_STATES)
    cache.keep(KEY, first, 0, "first")
    found = []
    cache.generations.current = Interrupted(
        cache.generations.current,
        n,
        lambda: found.extend(cache.find(KEY, s) for s in (first, second, third)),
    )
    cache.keep(KEY, second, 0, "second")
    cache.keep(KEY, third, 0, "third")
    assert len(found) == 3
    for result, expected in zip(found, ["first", "second", "third"], strict=True):
        assert result in (None, expected)


@pytest.mark.parametrize("n", range(1, 5))
def test_another_thread_may_split_a_chain_at_any_moment_while_one_looks(n):
    first, second, third = map(make_stack, SHARING)
    for looked in (first, second, third):
        cache = StackCache(Budget(LARGE), N_STATES)
        cache.keep(KEY, first, 0, "first")

        def split(cache=cache):
            cache.keep(KEY, second, 0, "second")
            cache.keep(KEY, third, 0, "third")

        cache.generations.current = Interrupted(cache.generations.current, n, split)
        expected = {first: "first", second: "second", third: "third"}[looked]
        assert cache.find(KEY, looked) in (None, expected)


@pytest.mark.parametrize("n", range(1, 5))
def test_what_one_looks_into_may_be_freed_meanwhile(n):
    first, second, _ = map(make_stack, SHARING)
    for n_freed in range(1, 6):
        for looked in (first, second):
            cache = StackCache(Budget(LARGE), N_STATES)
            cache.keep(KEY, first, 0, "first")
            entries = cache.generations.current

            def free(cache=cache, n_freed=n_freed):
                for _ in range(min(n_freed, len(cache.generations.current))):
                    cache.generations.current.popitem()

            cache.generations.current = Interrupted(entries, n, free)
            assert cache.find(KEY, looked) in (None, "first" if looked is first else None)


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
