"""Each distinct mask of an artifact once, by number; and each union of token sets once.

Masks are numbered in the order in which they are first composed; number 0 is the mask after the
end of a sequence. A numbered mask is kept for good, in one array, so a number means the same mask
as long as the process lives: a server keeps the array on its device, adds the rows that it lacks,
and sends one number a sequence instead of a mask.

What the decision graph says of a configuration is a set of unions of tokens, and whether the text
may end. Different configurations have the same set, and different sets the same tokens.

Example: two sequences that stand at different positions of a JSON text, each inside a string, share
one mask and one number.

Numbered masks take half of an artifact's ``cache_bytes``. Masks that are composed when that is used
up have the number -1, and are evicted when they take an eighth. All else has three eighths, of
which what is known of the ends of texts takes one, once somebody has asked with ``tokens_left``.

The system gives memory page by page, when it is first written to, and that takes ten times as long
as writing a mask. A server makes an artifact for each request, so what the last one has written to
is kept, if that is little, and the next one takes it over. It is free once nothing refers to the
array any more: no pool, no mask, and no table that an engine was given.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.graph import Mask, Unions

MAX_NUMBERED: Final = 65_536
_MASK_BYTES: Final = 500  # of the objects around a mask's words
_MOST_UNITED: Final = 8_192
_PAGE: Final = 1024  # words of memory's pages, at least
NO_NUMBER: Final = -1
_ALL: Final = (1 << 61) - 1
_MOST_KEPT_BYTES: Final = 4 * 1024 * 1024  # written, of an array that is kept
_MOST_KEPT: Final = 4  # arrays

_log = logging.getLogger(__name__)


@mypyc_attr(acyclic=True)
class PooledMask:
    """A mask that is shared by all configurations that have it."""

    __slots__ = ("begins", "data", "number", "words")

    def __init__(self, words: Mask, number: int) -> None:
        self.words = words  # int32[ceil(vocab_size / 32)], not to be written to
        self.data = words.data  # their memory
        self.number = number  # its row in the pool's array, or NO_NUMBER
        # the byte that all its tokens begin with, negative: none; None: not looked at
        self.begins: int | None = None


class MaskPool:
    """The distinct masks of one artifact. Masks may be added from any thread.

    Args:
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: half of it is for numbered masks, an eighth for the others.
        steps: the limit for one mask, see :mod:`maskc.runtime.step_budget`; ``None``: steps are not
            counted, as where a grammar that was compiled ahead bounds them.
        budget: of all else that is cached; ``None``: it is not the pool's concern.
        n_ready: for how many masks memory is written to at once. The system gives it in pages of
            up to 2 MB when they are first written to, and one fill in 128 would take a quarter of a
            millisecond longer.

    Attributes:
        eos_ids, cache_bytes, steps, budget: as given.
        n_words: of a mask.
        rows: int32[n_rows, n_words]: the numbered masks, and after them the rows for those to come.
        n_numbered: how many there are.
        end_only: the mask of the end-of-sequence tokens.
        endings: :class:`maskc.runtime.budget.SharedEndings`, once somebody has asked.
    """

    def __init__(
        self,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
        *,
        steps: int | None = None,
        budget: Budget | None = None,
        n_ready: int = 0,
    ) -> None:
        self.eos_ids, self.cache_bytes, self.steps = eos_ids, cache_bytes, steps
        self.budget = budget
        self.endings: Any = None
        self.n_words = -(-vocab_size // 32)
        self._limit = cache_bytes // 8
        n_rows = min(MAX_NUMBERED, cache_bytes // 2 // (4 * self.n_words))
        # Reserved at once, as a longer array later on would hold up a fill for as long as it takes
        # to copy this one; what is not written to takes no memory.
        self.rows, self._lent = reserve_rows(n_rows, self.n_words)
        self.rows.reshape(-1)[: n_ready * self.n_words : _PAGE] = 0
        self._lent.n_written = max(self._lent.n_written, n_ready * self.n_words)
        self.n_numbered: int = 0
        self._n_bytes = 0
        self._has_told = False
        self._lock = threading.Lock()
        self._weights = _draw_weights(self.n_words)
        # The first mask of each sum; and those whose sum was there, by Python's hash.
        self._by_sum: dict[int, PooledMask] = {}
        self._by_hash: dict[int, list[PooledMask]] = {}
        self._united: dict[frozenset[PooledMask], PooledMask] = {}
        self.end_only = self.share(_pack_ends(self.n_words, eos_ids))

    @property
    def n_bytes(self) -> int:
        """What the masks take, with and without a number."""
        return self.n_numbered * 4 * self.n_words + self._n_bytes

    @property
    def is_full(self) -> bool:
        """Whether masks without a number take more than their share: then :meth:`forget` them."""
        return self._n_bytes > self._limit

    def share(self, words: Mask) -> PooledMask:
        """Return the mask with these words, which is made if there is none."""
        return self.change(words, self.sum(words), (), ())

    def change(
        self, words: Mask | None, total: int, more: Sequence[int], less: Sequence[int]
    ) -> PooledMask:
        """Return the mask with some words but for a few tokens.

        Args:
            words: ``None``: no token at all.
            total: their :meth:`sum`, 0 of no token.
            more: ids of tokens that it has, too.
            less: of tokens that it lacks, of which none is among ``more``.
        """
        made = self._find_or_add(words, total, more, less)
        if made.number == NO_NUMBER and not self._has_told:
            self._has_told = True
            _log.info(
                "%d masks have a number, and there is no room for more in this artifact's "
                "cache_bytes: others are composed again when they are needed",
                self.n_numbered,
            )
        return made

    def _find_or_add(
        self, words: Mask | None, total: int, more: Sequence[int], less: Sequence[int]
    ) -> PooledMask:
        with self._lock:
            number = self.n_numbered
            if number < len(self.rows):
                # If the mask is there, the next one is written to the same row.
                row = self.rows[number]
                self._lent.n_written = max(self._lent.n_written, (number + 1) * self.n_words)
            else:
                number = NO_NUMBER
                row = np.empty(self.n_words, dtype=np.int32)
            row[:] = 0 if words is None else words
            if more:
                total = self._set(row, total, more)
            if less:
                total = self._clear(row, total, less)
            first = self._by_sum.get(total)
            if first is not None and first.words.tobytes() == row.tobytes():
                return first
            if first is not None or self._by_hash:
                for known in self._by_hash.get(hash(row.tobytes()), ()):
                    if known.words.tobytes() == row.tobytes():
                        return known
            if number == NO_NUMBER:
                self._n_bytes += row.nbytes + _MASK_BYTES
            row.setflags(write=False)
            made = PooledMask(row, number)
            if first is None:
                self._by_sum[total] = made
            else:
                self._by_hash.setdefault(hash(row.tobytes()), []).append(made)
            # Only once the row is written: a thread that reads the number finds the mask.
            self.n_numbered += number != NO_NUMBER
            return made

    def _set(self, row: Mask, total: int, tokens: Sequence[int]) -> int:
        """Add tokens to a row, and return its sum."""
        bits, weights = row.data.cast("B"), self._weights.data
        for token in tokens:
            before, bit = bits[token >> 3], 1 << (token & 7)
            if not before & bit:
                bits[token >> 3] = before | bit
                total = total + (weights[token >> 5] << (token & 31)) & _ALL
        return total

    def _clear(self, row: Mask, total: int, tokens: Sequence[int]) -> int:
        """Take tokens out of a row, and return its sum."""
        bits, weights = row.data.cast("B"), self._weights.data
        for token in tokens:
            before, bit = bits[token >> 3], 1 << (token & 7)
            if before & bit:
                bits[token >> 3] = before & ~bit
                total = total - (weights[token >> 5] << (token & 31)) & _ALL
        return total

    def sum(self, words: Mask) -> int:
        """Return a number of some words, equal for few others: words times random numbers.

        What few tokens add to it is known without the others, which no hash of 16 KB has. Python's
        own hash is asked where two masks have one sum. Both factors are so small that what a token
        adds, and the sum, are numbers that take no memory.
        """
        return int(np.dot(words.view("<u4").astype(np.uint64), self._weights)) & _ALL

    def unite(self, masks: Iterable[PooledMask]) -> PooledMask:
        """Return the mask of all tokens that are in one of several masks, at least one."""
        key = frozenset(masks)
        if len(key) == 1:
            return next(iter(key))
        found = self._united.get(key)
        if found is None:
            words, *others = [mask.words for mask in key]
            words = words.copy()
            for other in others:
                np.bitwise_or(words, other, out=words)
            found = self.share(words)
            with self._lock:
                if len(self._united) >= _MOST_UNITED:
                    self._united.clear()
                self._united[key] = found
        return found

    def forget(self) -> None:
        """Evict the masks without a number."""
        with self._lock:
            self._united.clear()
            self._by_sum = {
                key: mask for key, mask in self._by_sum.items() if mask.number != NO_NUMBER
            }
            for key in list(self._by_hash):
                kept = [mask for mask in self._by_hash[key] if mask.number != NO_NUMBER]
                if kept:
                    self._by_hash[key] = kept
                else:
                    del self._by_hash[key]
            self._n_bytes = 0

    def table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the numbered masks from a number on, as they are now; they cannot be written to.

        Over memory that is read-only in itself, as the flag of an array can be set again.
        """
        rows = self.rows[first : self.n_numbered]
        if not len(rows):
            return np.empty(rows.shape, dtype=np.int32)
        return np.frombuffer(rows.data.toreadonly(), dtype=np.int32).reshape(rows.shape)


