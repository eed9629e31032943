"""How are ten thousand masks kept that are nearly alike?

A union of few tokens is kept as the words of a mask that it touches. A larger one is kept as the
words in which it differs from a *base*, a mask that is kept whole; where no base is near, it
becomes one. What such a word is changed by is one of few *changes*, which very many unions share:
a change is kept once, and a union is a list of their numbers. Reading a union back costs a copy of
16 KB and a few hundred words, however many sets were united.

Example: after each of two names, of which only one may be followed by ``:=``, the masks differ in
ten words. Of python.lark's 10,061 unions for 128,000 tokens, with 1.4 million changed words, there
are 14,000 changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import narrow
from maskc.ids import NO_BASE

Ints = NDArray[np.int32]
Narrow = NDArray[np.uint16] | NDArray[np.uint32]

_NEAR = 8  # a difference in more than 1 / 8 of the words is another base
_RECENT = 512  # bases that are looked at
_SAMPLE = 128  # words of each that are compared at first
_CLOSEST = 3  # bases that are compared in full


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """Masks as differences. A mask with no base has no tokens but those of its words.

    Attributes:
        number_of: int32[n], the union that each of the given lists became; equal masks are one.
        base: int32[n_unions], a row of ``masks`` or ``NO_BASE``.
        first: int32[n_unions + 1], the changes of a union are ``first[u] : first[u + 1]``.
        change: uint16[…], places in ``word`` and ``bits``, ascending within a union; uint32 if 16
            bits do not hold them all.
        word: uint16[n_changes], which word of a mask, ascending; uint32 likewise.
        bits: int32[n_changes], what is changed there.
        masks: int32[n_bases, ceil(vocab_size / 32)].
    """

    number_of: Ints
    base: Ints
    first: Ints
    change: Narrow
    word: Narrow
    bits: Ints
    masks: Ints


def encode_unions(
    unions: Sequence[tuple[int, ...]], sets: Sequence[Ints], vocab_size: int
) -> Unions:
    """Return the unions of token sets, each given as numbers of ``sets``."""
    n_words = -(-vocab_size // 32)
    united, kept = _Masks(sets, n_words), _Kept(n_words)
    number_of = np.array([kept.add(united.unite(union)) for union in unions], dtype=np.int32)
    changes = np.concatenate([*kept.changes, np.zeros(0, dtype=np.int64)])
    distinct, change = np.unique(changes, return_inverse=True)
    return Unions(
        number_of=number_of,
        base=np.array(kept.base, dtype=np.int32),
        first=np.cumsum([0, *map(len, kept.changes)]).astype(np.int32),
        change=narrow(change.reshape(-1)),
        word=narrow(distinct >> 32),
        bits=(distinct & 0xFFFFFFFF).astype(np.uint32).view(np.int32),
        masks=kept.list_bases(),
    )


class _Kept:
    """Distinct masks, as they are kept.

    Attributes:
        base: by number, the base or ``NO_BASE``.
        changes: by number, int64[n]: a word in the upper 32 bits, its change in the lower ones.
    """

    def __init__(self, n_words: int) -> None:
        self.base: list[int] = []
        self.changes: list[NDArray[np.int64]] = []
        self._n_words = n_words
        self._bases: list[Ints] = []
        # Of the last bases, one a column: some of their words.
        self._each = -(-n_words // _SAMPLE)
        self._parts = np.zeros((-(-n_words // self._each), _RECENT), dtype=np.int32)
        self._alike: dict[int, list[int]] = {}  # hash → numbers of masks

    def add(self, mask: Ints) -> int:
        """Return a mask's number; equal masks have one."""
        alike = self._alike.setdefault(hash(mask.tobytes()), [])
        for number in alike:
            if np.array_equal(self._read(number), mask):
                return number
        base = NO_BASE
        if np.count_nonzero(mask) > self._n_words // _NEAR:
            base, changed = self._find_base(mask)
        else:
            changed = mask
        alike.append(len(self.base))
        self.base.append(base)
        words = changed.nonzero()[0]
        self.changes.append(words << 32 | changed[words].view(np.uint32))
        return alike[-1]

    def list_bases(self) -> Ints:
        """Return int32[n_bases, n_words]."""
        return np.array(self._bases, dtype=np.int32).reshape(len(self._bases), self._n_words)

    def _find_base(self, mask: Ints) -> tuple[int, Ints]:
        """Return the base of a mask, and what it changes; a new base is the mask itself."""
        n_bases = len(self._bases)
        part, known = mask[:: self._each], min(n_bases, _RECENT)
        differs = self._parts[:, :known] != part[:, np.newaxis]
        guessed = np.add.reduce(differs.view(np.uint8), axis=0, dtype=np.uint8)
        nearest = [
            n_bases - 1 - (n_bases - 1 - column) % _RECENT
            for column in np.argsort(guessed, kind="stable")[:_CLOSEST].tolist()
        ]
        found = [self._bases[base] ^ mask for base in nearest]
        distances = list(map(np.count_nonzero, found))
        if not distances or min(distances) > self._n_words // _NEAR:
            self._parts[:, n_bases % _RECENT] = part
            self._bases.append(mask)
            return n_bases, np.zeros_like(mask)
        best = distances.index(min(distances))
        return nearest[best], found[best]

    def _read(self, number: int) -> Ints:
        base, changes = self.base[number], self.changes[number]
        mask = np.zeros(self._n_words, np.int32) if base == NO_BASE else self._bases[base].copy()
        mask[changes >> 32] ^= (changes & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
        return mask


class _Masks:
    """Unites token sets. Large ones are kept as masks, which take at most four times as much."""

    def __init__(self, sets: Sequence[Ints], n_words: int) -> None:
        self._sets, self._n_words = sets, n_words
        self._large: dict[int, Ints] = {}
        self._n_large = n_words // 4
        self._legal = np.zeros(n_words * 32, dtype=np.uint8)  # all 0 between two unions

    def unite(self, numbers: tuple[int, ...]) -> Ints:
        """Return int32[n_words], the union of some sets."""
        chosen = [self._sets[number] for number in numbers]
        small = [tokens for tokens in chosen if len(tokens) < self._n_large]
        mask = self._pack(np.concatenate(small)) if small else np.zeros(self._n_words, np.int32)
        if len(small) < len(chosen):
            for number, tokens in zip(numbers, chosen, strict=True):
                if len(tokens) >= self._n_large:
                    if number not in self._large:
                        self._large[number] = self._pack(tokens)
                    mask |= self._large[number]
        return mask

    def _pack(self, tokens: Ints) -> Ints:
        self._legal[tokens.astype(np.intp)] = 1
        mask = np.packbits(self._legal, bitorder="little").view("<i4").astype(np.int32, copy=False)
        self._legal.fill(0)
        return mask
