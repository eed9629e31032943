"""Which tokens does byte-pair encoding write for a piece of text?

A *symbol* is a token in the making: at first each byte is one. Of all neighbours
that can be merged those of the lowest rank are, the leftmost first where ranks are equal, until
none is left. So do tiktoken and ``tokenizers``; they differ in where ranks come from, and that is
settled before: here there is one list of pairs.

Example: with the merges ``a b`` and ``ab c``, in this order, ``abc`` is one token and ``bc`` two.

Source: Sennrich, Haddow and Birch 2016, "Neural machine translation of rare words with subword
units", doi:10.18653/v1/P16-1162.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
NO_TOKEN = -1


class Merge(NamedTuple):
    """What becomes of two neighbours.

    Attributes:
        rank: the lowest is merged first.
        result: the token that they become.
    """

    rank: int
    result: int


class Merging(NamedTuple):
    """What was merged where in a piece of text, in order.

    Attributes:
        tokens: what is left in the end.
        steps: of each merge its rank, the two symbols, and the place of the left one's first byte
            among those of the piece.
    """

    tokens: list[int]
    steps: list[tuple[int, int, int, int]]


class Merges:
    """The pairs of tokens that are merged.

    Args:
        first: int32[vocab_size + 1], where the pairs of each left token begin.
        right: int32[n_pairs], their right tokens, ascending for each left one.
        rank: int32[n_pairs], their ranks, at least 0.
        result: int32[n_pairs], what they become.

    Attributes:
        first, right, rank, result: as given.
    """

    def __init__(self, first: Ints, right: Ints, rank: Ints, result: Ints) -> None:
        self.first, self.right, self.rank, self.result = first, right, rank, result
        self._known: dict[int, dict[int, Merge]] = {}

    def of(self, left: int) -> dict[int, Merge]:
        """Return what a left token is merged with, by the right token; not to be written to."""
        found = self._known.get(left)
        if found is None:
            low, high = int(self.first[left]), int(self.first[left + 1])
            columns = (part[low:high].tolist() for part in (self.right, self.rank, self.result))
            found = {
                right: Merge(rank, result) for right, rank, result in zip(*columns, strict=True)
            }
            self._known[left] = found
        return found

    def merge(self, symbols: Sequence[int]) -> Merging:
        """Return the tokens of a piece of text, from those of its bytes."""
        tokens, n_symbols = list(symbols), len(symbols)
        before, after = list(range(-1, n_symbols - 1)), list(range(1, n_symbols + 1))
        steps: list[tuple[int, int, int, int]] = []
        # What may be merged, and what the neighbours were then; the lowest rank first, leftmost.
        open_: list[tuple[int, int, int, int, int]] = []
        for place in range(n_symbols - 1):
            self._propose(open_, tokens, place, place + 1)
        while open_:
            rank, place, left, right, result = heapq.heappop(open_)
            other = after[place]
            if other >= n_symbols or tokens[place] != left or tokens[other] != right:
                continue
            steps.append((rank, left, right, place))
            tokens[place], tokens[other] = result, NO_TOKEN
            after[place] = after[other]
            if after[place] < n_symbols:
                before[after[place]] = place
                self._propose(open_, tokens, place, after[place])
            if before[place] >= 0:
                self._propose(open_, tokens, before[place], place)
        return Merging([token for token in tokens if token != NO_TOKEN], steps)

    def _propose(
        self,
        open_: list[tuple[int, int, int, int, int]],
        tokens: list[int],
        place: int,
        other: int,
    ) -> None:
        merge = self.of(tokens[place]).get(tokens[other])
        if merge is not None:
            proposed = (merge.rank, place, tokens[place], tokens[other], merge.result)
            heapq.heappush(open_, proposed)
