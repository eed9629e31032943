import numpy as np
import pytest

from maskc.runtime.cache import Budget
from maskc.runtime.schema.tries import SharedResults
from maskc.runtime.vocabulary import index_of
from tests.runtime.schema.vocabularies import build_index


def test_many_bits_are_set_and_cleared_as_few_are():
    index = build_index()
    many = list(range(250))
    words = index.pack(many)
    assert np.array_equal(words, index.set_bits(index.pack(many[:100]), many[100:]))
    assert not index.clear_bits(words, many).any()


def test_artifacts_with_the_same_tokens_share_their_index():
    first, data = np.array([0, 1], dtype=np.int32), np.array([97], dtype=np.uint8)
    assert index_of(first, data) is index_of(first.copy(), data.copy())
    assert index_of(first, data + np.uint8(1)).texts == [b"b"]


def test_what_is_shared_is_forgotten_when_it_takes_too_much():
    shared = SharedResults(90)
    for name in "abcde":
        shared.put(name, name.upper(), 20)
    assert [shared.get(name) for name in "abde"] == [None, None, "D", "E"]


def test_what_is_asked_for_again_is_kept():
    shared = SharedResults(90)
    shared.put("a", 1, 10)
    for number in range(20):
        shared.put(number, number, 20)
        assert shared.get("a") == 1
    assert shared.get(0) is None


def test_a_result_larger_than_the_limit_is_kept_until_another_comes():
    shared = SharedResults(90)
    shared.put("a", 1, 1_000)
    assert shared.get("a") == 1


def test_what_is_shared_counts_in_the_largest_budget_that_can_hold_it():
    shared, small = SharedResults(), Budget(1_000)
    first, larger = Budget(1 << 25), Budget(1 << 26)
    for budget, counted in ((small, 0), (first, 7), (larger, 7), (first, 0)):
        shared.join(budget)
        before = budget.n_bytes
        shared.put("a", 1, 7)
        assert budget.n_bytes - before == counted
    shared.join(larger)
    assert shared.get("a") == 1


@pytest.mark.parametrize(("n_bytes", "found"), [(22, 1), (23, None)])
def test_what_is_kept_for_good_is_not_forgotten_if_it_is_a_quarter_of_the_limit(n_bytes, found):
    shared = SharedResults(90)
    shared.keep("a", 1, n_bytes)
    for n in range(9):
        shared.put(n, n, 30)
    assert shared.get("a") == found


def test_results_that_are_a_quarter_of_the_limit_together_are_kept_for_good():
    shared = SharedResults(90)
    shared.keep("a", 1, 11)
    shared.keep("b", 2, 11)
    for n in range(9):
        shared.put(n, n, 30)
    assert (shared.get("a"), shared.get("b")) == (1, 2)


def test_what_is_kept_for_good_leaves_so_much_less_of_the_budget_that_counts_it():
    shared, first, larger = SharedResults(), Budget(1 << 25), Budget(1 << 26)
    shared.join(first)
    shared.keep("a", 1, 1_000)
    shared.keep("a", 1, 1_000)
    assert first.limit == (1 << 25) - 1_000
    shared.join(larger)
    assert (first.limit, larger.limit) == (1 << 25, (1 << 26) - 1_000)
    # What is kept counts as a part of the budget that has it.
    shared.join(Budget((1 << 26) - 500))
    assert larger.limit == (1 << 26) - 1_000
    shared.keep("b", 1, 7)
    assert larger.limit == (1 << 26) - 1_007