@functools.lru_cache(maxsize=8)
def _pack_ends(n_words: int, eos_ids: tuple[int, ...]) -> Mask:
    """Return the mask of the end-of-sequence tokens."""
    ends = np.zeros(n_words * 32, dtype=np.bool_)
    ends[list(eos_ids)] = True
    return np.packbits(ends, bitorder="little").view("<i4")


@functools.cache
def _draw_weights(n: int) -> NDArray[np.uint64]:
    """Return n odd numbers below 2 ** 29 at random, the same ones for all masks of the process.

    They are kept, as sums of rows are that pools share.
    """
    drawn = np.frombuffer(os.urandom(4 * n), dtype="<u4") >> np.uint32(3)
    return (drawn | np.uint32(1)).astype(np.uint64)


Unite = Callable[[Unions, int], Mask]


class MaskComposer:
    """Makes the masks of one artifact.

    Args:
        unite: unions, words of a mask → a new mask of all their tokens.
        pool: the distinct masks.
        budget: what cached sets of unions are charged to.
    """

    def __init__(self, unite: Unite, pool: MaskPool, budget: Budget) -> None:
        self._unite, self._pool, self._budget = unite, pool, budget
        self._masks = Cache(budget, _measure)  # (unions, whether the text may end) → mask

    def evict_if_full(self) -> None:
        """Evict everything if masks without a number take more than their share."""
        if self._pool.is_full:
            self._pool.forget()
            self._budget.clear()

    def compose(self, unions: Iterable[int], *, can_finish: bool) -> PooledMask:
        """Return the mask of all tokens of some unions, with the ends if the text may end."""
        key = (frozenset(unions), can_finish)
        mask: PooledMask | None = self._masks.get(key)
        if mask is None:
            words = self._unite(key[0], self._pool.n_words)
            if can_finish:
                words |= self._pool.end_only.words
            mask = self._pool.share(words)
            self._masks.put(key, mask)
        return mask


