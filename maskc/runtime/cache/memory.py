"""Memory for the masks of an artifact, which the next artifact takes over when it is let go of.

The system gives memory page by page, when it is first written to, and that takes ten times as long
as writing a mask. A server makes an artifact for each request, so what the last one has written to
is kept, if that is little, and lent again. It is free once nothing refers to the array any more: no
pool, no mask, and no table that an engine was given.

Example: a schema whose masks took 1 MB is done with; the next schema writes its masks to that 1 MB.
"""

from __future__ import annotations

import weakref
from collections import deque

import numpy as np
from numpy.typing import NDArray

_MOST_BYTES = 4 * 1024 * 1024  # written, of an array that is kept
_MOST_KEPT = 4  # arrays


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
    lent = _take(n_rows * n_words) or Lent(_allocate(n_rows, n_words))
    if not len(lent.memory):
        return lent.memory.reshape(0, n_words), lent
    # Over a view of the memory, so that arrays refer to this array, and this array is gone when the
    # last of them is; it is only then that the memory is free.
    whole = np.frombuffer(lent.memory.data, dtype=np.int32)
    weakref.finalize(whole, _take_back, lent).atexit = False
    return whole.reshape(-1, n_words), lent


def _take(n: int) -> Lent | None:
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
    if 0 < 4 * lent.n_written <= _MOST_BYTES:
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
