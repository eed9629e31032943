"""Which earlier states can a matcher go back to?

One state is logged for each accepted token. Forking a matcher and rolling many tokens back must
both be quick, so the log is a linked list of chunks that forks share.

Example: after 100 tokens a fork copies the 36 states of the newest chunk, and shares the 64 before.
"""

from __future__ import annotations

from typing import Any

CHUNK = 64
MAX_STATES = 65_536
MAX_CHUNKS = MAX_STATES // CHUNK


class UndoLog:
    """The states that a matcher can go back to, newest last; the last ``MAX_STATES`` at least.

    A fork copies one chunk at most, and going back over many states takes whole chunks away. These
    are freed one by one, as new states come: to free a thousand states at once takes longer than
    to go back over them.
    """

    __slots__ = ("_dropped", "_n_chunks", "_older", "_recent")

    def __init__(self) -> None:
        self._recent: list[Any] = []
        # Full chunks, newest first, as linked pairs; never changed.
        self._older: tuple[list[Any], Any] | None = None
        self._n_chunks = 0
        self._dropped: list[list[Any]] = []

    @property
    def n_states(self) -> int:
        """How many states it is possible to go back."""
        return self._n_chunks * CHUNK + len(self._recent)

    def append(self, state: object) -> None:
        """Add a state."""
        if len(self._recent) == CHUNK:
            self._older = (self._recent, self._older)
            self._recent = []
            self._n_chunks += 1
            if self._n_chunks > 2 * MAX_CHUNKS:
                self._drop_oldest()
        self._recent.append(state)
        if self._dropped:
            self._dropped.pop()

    def back(self, n: int) -> Any:
        """Remove the last ``n`` states, at least one, and return the oldest of them.

        Raises:
            ValueError: there are fewer.
        """
        if not 0 < n <= self.n_states:
            raise ValueError(f"cannot go back {n} of {self.n_states} states")
        recent = self._recent
        while n > len(recent) and self._older is not None:
            n -= len(recent)
            self._dropped.append(recent)
            recent, self._older = self._older
            self._n_chunks -= 1
        # A full chunk may be shared, so it is not cut in place.
        self._recent = recent[:-n]
        return recent[-n]

    def fork(self) -> UndoLog:
        """Return an independent copy."""
        copy = UndoLog()
        copy._older, copy._n_chunks = self._older, self._n_chunks
        copy._recent = self._recent.copy()
        return copy

    def _drop_oldest(self) -> None:
        """Keep the newest ``MAX_CHUNKS`` chunks only."""
        kept: list[list[Any]] = []
        chunk = self._older
        while chunk is not None and len(kept) < MAX_CHUNKS:
            kept.append(chunk[0])
            chunk = chunk[1]
        older: Any = None
        for states in kept[::-1]:
            older = (states, older)
        self._older, self._n_chunks = older, len(kept)
