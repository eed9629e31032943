"""Which earlier states can a matcher go back to?

One state is logged for each accepted token. Forking a matcher and rolling many tokens back must
both be quick, so the log is a linked list of chunks that forks share. The newest states are kept as
they are. Of each chunk only the first state is kept, and what was taken since: whoever goes back
there takes it again. For a state is some objects, and Python's garbage collector looks at all
objects of a process each time it runs, but not at numbers.

Example: after 200 tokens the states before the last 8 are kept, and those before the
first, the 65th, the 129th and the 193rd. A fork copies what has come since the 193rd, and shares
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

CHUNK = 64
N_RECENT = 8
MAX_STATES = 65_536
MAX_CHUNKS = MAX_STATES // CHUNK

# The state before the first of a chunk's tokens, and what was taken: tokens, or bytes.
_Chunk = tuple[Any, tuple[int | bytes, ...]]


class UndoLog:
    """The states that a matcher can go back to, newest last; the last ``MAX_STATES`` at least.

    A fork copies one chunk at most, and going back over many states takes whole chunks away. These
    are freed one by one, as new states come: to free a thousand states at once takes longer than
    to go back over them.
    """

    __slots__ = ("_dropped", "_first", "_n_chunks", "_older", "_recent", "_taken")

    def __init__(self) -> None:
        # The newest states: N_RECENT at most.
        self._recent: list[Any] = []
        # The newest chunk: the state before it, and what was taken since.
        self._first: Any = None
        self._taken: list[int | bytes] = []
        # Full chunks, newest first, as linked pairs; never changed.
        self._older: Any = None
        self._n_chunks = 0
        self._dropped: list[_Chunk] = []

    @property
    def n_states(self) -> int:
        """How many states it is possible to go back."""
        return self._n_chunks * CHUNK + len(self._taken)

    def append(self, state: object, taken: int | bytes) -> None:
        """Add a state, and the token or the bytes that were taken in it."""
        if not self._taken:
            self._first = state
        elif len(self._taken) == CHUNK:
            self._older = ((self._first, tuple(self._taken)), self._older)
            self._first, self._taken = state, []
            self._n_chunks += 1
            if self._n_chunks > 2 * MAX_CHUNKS:
                self._drop_oldest()
        self._taken.append(taken)
        self._recent.append(state)
        if len(self._recent) > N_RECENT:
            del self._recent[0]
        if self._dropped:
            self._dropped.pop()

    def back(self, n: int, take: Callable[[Any, int | bytes], Any]) -> Any:
        """Remove the last ``n`` states, at least one, and return the oldest of them.

        Args:
            n: how many.
            take: a state and what was taken in it → the state after it.

        Raises:
            ValueError: there are fewer; nothing is changed.
        """
        if not 0 < n <= self.n_states:
            raise ValueError(f"cannot go back {n} of {self.n_states} states")
        first, older = self._first, self._older
        taken: Sequence[int | bytes] = self._taken
        dropped: list[_Chunk] = []
        n_left = n
        while n_left > len(taken):
            n_left -= len(taken)
            dropped.append((first, tuple(taken)))
            (first, taken), older = older
        remaining = list(taken[: len(taken) - n_left])
        if n <= len(self._recent):
            state, recent = self._recent[-n], self._recent[:-n]
        else:
            state, recent = first, []
            for one in remaining:
                recent.append(state)
                state = take(state, one)
        # Only now: taking may be interrupted.
        self._recent = recent[-N_RECENT:]
        self._first, self._taken, self._older = first, remaining, older
        self._n_chunks -= len(dropped)
        self._dropped += dropped
        return state

    def fork(self) -> UndoLog:
        """Return an independent copy."""
        copy = UndoLog()
        copy._first, copy._older, copy._n_chunks = self._first, self._older, self._n_chunks
        copy._recent, copy._taken = self._recent.copy(), self._taken.copy()
        return copy

    def _drop_oldest(self) -> None:
        """Keep the newest ``MAX_CHUNKS`` chunks only."""
        kept: list[_Chunk] = []
        chunk = self._older
        while chunk is not None and len(kept) < MAX_CHUNKS:
            kept.append(chunk[0])
            chunk = chunk[1]
        self._older, self._n_chunks = None, len(kept)
        for states in kept[::-1]:
            self._older = (states, self._older)
