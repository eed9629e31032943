import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.store import token_sets
from maskc.store.token_sets import TokenSets, sort_pairs, unite

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


large_sets = st.lists(
    st.builds(
        lambda few, first, n, step: {*few, *range(first, first + n * step, step)},
        st.sets(st.integers(0, 5000), max_size=4),
        st.integers(0, 300),
        st.integers(0, 200),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=5,
)


@given(large_sets, st.data())
def test_sets_and_their_unions_are_read_back_whatever_they_are_kept_as(some, data):
    interned = TokenSets()
    numbers = [interned.intern(ints(tokens)) for tokens in some]
    for number, tokens in zip(numbers, some, strict=True):
        assert interned.read(number).tolist() == sorted(tokens)
    chosen = tuple(sorted(set(data.draw(st.lists(st.sampled_from(numbers), min_size=1)))))
    expected = sorted(set().union(*(interned.read(number).tolist() for number in chosen)))
    united = interned.unite(chosen)
    assert interned.read(united).tolist() == expected
    # However it came about, a set has one number.
    assert interned.intern(ints(expected)) == united
    mask = interned.mark(chosen, 8200 // 32).view(np.uint8)
    assert np.flatnonzero(np.unpackbits(mask, bitorder="little")).tolist() == expected


def test_a_large_set_takes_a_bit_for_each_token():
    interned = TokenSets([np.arange(80_000, dtype=np.int32)])
    assert interned._bits[0].nbytes == 10_000
