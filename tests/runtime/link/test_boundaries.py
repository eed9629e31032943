"""Tokens that cross from one piece to the next."""

import numpy as np
import pytest

from maskc.errors import LimitError
from maskc.runtime.machine import MAX_HYPOTHESES
from maskc.runtime.schema.tries import ROOT
from tests.runtime.link.parts import make_boundaries, make_leaf, tokens_of


@pytest.fixture(scope="module")
def boundaries():
    return make_boundaries()


def test_what_follows_is_walked_from_each_node_at_which_parts_end(boundaries):
    either = boundaries.choice([make_leaf(boundaries, b"a"), make_leaf(boundaries, b"ab")])
    whole = boundaries.sequence([either, make_leaf(boundaries, b"c!")])
    root = np.array([ROOT], dtype=np.int32)
    part = boundaries.walk(boundaries.rest(whole, boundaries.end), boundaries.index.tokens, root)
    assert tokens_of(boundaries, part) == {b"a", b"ab", b"abc"}


def test_counts_beyond_the_longest_token_are_one(boundaries):
    as_expression = make_leaf(boundaries, b"a")
    rests = [
        boundaries.rest(boundaries.repetition(as_expression, low, None), boundaries.end)
        for low in (40, 90)
    ]
    assert boundaries.cap(rests[0]) is boundaries.cap(rests[1])
    few = boundaries.rest(boundaries.repetition(as_expression, 1, 2), boundaries.end)
    assert boundaries.cap(few) is not boundaries.cap(rests[0])


def test_readings_of_one_text_are_bounded(boundaries):
    a = make_leaf(boundaries, b"a")
    # Each reading has another bound left.
    many = [boundaries.repetition(a, n, n) for n in range(2, MAX_HYPOTHESES + 4)]
    start = boundaries.rest(boundaries.choice(many), boundaries.end).starts
    with pytest.raises(LimitError, match="readings of the text so far"):
        boundaries.step(start, b"a")
