"""The step budget of one mask, and of accepting one token.

What a request brings is not trusted, and a mask that nobody has asked for before is found while
other requests wait. So what is looked at for it is counted: nodes of the tokens' trie, states of
automata that are made, ways to read a text, stacks of a general parser; where thousands of them are
looked at in one call of NumPy, a part of them. Beyond the limit there is a ``LimitError``, with
which an engine ends that request. A step takes one to two microseconds.

What was found before the end is kept and right, so the same mask may be found when it is asked for
again.

Example: in ``with one_mask(100):`` a hundred and one calls of ``charge_steps(1)`` are too many;
outside of it they are not counted.
"""

from __future__ import annotations

import threading
from typing import Final

from maskc.errors import LimitError

STEPS: Final = "steps to find one mask"  # what an error says that there are too many of
USUAL_STEPS = 20_000_000  # in a program that waits for its own mask only
AT_ONCE: Final = 128  # things that NumPy looks at in one step

_REMEDY = "let fewer parts that may be empty or alike stand side by side, and lower counts"


class _Count:
    """What one thread counts."""

    __slots__ = ("is_open", "left", "limit", "remedy", "taken")

    def __init__(self) -> None:
        self.is_open = False  # whether anything is counted
        self.left = 0
        self.limit, self.remedy = USUAL_STEPS, _REMEDY
        self.taken = 0


_threads = threading.local()  # of each thread that has counted: its count


class one_mask:  # noqa: N801  # it is used as a function
    """Count what is looked at in the block; inside of another such block it is that one's.

    Args:
        limit: in steps, ``None``: nothing is counted.
        remedy: what helps where there are too many, for the message.
    """

    # A generator as a context takes a third of the time of a mask that is known.
    __slots__ = ("_count", "_limit", "_remedy")

    def __init__(self, limit: int | None, remedy: str = _REMEDY) -> None:
        self._limit, self._remedy = limit, remedy
        self._count: _Count | None = None  # which the block has opened

    def __enter__(self) -> None:
        if self._limit is None:
            return
        count: _Count | None = getattr(_threads, "count", None)
        if count is None:
            count = _threads.count = _Count()
        if not count.is_open:
            count.is_open, count.left, count.limit = True, self._limit, self._limit
            count.remedy = self._remedy
            self._count = count

    def __exit__(self, *_error: object) -> None:
        count = self._count
        if count is not None:
            count.taken += count.limit - count.left
            count.is_open = False


def count_taken() -> int:
    """Return how many steps this thread has taken for all masks so far."""
    count: _Count | None = getattr(_threads, "count", None)
    return 0 if count is None else count.taken


def charge_steps(n_steps: int) -> None:
    """Count some steps.

    Raises:
        LimitError: there were too many.
    """
    count: _Count | None = getattr(_threads, "count", None)
    if count is not None and count.is_open:
        count.left -= n_steps
        if count.left < 0:
            raise LimitError(STEPS, count.limit, count.remedy)


def charge_vector_steps(n: int) -> None:
    """Count things that are looked at in one call of NumPy.

    Raises:
        LimitError: there were too many.
    """
    charge_steps(1 + n // AT_ONCE)
