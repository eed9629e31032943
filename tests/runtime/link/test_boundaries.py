"""Tokens that cross from one piece to the next."""

import numpy as np
import pytest

from maskc.errors import LimitError
from maskc.runtime.machine import MAX_HYPOTHESES
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.link.parts import make_joints, make_leaf, tokens_of


@pytest.fixture(scope="module")
def joints():
    return make_joints()


def test_what_follows_is_walked_from_each_node_at_which_parts_end(joints):
    either = joints.choice([make_leaf(joints, b"a"), make_leaf(joints, b"ab")])
    whole = joints.sequence([either, make_leaf(joints, b"c!")])
    root = np.array([ROOT], dtype=np.int32)
    part = joints.walk(joints.rest(whole, joints.end), joints.index.tokens, root)
    assert tokens_of(joints, part) == {b"a", b"ab", b"abc"}


def test_counts_beyond_the_longest_token_are_one(joints):
    as_expression = make_leaf(joints, b"a")
    rests = [
        joints.rest(joints.repetition(as_expression, low, None), joints.end) for low in (40, 90)
    ]
    assert joints.cap(rests[0]) is joints.cap(rests[1])
    few = joints.rest(joints.repetition(as_expression, 1, 2), joints.end)
    assert joints.cap(few) is not joints.cap(rests[0])


def test_readings_of_one_text_are_bounded(joints):
    a = make_leaf(joints, b"a")
    # Each reading has another bound left.
    many = [joints.repetition(a, n, n) for n in range(2, MAX_HYPOTHESES + 4)]
    start = joints.rest(joints.choice(many), joints.end).starts
    with pytest.raises(LimitError, match="readings of the text so far"):
        joints.step(start, b"a")
