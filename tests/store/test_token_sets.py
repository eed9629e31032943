import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.store import token_sets
from maskc.store.token_sets import sort_pairs, unite

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 130_000)), max_size=30)
sets = st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=4)


def ints(values):
    return np.array(sorted(values), dtype=np.int32)


@given(sets)
def test_a_union_has_each_token_once_in_order(some):
    assert unite([ints(tokens) for tokens in some]).tolist() == sorted(set().union(*some))


def test_a_union_of_many_tokens_equals_that_of_few(monkeypatch):
    some = [ints({1, 5, 9}), ints(()), ints({2, 5})]
    monkeypatch.setattr(token_sets, "_MANY", 0)
    assert unite(some).tolist() == [1, 2, 5, 9]


def split(some):
    keys = np.array([key for key, _ in some], dtype=np.int64)
    return keys, np.array([value for _, value in some], dtype=np.int32)


@given(pairs)
def test_pairs_are_sorted_keys_first(some):
    keys, values = sort_pairs(*split(some), 10)
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(some)


@given(pairs)
def test_pairs_that_64_bits_do_not_hold_are_sorted_keys_first(some):
    keys, values = sort_pairs(*split(some), 1 << 62)
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(some)
