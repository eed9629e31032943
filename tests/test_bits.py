"""Sets of bits, classes of bytes, and the numbers that artifacts keep."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc import bits, ids
from maskc.byte_classes import DONE, byte_classes

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


def test_bytes_are_one_class_iff_no_node_tells_them_apart():
    draw = random.Random(0)
    for _ in range(50):
        nodes = []
        for _ in range(draw.randint(0, 4)):
            cuts = sorted(draw.sample(range(256), 2 * draw.randint(0, 3)))
            pairs = zip(cuts[::2], cuts[1::2], strict=True)
            nodes.append([(low, high, draw.choice([DONE, 0, 1])) for low, high in pairs])
        found = byte_classes(nodes)
        assert found.shape == (256,)
        assert found.dtype == "uint8"
        # What each node does with each byte, one by one.
        ways = [
            tuple(next((t for a, b, t in edges if a <= byte <= b), None) for edges in nodes)
            for byte in range(256)
        ]
        assert len(set(ways)) == len(set(zip(ways, found.tolist(), strict=True)))
        assert len(set(ways)) == len(set(found.tolist())) == int(found.max()) + 1


def test_no_two_terminals_that_are_none_are_one_number():
    """They stand in one array of an artifact: terminals of events, and of a text's end."""
    events = (ids.END, ids.IGNORED, ids.ENTRY, ids.NO_EVENT)
    ends = (ids.END, ids.IGNORED, ids.NOT_AN_END, ids.EMPTY_TEXT)
    assert len(set(events)) == len(events)
    assert len(set(ends)) == len(ends)


def test_what_an_artifact_stores_keeps_its_number():
    stored = (ids.END, ids.IGNORED, ids.NO_EVENT, ids.NOT_AN_END, ids.EMPTY_TEXT, ids.DEAD)
    assert stored == (0, -1, -8, -2, -3, 0)
    assert (ids.NO_BASE, ids.ANY_PROFILE) == (-1, -1)
