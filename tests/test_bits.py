import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc import bits

MEMBERS = st.sets(st.integers(0, 200))


@given(MEMBERS)
def test_the_members_of_a_set_come_back_ascending(members):
    assert list(bits.iterate(bits.from_members(members))) == sorted(members)


@given(st.lists(MEMBERS))
def test_the_union_of_sets_has_the_members_of_all(sets):
    united = bits.unite(map(bits.from_members, sets))
    assert set(bits.iterate(united)) == set().union(*sets)


@given(st.lists(MEMBERS), st.integers(201, 300))
def test_a_packed_row_has_a_bit_for_each_member(sets, n_bits):
    packed = bits.pack([bits.from_members(s) for s in sets], n_bits)
    found = [
        {64 * word + bit for word in range(packed.shape[1]) for bit in bits.iterate(int(row[word]))}
        for row in packed
    ]
    assert found == sets


def test_no_bits_are_packed_into_one_word():
    assert bits.pack([0], 0).tolist() == [[0]]


def test_a_member_that_does_not_fit_raises():
    with pytest.raises(OverflowError):
        bits.pack([1 << 64], 3)
