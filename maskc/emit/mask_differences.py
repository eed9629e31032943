"""How are ten thousand masks kept that are nearly alike?

A union of few tokens is kept as the words of a mask that it touches. A larger one is kept as the
words in which it differs from a *base*, a mask that is kept whole; where no base is near, it
becomes one. Reading a union back costs a copy of 16 KB and a few hundred words, however many sets
were united.

Example: after each of two names, of which only one may be followed by ``:=``, the masks differ in
ten words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import narrow
from maskc.ids import NO_BASE

Ints = NDArray[np.int32]

_NEAR = 8  # a difference in more than 1 / 8 of the words is another base
_RECENT = 48  # bases that are tried


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """Masks as differences. A mask with no base has no tokens but those of its words.

    Attributes:
        number_of: int32[n], the union that each of the given lists became; equal masks are one.
        base: int32[n_unions], a row of ``masks`` or ``NO_BASE``.
        first: int32[n_unions + 1], words of a union are ``first[u] : first[u + 1]``.
        word: uint16[…], ascending within a union; uint32 if 16 bits do not hold them all.
        bits: int32[…], what is changed there.
        masks: int32[n_bases, ceil(vocab_size / 32)].
    """

    number_of: Ints
    base: Ints
    first: Ints
    word: NDArray[np.uint16] | NDArray[np.uint32]
    bits: Ints
    masks: Ints


def encode_unions(
    unions: Sequence[tuple[int, ...]], sets: Sequence[Ints], vocab_size: int
) -> Unions:
    """Return the unions of token sets, each given as numbers of ``sets``."""
    n_words = -(-vocab_size // 32)
    made = _Masks(sets, n_words)
    number: dict[bytes, int] = {}
    number_of: list[int] = []
    base: list[int] = []
    words: list[NDArray[np.intp]] = []
    bits: list[Ints] = []
    masks: list[Ints] = []
    recent = np.zeros((_RECENT, n_words), dtype=np.int32)
    for union in unions:
        mask = made.unite(union)
        key = mask.tobytes()
        if key in number:
            number_of.append(number[key])
            continue
        number_of.append(number.setdefault(key, len(number)))
        nearest, changed = NO_BASE, mask
        if np.count_nonzero(mask) > n_words // _NEAR:
            known = min(len(masks), _RECENT)
            # Row by row: along an axis, NumPy counts in 64-bit numbers.
            distances = [int(np.count_nonzero(row)) for row in recent[:known] != mask]
            place = distances.index(min(distances)) if known else 0
            if not known or distances[place] > n_words // _NEAR:
                place = len(masks) % _RECENT
                recent[place] = mask
                masks.append(mask)
            # Slot ``place`` holds the last base whose number has this remainder.
            nearest = len(masks) - 1 - (len(masks) - 1 - place) % _RECENT
            changed = mask ^ recent[place]
        touched = changed.nonzero()[0]
        base.append(nearest)
        words.append(touched)
        bits.append(changed[touched])
    return Unions(
        number_of=np.array(number_of, dtype=np.int32),
        base=np.array(base, dtype=np.int32),
        first=np.cumsum([0, *map(len, words)]).astype(np.int32),
        word=narrow(np.concatenate([*words, np.zeros(0, dtype=np.intp)])),
        bits=np.concatenate([*bits, np.zeros(0, dtype=np.int32)]),
        masks=np.array(masks, dtype=np.int32).reshape(len(masks), n_words),
    )


class _Masks:
    """Unites token sets. Large ones, which take as much memory as a mask, are kept as masks."""

    def __init__(self, sets: Sequence[Ints], n_words: int) -> None:
        self._sets, self._n_words = sets, n_words
        self._large: dict[int, Ints] = {}

    def unite(self, numbers: tuple[int, ...]) -> Ints:
        """Return int32[n_words], the union of some sets."""
        small = [self._sets[n] for n in numbers if len(self._sets[n]) < self._n_words]
        mask = self._pack(np.concatenate(small)) if small else np.zeros(self._n_words, np.int32)
        for number in numbers:
            if len(self._sets[number]) >= self._n_words:
                if number not in self._large:
                    self._large[number] = self._pack(self._sets[number])
                mask |= self._large[number]
        return mask

    def _pack(self, tokens: Ints) -> Ints:
        if len(tokens) < self._n_words // 2:
            mask = np.zeros(self._n_words, dtype=np.uint32)
            # One by one, which is less than a byte for each token of the vocabulary.
            np.bitwise_or.at(mask, tokens >> 5, np.uint32(1) << (tokens & 31).astype(np.uint32))
            return mask.view(np.int32)
        legal = np.zeros(self._n_words * 32, dtype=np.uint8)
        legal[tokens] = 1
        return np.packbits(legal, bitorder="little").view("<i4").astype(np.int32)
