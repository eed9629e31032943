"""A token that counts as itself is not a text."""

from maskc.runtime.link.joining.pieces import StopPiece, TokenPiece
from tests.runtime.link.parts import make_joints, tokens_of

BANG = 6  # the token !


def test_a_token_is_taken_by_its_id_and_not_by_its_bytes():
    joints = make_joints()
    piece = TokenPiece([BANG])
    (before,) = joints.rest(joints.as_expression(piece), joints.end).starts
    assert tokens_of(joints, piece.legal(before.inner, before.rest)) == {b"!"}
    assert joints.step((before,), b"!") == ()
    (after,) = joints.take((before,), BANG)
    assert piece.has_ended(after.inner)
    assert not tokens_of(joints, piece.legal(after.inner, after.rest))
    assert joints.take((before,), 0) == ()


def test_the_end_of_the_sequence_has_ended_and_reads_nothing():
    joints = make_joints()
    piece = StopPiece(9)
    (here,) = joints.rest(joints.as_expression(piece), joints.end).starts
    assert piece.has_ended(here.inner)
    assert (piece.end, joints.step((here,), b"a")) == (9, ())
