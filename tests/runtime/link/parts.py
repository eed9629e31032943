"""Joints of a few tokens, and the tokens of a part."""

import numpy as np

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import Words
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.pieces import RegularPiece
from maskc.runtime.vocabulary import index_of

TOKENS = (b"a", b"b", b"c", b"ab", b"bc", b"abc", b"!", b"c!")


def make_joints():
    first = np.cumsum([0, *map(len, TOKENS)]).astype(np.int32)
    index = index_of(first, np.frombuffer(b"".join(TOKENS), dtype=np.uint8))
    return Joints(index, Budget(1 << 20))


def make_leaf(joints, *words):
    piece = RegularPiece(Words(sorted(words)), joints.scanner, joints.index, Budget(1 << 20))
    return joints.leaf(piece)


def tokens_of(joints, part):
    words = joints.scanner.words(part)
    return {t for n, t in enumerate(TOKENS) if words[n // 32] >> (n % 32) & 1}


def legal(joints, links):
    """Return the tokens that are legal in some hypotheses."""
    return set().union(*(tokens_of(joints, h.piece.legal(h.inner, h.rest)) for h in links))
