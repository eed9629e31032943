"""Results that depend on the top of a stack, remembered by as much of it as was looked at.

A result is kept in a tree whose edges are the states below the top, down to the lowest one that
was read while it was worked out. A later stack that agrees so far gets the same result, however
different it is below; one that differs there goes another way. How deep a result
looks may differ from stack to stack, but never for stacks that agree on what was read, so the
tree is always consistent.

A node is a dict by the state below, or a result. Where there is one way for two states and more, it
is a list of these, with what follows as its last item: the way to what a dedent did leads far down
and seldom branches.

Example: ``key → {5: "a", 7: [4, 4, 2, "b"]}``.
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.room import ENTRY_BYTES, LEVEL_BYTES, Memory

CHUNK = 64
MAX_STATES = 65_536
MAX_CHUNKS = MAX_STATES // CHUNK


class Stack:
    """A parser stack: its top, a refined state, and what lies below. Never changes."""

    __slots__ = ("below", "depth", "state")

    def __init__(self, state: int, below: Stack | None) -> None:
        self.state = state
        self.below = below
        self.depth: int = below.depth + 1 if below is not None else 0


class StackMemory(Memory):
    """Results by a key, which holds the top state, and the states below it.

    Results are neither dicts nor lists, nor ``None``.
    """

    __slots__ = ()

    def find(self, key: object, stack: Stack) -> Any:
        """Return the result, ``None`` if there is none."""
        found, below = self.young.get(key), stack
        while type(found) is dict:
            below = below.below  # type: ignore[assignment]  # as deep as when it was remembered
            found = found.get(below.state)
        if type(found) is list:
            found, _ = descend(found, below)
        return self.recall(key, stack) if found is None else found

    def recall(self, key: object, stack: Stack) -> Any:
        """Return a result of the old generation, which comes back into the young one."""
        # Asked once: another thread may begin a new generation at any time.
        node = self._old.get(key)
        if node is None:
            return None
        found, lowest = descend(node, stack)
        if found is not None:
            self.keep(key, stack, lowest.depth, found)
        return found

    def keep(self, key: object, stack: Stack, lowest: int, result: object) -> None:
        """Remember a result that read the stack down to a depth."""
        n_bytes = ENTRY_BYTES
        place, edge = self.young, key
        n_below = stack.depth - lowest
        while n_below > 0:
            node = place.get(edge)
            if type(node) is list:
                # Another way may begin as this one does.
                node = place[edge] = {node[0]: _way(node[1:])}
                n_bytes += LEVEL_BYTES
            elif type(node) is not dict:
                break
            place, stack = node, stack.below  # type: ignore[assignment]  # it was read
            edge = stack.state
            n_below -= 1
        if n_below > 0:
            n_bytes += LEVEL_BYTES
            way: list[Any] = []
            for _ in range(n_below):
                stack = stack.below  # type: ignore[assignment]
                way.append(stack.state)
            way.append(result)
            place[edge] = _way(way)
        else:
            place[edge] = result
        self.room.take(n_bytes)


def descend(node: Any, stack: Stack) -> tuple[Any, Stack]:
    """Return a node's result for the states below a stack's top, and the lowest it depends on.

    The result is ``None`` if there is none.
    """
    while True:
        if type(node) is dict:
            stack = stack.below  # type: ignore[assignment]  # as deep as when it was remembered
            node = node.get(stack.state)
        elif type(node) is list:
            for state in node[:-1]:
                stack = stack.below  # type: ignore[assignment]
                if stack.state != state:
                    return None, stack
            node = node[-1]
        else:
            return node, stack


def _way(items: list[Any]) -> Any:
    """Return the node of a way: its states, and what is at its end."""
    if len(items) > 2:
        return items
    return {items[0]: items[1]} if len(items) == 2 else items[0]


class History:
    """The states that a matcher can go back to, newest last; the last ``MAX_STATES`` at least.

    Kept in chunks that forks share: a fork copies one chunk at most, and going back over many
    states takes whole chunks away. What was taken away is let go of chunk by chunk, with the states
    that come next: to free a thousand states at once takes longer than to go back over them.
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
        """Remember one more state."""
        if len(self._recent) == CHUNK:
            self._older = (self._recent, self._older)
            self._recent = []
            self._n_chunks += 1
            if self._n_chunks > 2 * MAX_CHUNKS:
                self._forget_oldest()
        self._recent.append(state)
        if self._dropped:
            self._dropped.pop()

    def back(self, n: int) -> Any:
        """Forget the last ``n`` states, at least one, and return the oldest of them.

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

    def fork(self) -> History:
        """Return an independent copy."""
        copy = History()
        copy._older, copy._n_chunks = self._older, self._n_chunks
        copy._recent = self._recent.copy()
        return copy

    def _forget_oldest(self) -> None:
        """Keep the newest chunks only."""
        kept: list[list[Any]] = []
        chunk = self._older
        while chunk is not None and len(kept) < MAX_CHUNKS:
            kept.append(chunk[0])
            chunk = chunk[1]
        self._older, self._n_chunks = None, len(kept)
        for states in reversed(kept):
            self._older = (states, self._older)
