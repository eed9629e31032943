"""A token that counts as itself is not a text."""

from maskc.runtime.link.joining.pieces import StopPiece, TokenPiece
from tests.runtime.link.parts import make_boundaries, tokens_of

BANG = 6  # the token !


def test_a_token_is_taken_by_its_id_and_not_by_its_bytes():
    boundaries = make_boundaries()
    piece = TokenPiece([BANG])
    (before,) = boundaries.rest(boundaries.as_expression(piece), boundaries.end).starts
    assert tokens_of(boundaries, piece.legal(before.inner, before.rest)) == {b"!"}
    assert boundaries.step((before,), b"!") == ()
    (after,) = boundaries.take((before,), BANG)
    assert piece.has_ended(after.inner)
    assert not tokens_of(boundaries, piece.legal(after.inner, after.rest))
    assert boundaries.take((before,), 0) == ()


def test_the_end_of_the_sequence_has_ended_and_reads_nothing():
    boundaries = make_boundaries()
    piece = StopPiece(9)
    (here,) = boundaries.rest(boundaries.as_expression(piece), boundaries.end).starts
    assert piece.has_ended(here.inner)
    assert (piece.end, boundaries.step((here,), b"a")) == (9, ())
