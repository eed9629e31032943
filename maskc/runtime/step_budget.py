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

from maskc.errors import LimitError

USUAL_STEPS = 20_000_000  # in a program that waits for its own mask only
AT_ONCE = 128  # things that NumPy looks at in one step

_REMEDY = "let fewer parts that may be empty or alike stand side by side, and lower counts"


class _State(threading.local):
    left: int | None = None  # None: nothing is counted
    limit: int = USUAL_STEPS
    remedy: str = _REMEDY
    taken: int = 0


_state = _State()


class one_mask:  # noqa: N801  # it is used as a function
    """Count what is looked at in the block; inside of another such block it is that one's.

    Args:
        limit: in steps, ``None``: nothing is counted.
        remedy: what helps where there are too many, for the message.
    """

    # A generator as a context takes a third of the time of a mask that is known.
    __slots__ = ("_limit", "_remedy")

    def __init__(self, limit: int | None, remedy: str = _REMEDY) -> None:
        self._limit, self._remedy = limit, remedy

    def __enter__(self) -> None:
        if self._limit is None or _state.left is not None:
            self._limit = None
            return
        _state.left = _state.limit = self._limit
        _state.remedy = self._remedy

    def __exit__(self, *_error: object) -> None:
        left = _state.left
        if self._limit is not None and left is not None:
            _state.taken += self._limit - left
            _state.left = None


def count_taken() -> int:
    """Return how many steps this thread has taken for all masks so far."""
    return _state.taken


def charge_steps(n_steps: int) -> None:
    """Count some steps.

    Raises:
        LimitError: there were too many.
    """
    left = _state.left
    if left is None:
        return
    _state.left = left - n_steps
    if left < n_steps:
        raise LimitError("steps to find one mask", _state.limit, _state.remedy)


def charge_vector_steps(n: int) -> None:
    """Count things that are looked at in one call of NumPy.

    Raises:
        LimitError: there were too many.
    """
    charge_steps(1 + n // AT_ONCE)
