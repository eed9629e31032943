from random import Random

import pytest

from maskc.verify.segments import Segments
from tests.examples import seeds

TOKENS = (b"i", b"in", b"n", None, b"", b"n")


def test_the_tokens_at_an_offset_come_shortest_first_with_all_their_ids():
    assert Segments(TOKENS).at(b"in", 0) == [(1, [0]), (2, [1])]
    assert Segments(TOKENS).at(b"in", 1) == [(1, [2, 5])]


def test_a_token_that_reaches_beyond_the_bytes_is_not_among_them():
    assert Segments([b"a", b"ab"]).at(b"a", 0) == [(1, [0])]


@pytest.mark.parametrize("seed", seeds(20))
def test_a_drawn_cut_writes_the_bytes(seed):
    ids = Segments(TOKENS).draw(b"inniin", Random(seed))
    assert b"".join(TOKENS[i] for i in ids) == b"inniin"


def test_a_cut_never_ends_where_no_token_goes_on():
    """``ab`` would leave ``c``, which no token writes."""
    segments = Segments([b"a", b"ab", b"bc"])
    assert {tuple(segments.draw(b"abc", Random(seed))) for seed in range(20)} == {(0, 2)}


def test_bytes_that_no_tokens_write_have_no_cut():
    assert Segments(TOKENS).draw(b"inx", Random(0)) is None
