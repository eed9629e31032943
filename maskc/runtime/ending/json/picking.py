"""Which tokens of a vocabulary are looked at one by one, where they lead to too many places?

Every token leads elsewhere from within a key that may have any name, as keys must differ. There a
bound says that all tokens with few brackets leave enough (:mod:`maskc.runtime.ending.json.enough`),
and of the others those are looked at that may bring an end nearer: with a quote or a sign in them.

Example: of llama3's tokens 954 open a bracket, and 41 of them more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.json.enough import count_openings

_CLOSING = frozenset(b'"}]:,')
_MOST_CLOSING = 200


class Picking:
    """Kinds of the tokens of a vocabulary.

    Args:
        text_of: token id → its bytes, ``None`` for one without any.
        vocab_size: number of tokens.
        left_out: ids of tokens whose bytes are never written.

    Attributes:
        openings: int8[vocab_size], how many brackets each token opens at most.
        closing: ids of tokens that may bring an end nearer, the shortest first.
    """

    def __init__(
        self,
        text_of: Callable[[int], bytes | None],
        vocab_size: int,
        left_out: Iterable[int],
    ) -> None:
        n_bits = -(-vocab_size // 32) * 32
        self.openings: NDArray[np.int8] = np.zeros(n_bits, dtype=np.int8)
        self._n_closing: NDArray[np.int8] = np.zeros(n_bits, dtype=np.int8)
        closing: list[tuple[int, int]] = []
        gone = frozenset(left_out)
        for token_id in range(vocab_size):
            text = None if token_id in gone else text_of(token_id)
            if text:
                if b"[" in text or b"{" in text:
                    self.openings[token_id] = min(127, count_openings(text))
                n_closing = text.count(b"]") + text.count(b"}")
                if n_closing:
                    self._n_closing[token_id] = min(127, n_closing)
                if not _CLOSING.isdisjoint(text):
                    closing.append((len(text), token_id))
        self.closing = [token_id for _, token_id in sorted(closing)]

    def split(
        self, words: NDArray[np.int32], n_openings: int, n_closing: int | None
    ) -> tuple[NDArray[np.int32], list[int]]:
        """Return the legal tokens with few brackets, and the others.

        Args:
            words: of the legal ones.
            n_openings: so many open something, at most; -1: none has so few.
            n_closing: fewer than so many close something; ``None``: any number.
        """
        legal = np.unpackbits(words.view(np.uint8), bitorder="little").astype(np.bool_)
        few = self.openings <= n_openings
        if n_closing is not None:
            few &= self._n_closing < min(n_closing, 127)
        others = np.flatnonzero(legal & ~few).tolist()
        return np.packbits(legal & few, bitorder="little").view("<i4"), others

    def list_closing(self, words: NDArray[np.int32]) -> list[int]:
        """Return some legal tokens that may bring an end nearer."""
        legal = (t for t in self.closing if words[t >> 5] >> (t & 31) & 1)
        return [token for token, _ in zip(legal, range(_MOST_CLOSING), strict=False)]
