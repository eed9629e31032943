"""The undo log: the earlier states that a matcher can go back to.

One state is logged for each accepted token. Forking a matcher and rolling many tokens back must
both be quick, so the log is cut into chunks, which forks share. The newest states are kept as they
are. Of the others one in ``STEP`` is kept, a *mark*, and all that was taken: whoever goes back
takes again what came after the nearest mark. Of what is far back each chunk keeps its first mark
alone. For a state is some objects, and Python's garbage collector looks at all objects of a process
each time it runs, but not at numbers.

Example: after 200 tokens the states before the last 8 are kept, and those before the first, the
9th, the 17th and so on. Going back 100 tokens takes four tokens again, those after the 97th.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

STEP: Final = 8
CHUNK: Final = 64
N_DENSE: Final = 32  # chunks that keep all their marks
MAX_STATES: Final = 65_536
MAX_CHUNKS: Final = MAX_STATES // CHUNK

# Marks: the states before every STEP-th token of a chunk; and what was taken: tokens, or bytes.
_Chunk = tuple[Sequence[Any], Sequence[int | bytes]]


class UndoLog:
    """The states that a matcher can go back to, newest last; the last ``MAX_STATES`` at least.

    A fork copies short lists, and going back over many states takes whole chunks away. These are
    freed one by one, as new states come: to free a thousand states at once takes longer than to go
    back over them.
    """

    __slots__ = ("_chunks", "_dropped", "_marks", "_n_older", "_older", "_states", "_taken")

    def __init__(self) -> None:
        # The newest states, less than 2 * STEP; the first of them would be the next mark.
        self._states: list[Any] = []
        # The newest chunk: its marks, and what was taken since the first of them.
        self._marks: list[Any] = []
        self._taken: list[int | bytes] = []
        # Full chunks: the N_DENSE newest, newest last; and the others, newest first, as linked
        # pairs, with one mark each. Chunks are never changed.
        self._chunks: list[_Chunk] = []
        self._older: Any = None
        self._n_older = 0
        self._dropped: list[Any] = []

    @property
    def n_states(self) -> int:
        """How many states it is possible to go back."""
        return (self._n_older + len(self._chunks)) * CHUNK + len(self._taken)

    def append(self, state: object, taken: int | bytes) -> None:
        """Add a state, and the token or the bytes that were taken in it."""
        self._taken.append(taken)
        self._states.append(state)
        if len(self._states) == 2 * STEP:
            self._mark()
        if self._dropped:
            self._dropped.pop()

    def _mark(self) -> None:
        """Keep one of the oldest of the newest states, and a chunk of its own if it is full."""
        self._marks.append(self._states[0])
        del self._states[:STEP]
        if len(self._marks) * STEP < CHUNK:
            return
        self._chunks.append((tuple(self._marks), tuple(self._taken[:CHUNK])))
        self._marks = []
        del self._taken[:CHUNK]
        if len(self._chunks) > N_DENSE:
            marks, taken = self._chunks.pop(0)
            self._older = ((marks[:1], taken), self._older)
            self._n_older += 1
            if self._n_older + N_DENSE > 2 * MAX_CHUNKS:
                self._drop_oldest()

    def back(self, n: int, take: Callable[[Any, Sequence[int | bytes]], list[Any]]) -> Any:
        """Remove the last ``n`` states, at least one, and return the oldest of them.

        Args:
            n: how many.
            take: a state, and what was taken from there on → this state and the one after each.

        Raises:
            ValueError: there are fewer; nothing is changed.
        """
        if not 0 < n <= self.n_states:
            raise ValueError(f"cannot go back {n} of {self.n_states} states")
        if n <= len(self._states):
            state = self._states[-n]
            del self._states[-n:], self._taken[-n:]
            return state
        n_left, n_chunks = n - len(self._taken), len(self._chunks)
        marks: Sequence[Any] = self._marks
        taken: Sequence[int | bytes] = self._taken
        older, n_older = self._older, self._n_older
        dropped: list[Any] = []
        if n_left > 0:
            n_undone = min(-(-n_left // CHUNK), n_chunks)
            n_chunks -= n_undone
            n_left -= n_undone * CHUNK
            if n_undone:
                marks, taken = self._chunks[n_chunks]
            while n_left > 0:
                (marks, taken), older = older
                dropped.append((marks, taken))
                n_older -= 1
                n_left -= CHUNK
        n_kept = -n_left if taken is not self._taken else len(taken) - n
        n_marks = min(n_kept // STEP, len(marks) - 1)
        states = take(marks[n_marks], taken[n_marks * STEP : n_kept])
        state = states.pop()
        # Only now: taking may be interrupted.
        dropped += self._chunks[n_chunks:]
        dropped.append((self._marks, self._states, self._taken))
        del self._chunks[n_chunks:]
        n_marked = len(states) // STEP * STEP  # none, but for chunks with one mark
        self._marks = [*marks[:n_marks], *states[:n_marked:STEP]]
        self._states, self._taken = states[n_marked:], list(taken[:n_kept])
        self._older, self._n_older = older, n_older
        self._dropped += dropped
        return state

    def fork(self) -> UndoLog:
        copy = UndoLog()
        copy._states, copy._marks = self._states.copy(), self._marks.copy()
        copy._taken, copy._chunks = self._taken.copy(), self._chunks.copy()
        copy._older, copy._n_older = self._older, self._n_older
        return copy

    def _drop_oldest(self) -> None:
        """Keep the newest ``MAX_CHUNKS`` of the older chunks only."""
        kept: list[_Chunk] = []
        chunk = self._older
        while chunk is not None and len(kept) < MAX_CHUNKS:
            kept.append(chunk[0])
            chunk = chunk[1]
        self._older, self._n_older = None, len(kept)
        for states in kept[::-1]:
            self._older = (states, self._older)
