"""Stores thousands of masks that are nearly equal, as differences.

A union of few tokens is kept as the words of a mask that it touches. A larger one is kept as the
words in which it differs from a *base*, a mask that is kept whole; where no base is near, it
becomes one. Where a union differs from another one, its *parent*, in far fewer words, it has the
parent's base and changes, and then its own; a word that is changed twice is as the last change
says. What a word of the base is changed by is one of few *changes*, which very many unions share: a
change is kept once, and a union is a list of their numbers. Reading a union back costs a copy of
16 KB and a few hundred words, however many sets were united.

A parent is looked for among unions that agree with a mask in blocks of words: each block of 63
words has a number, and the union that shares most of them is near.

Example: after each of two names, of which only one may be followed by ``:=``, the masks differ in
ten words. Of python.lark's 10,061 unions for 128,000 tokens half differ from an earlier one in no
more than five, of the 4,008 that a mask has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import MAX_PARENTS, narrow
from maskc.compiler.rows.token_sets import TokenSets
from maskc.ids import NO_BASE, NO_PARENT

Ints = NDArray[np.int32]
Narrow = NDArray[np.uint16] | NDArray[np.uint32]

_NEAR = 8  # a difference in more than 1 / 8 of the words is another base
_BLOCKS = 64  # of a mask, that are compared by number
_CLOSEST = 3  # unions that are compared in full
_EACH_PARENT = 96  # words that it must save: reading a list takes as long
_SIGN, _HALF, _MASK = 1 << 31, 1 << 63, (1 << 64) - 1
_MIX = 0x9E3779B97F4A7C15  # odd: its multiples are spread over 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class Unions:
    """Masks as differences. A mask with no base has no tokens but those of its words."""

    number_of: Ints  # int32[n], the union that each of the given lists became; equal masks are one
    base: Ints  # int32[n_unions], a row of masks or NO_BASE
    # int32[n_unions], an earlier union with the same base, whose changes come first, or NO_PARENT.
    # There are at most MAX_PARENTS from one to the next
    parent: Ints
    first: Ints  # int32[n_unions + 1], the changes of a union are `first[u] : first[u + 1]`
    # uint16[…], indices of word and bits, ascending within a union; uint32 if 16 bits do not hold
    # them all
    change: Narrow
    word: Narrow  # uint16[n_changes], which word of a mask, ascending; uint32 likewise
    bits: Ints  # int32[n_changes], what is changed there of the base's word
    masks: Ints  # int32[n_bases, ceil(vocab_size / 32)]


def encode_unions(unions: Sequence[tuple[int, ...]], sets: TokenSets, vocab_size: int) -> Unions:
    """Return the unions of token sets, each given as numbers of ``sets``."""
    n_words = -(-vocab_size // 32)
    kept = _Kept(n_words)
    number_of = np.array([kept.add(union, sets) for union in unions], dtype=np.int32)
    changes = np.concatenate([*kept.changes, np.zeros(0, dtype=np.int64)])
    distinct, change = np.unique(changes, return_inverse=True)
    return Unions(
        number_of=number_of,
        base=np.array(kept.base, dtype=np.int32),
        parent=np.array(kept.parent, dtype=np.int32),
        first=np.cumsum([0, *map(len, kept.changes)]).astype(np.int32),
        change=narrow(change.reshape(-1)),
        word=narrow(distinct >> 32),
        bits=(distinct & 0xFFFFFFFF).astype(np.uint32).view(np.int32),
        masks=kept.list_bases(),
    )


class _Kept:
    """Distinct masks, as they are kept."""

    def __init__(self, n_words: int) -> None:
        # base, parent: by number, as in Unions
        self.base: list[int] = []
        self.parent: list[int] = []
        # by number, int64[n]: a word in the upper 32 bits, its change in the lower ones
        self.changes: list[NDArray[np.int64]] = []
        self._n_words = n_words
        self._fewest = min(_EACH_PARENT, n_words // _NEAR // 2)
        self._bases: list[Ints] = []
        self._n_parents: list[int] = []
        self._number: dict[bytes, int] = {}  # masks of few words, as their changes
        self._same_blocks: dict[bytes, list[int]] = {}  # numbers of blocks → numbers of masks
        n_each = max(1, -(-n_words // _BLOCKS))
        self._blocks = np.zeros((-(-n_words // n_each), n_each), dtype=np.int64)
        self._factors_of = [(word + 1) * _MIX & _HALF - 1 for word in range(n_each)]
        self._factors = np.array(self._factors_of, dtype=np.int64)
        self._block_numbers = np.arange(len(self._blocks), dtype=np.int64)
        self._with_block: dict[int, int] = {}  # the last one with it

    def add(self, union: tuple[int, ...], sets: TokenSets) -> int:
        """Return the number of a union of token sets; equal masks have one."""
        few = sets.list_words(union, self._fewest)
        if few is not None:
            return self._add_few(few)
        mask = sets.mark(union, self._n_words)
        words = mask.nonzero()[0]
        if len(words) <= self._fewest:
            values = mask[words].view(np.uint32)
            return self._add_few(dict(zip(words.tolist(), values.tolist(), strict=True)))
        blocks = self._number_blocks(mask)
        candidates = self._same_blocks.setdefault(blocks.tobytes(), [])
        for number in candidates:
            if np.array_equal(self.read(number), mask):
                return number
        candidates.append(len(self.base))
        parent, base, nearest = self._find_parent(mask, blocks.tolist(), len(words))
        words = words if nearest is None else (nearest != mask).nonzero()[0]
        if len(words) > self._n_words // _NEAR:
            parent, base, words = NO_PARENT, len(self._bases), words[:0]
            self._bases.append(mask)
        changed = mask[words] if base == NO_BASE else mask[words] ^ self._bases[base][words]
        return self._keep(parent, base, words << 32 | changed.view(np.uint32), blocks.tolist())

    def _add_few(self, words: dict[int, int]) -> int:
        """Return the number of a mask of few words, and their bits: to read a parent takes more."""
        changes = np.array([word << 32 | bits for word, bits in words.items()], dtype=np.int64)
        content = changes.tobytes()
        number = self._number.get(content)
        if number is None:
            blocks, n_each = list(range(len(self._blocks))), len(self._factors)
            for word, bits in words.items():  # as NumPy numbers them
                value = (bits ^ _SIGN) - _SIGN
                blocks[word // n_each] += value * self._factors_of[word % n_each]
            for block in {word // n_each for word in words}:
                blocks[block] = (blocks[block] + _HALF & _MASK) - _HALF
            number = self._number[content] = self._keep(NO_PARENT, NO_BASE, changes, blocks)
        return number

    def _keep(
        self, parent: int, base: int, changes: NDArray[np.int64], blocks: Sequence[int]
    ) -> int:
        number = len(self.base)
        self.base.append(base)
        self.parent.append(parent)
        self._n_parents.append(0 if parent == NO_PARENT else self._n_parents[parent] + 1)
        self.changes.append(changes)
        self._with_block.update(dict.fromkeys(blocks, number))
        return number

    def read(self, number: int) -> Ints:
        """Return a new int32[n_words], the mask with a number."""
        base, chain = self.base[number], [self.changes[number]]
        while self.parent[number] != NO_PARENT:
            number = self.parent[number]
            chain.append(self.changes[number])
        changes = np.concatenate(chain[::-1])
        mask = np.zeros(self._n_words, np.int32) if base == NO_BASE else self._bases[base].copy()
        # Of a word that is there twice, the last change is written last.
        mask[changes >> 32] ^= (changes & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
        return mask

    def list_bases(self) -> Ints:
        """Return int32[n_bases, n_words]."""
        return np.array(self._bases, dtype=np.int32).reshape(len(self._bases), self._n_words)

    def _number_blocks(self, mask: Ints) -> NDArray[np.int64]:
        """Return int64[n_blocks], equal for equal blocks with the same number."""
        self._blocks.reshape(-1)[: self._n_words] = mask
        return self._blocks @ self._factors + self._block_numbers

    def _find_parent(
        self, mask: Ints, blocks: list[int], least: int
    ) -> tuple[int, int, Ints | None]:
        """Return the best parent and base of a mask, and what it is then held against, if anything.

        The best one has few words that differ, and few parents itself: each is a list to be read.
        ``least`` is how many words the mask has.
        """
        # Words are counted, which takes a tenth of listing them, and those of the best one listed.
        found: tuple[int, int, Ints | None] = (NO_PARENT, NO_BASE, None)
        votes = Counter(map(self._with_block.get, blocks, repeat(NO_PARENT)))
        del votes[NO_PARENT]  # of blocks that no mask has had
        compared = {NO_BASE}
        for parent, _ in sorted(votes.items(), key=itemgetter(1), reverse=True)[:_CLOSEST]:
            while self._n_parents[parent] >= MAX_PARENTS:
                parent = self.parent[parent]
            base, reading = self.base[parent], _EACH_PARENT * (self._n_parents[parent] + 1)
            if reading < least:
                other = self.read(parent)
                n_words = int(np.count_nonzero(other != mask))
                if n_words + reading < least:
                    least, found = n_words + reading, (parent, base, other)
            if base not in compared:
                compared.add(base)
                n_words = int(np.count_nonzero(self._bases[base] != mask))
                if n_words < least:
                    least, found = n_words, (NO_PARENT, base, self._bases[base])
        return found
