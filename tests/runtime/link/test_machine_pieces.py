"""An artifact as a piece: where its text may end inside a token."""

import pytest

from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.runtime.link.joining.machine_pieces import MachinePiece
from maskc.vocab.vocabulary import Vocabulary

TOKENS = (b"(", b"a", b")", b"!", b"a!", b"a)!", b"a))", b"((", b"!!")


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(Vocabulary((*TOKENS, None), (len(TOKENS),), "small"))


def _exits(kit: Kit, before: bytes, bytes_: frozenset[int] | None) -> set[bytes]:
    (start,) = kit.lark('start: "(" start ")" | "a"\n').matcher()._machine.start()
    piece = start.piece
    assert isinstance(piece, MachinePiece)
    inner = start.inner
    for byte in before:
        (inner,) = piece.step(inner, byte)
    return {kit.tokens.index.tokens.path(n) for n in piece._exits(inner, bytes_).tolist()}


@pytest.mark.parametrize(
    ("before", "bytes_", "expected"),
    [
        (b"", None, {b"a"}),
        (b"(", None, {b"a)"}),
        (b"(", frozenset(b"!"), {b"a)"}),
        (b"", frozenset(b"!"), {b"a"}),
        (b"", frozenset(b"("), set()),
        (b"((", frozenset(b"!"), set()),
    ],
)
def test_the_text_may_end_inside_tokens_that_go_on(before, bytes_, expected, kit: Kit) -> None:
    assert _exits(kit, before, bytes_) == expected
