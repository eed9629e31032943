"""Which tokens are legal that the decision graph says nothing of?

A few tokens can be cut into terminals in so many ways that no list of these would do: fifty dashes
are 2^34 sequences of ``-`` and ``--``. They are read byte by byte, all at once along the trie of
their bytes, and what is dead is left at once: mostly at the first byte. What they lead to is the
same as for every other token, as readings in one scanner state share their stacks.

Example: inside a comment, where dashes are text, a hundred of them are a hundred steps of one
hypothesis; after a ``(`` where no ``-`` may stand there is no step at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.ids import ScannerStateId
from maskc.runtime.effort import spend
from maskc.runtime.glr.gss import StackSet
from maskc.runtime.graph import Mask

_BYTE = 2  # steps to read one

Places = dict[ScannerStateId, StackSet]  # scanner state → stacks


class UnlistedTokens:
    """The tokens of one artifact that have no rows.

    Args:
        tokens: their ids.
        text_of: token id → its bytes.
        advance: hypotheses, and a byte → those that are live after it.
        n_words: of a mask.
    """

    def __init__(
        self,
        tokens: Iterable[int],
        text_of: Callable[[int], bytes | None],
        advance: Callable[[Places, int], Places],
        n_words: int,
    ) -> None:
        self._advance = advance
        self._n_words = n_words
        # The trie: node 0 is the root. By node the bytes that lead on, and the tokens that end.
        self._children: list[dict[int, int]] = [{}]
        self._ends: list[list[int]] = [[]]
        for token in tokens:
            self._add(text_of(token) or b"", token)

    def _add(self, text: bytes, token: int) -> None:
        node = 0
        for byte in text:
            found = self._children[node].get(byte)
            if found is None:
                found = len(self._children)
                self._children[node][byte] = found
                self._children.append({})
                self._ends.append([])
            node = found
        if node:
            self._ends[node].append(token)

    def find(self, places: Places) -> Mask | None:
        """Return the mask of those that are legal, ``None`` if there are none.

        Args:
            places: the live hypotheses.
        """
        legal: list[int] = []
        pending: list[tuple[int, Places]] = [(0, places)]
        while pending:
            node, here = pending.pop()
            spend(_BYTE * len(self._children[node]))
            for byte, child in self._children[node].items():
                after = self._advance(here, byte)
                if after:
                    legal.extend(self._ends[child])
                    if self._children[child]:
                        pending.append((child, after))
        if not legal:
            return None
        bits: NDArray[Any] = np.zeros(self._n_words * 32, dtype=np.bool_)
        bits[legal] = True
        return np.packbits(bits, bitorder="little").view("<i4")