def _measure(key: tuple[Unions, bool], _: PooledMask) -> int:
    return ENTRY_BYTES + sys.getsizeof(key[0])


class Lent:
    """Memory that is lent.

    Args:
        memory: int32[n], all of it.
    """

    __slots__ = ("memory", "n_written")

    def __init__(self, memory: NDArray[np.int32]) -> None:
        self.memory = memory
        self.n_written = 0  # how many words from the first on were ever written to


# The last ones that were let go of, written to by any thread.
_kept: deque[Lent] = deque(maxlen=_MOST_KEPT)


def reserve_rows(n_rows: int, n_words: int) -> tuple[NDArray[np.int32], Lent]:
    """Return int32[n_rows, n_words] that nobody else has, with any content, and its memory.

    There are half as many rows, and so on, where the system has not so much memory.
    """
    if not n_rows * n_words:
        return np.empty((n_rows, n_words), dtype=np.int32), Lent(np.empty(0, dtype=np.int32))
    lent = _take_free(n_rows * n_words) or Lent(_allocate(n_rows, n_words))
    if not len(lent.memory):
        return lent.memory.reshape(0, n_words), lent
    # Over a view of the memory, so that arrays refer to this array, and this array is gone when the
    # last of them is; it is only then that the memory is free.
    whole = np.frombuffer(lent.memory.data, dtype=np.int32)
    weakref.finalize(whole, _take_back, lent).atexit = False
    return whole.reshape(-1, n_words), lent


def _take_free(n: int) -> Lent | None:
    """Return memory that is free, of so many words; ``None`` without one."""
    for lent in list(_kept):
        if len(lent.memory) == n:
            try:
                _kept.remove(lent)
            except ValueError:
                continue  # another thread was faster
            return lent
    return None


def _take_back(lent: Lent) -> None:
    if 0 < 4 * lent.n_written <= _MOST_KEPT_BYTES:
        _kept.append(lent)


def _allocate(n_rows: int, n_words: int) -> NDArray[np.int32]:
    while True:
        try:
            return np.empty(n_rows * n_words, dtype=np.int32)
        except MemoryError:
            # What is kept may be what is lacking.
            if not n_rows and not _kept:
                raise
            n_rows = n_rows if _kept else n_rows // 2
            _kept.clear()
