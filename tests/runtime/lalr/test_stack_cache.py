"""Results by the states that were read: right for each stack, and kept while in use."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.cache.budget import Budget
from maskc.runtime.lalr.stack import Stack
from maskc.runtime.lalr.stack_cache import StackCache

LARGE = 1 << 30
BOTTOM = 9


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
    cache = StackCache(Budget(limit))
    for states in stacks:
        stack, (result, n_read) = make_stack(states), read(states)
        found = cache.find(states[-1], stack)
        assert found in (None, result)
        if found is None:
            cache.keep(states[-1], stack, stack.depth - n_read, result)
            assert limit == 0 or cache.find(states[-1], stack) == result
    if limit == LARGE:
        for states in stacks:
            assert cache.find(states[-1], make_stack(states)) == read(states)[0]


def test_deep_results_in_use_stay():
    cache = StackCache(Budget(3 * 5_000))
    deep = make_stack([*range(20)])
    cache.keep("key", deep, 0, "deep")
    for number in range(100):
        assert cache.find("key", deep) == "deep"
        cache.keep(number, deep, 10, "other")
    assert cache.find(0, deep) is None
