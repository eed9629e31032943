"""Results that depend on the top of a stack, remembered by as much of it as was looked at.

A result is kept in a tree whose edges are the states below the top, down to the lowest one that
was read while it was worked out. A later stack that agrees so far gets the same result, however
different it is below; one that differs there goes another way. How deep a result
looks may differ from stack to stack, but never for stacks that agree on what was read, so the
tree is always consistent.
"""

from __future__ import annotations

from typing import Any

CHUNK = 64


class Stack:
    """A parser stack: its top, a refined state, and what lies below. Never changes."""

    __slots__ = ("below", "depth", "state")

    def __init__(self, state: int, below: Stack | None) -> None:
        self.state = state
        self.below = below
        self.depth: int = below.depth + 1 if below is not None else 0


class StackMemory:
    """Results by a key, which holds the top state, and the states below it.

    Args:
        limit: how many results are kept; one more, and all are forgotten.

    Attributes:
        tree: key → result, or a dict by the state below, and so on. Results are no dicts.
    """

    def __init__(self, limit: int) -> None:
        self.tree: dict[object, Any] = {}
        self._limit = limit
        self._size = 0

    def get(self, key: object, stack: Stack) -> Any:
        """Return the result, ``None`` if there is none yet."""
        found = self.tree.get(key)
        while type(found) is dict:
            if stack.below is None:
                raise ValueError("a result looks below the stack")
            stack = stack.below
            found = found.get(stack.state)
        return found

    def put(self, key: object, stack: Stack, lowest: int, result: object) -> None:
        """Remember a result, no dict and not ``None``, that read the stack down to a depth."""
        if self._size >= self._limit:
            self.clear()
        self._size += 1
        place, edge = self.tree, key
        while stack.depth > lowest and stack.below is not None:
            place = place.setdefault(edge, {})
            stack = stack.below
            edge = stack.state
        place[edge] = result

    def replace(self, key: object, result: object) -> None:
        """Put one result in the place of all that were remembered for a key."""
        self.tree[key] = result

    def clear(self) -> None:
        """Forget everything."""
        self.tree.clear()
        self._size = 0


class History:
    """The states that a matcher can go back to, newest last.

    Kept in chunks that forks share: a fork copies one chunk at most, and going back over many
    states takes whole chunks away.
    """

    __slots__ = ("_older", "_recent", "n_states")

    def __init__(self) -> None:
        self.n_states = 0
        self._recent: list[Any] = []
        # Full chunks, newest first, as linked pairs; never changed.
        self._older: tuple[list[Any], Any] | None = None

    def append(self, state: object) -> None:
        """Remember one more state."""
        if len(self._recent) == CHUNK:
            self._older = (self._recent, self._older)
            self._recent = []
        self._recent.append(state)
        self.n_states += 1

    def back(self, n: int) -> Any:
        """Forget the last ``n`` states, at least one, and return the oldest of them.

        Raises:
            ValueError: there are fewer.
        """
        if not 0 < n <= self.n_states:
            raise ValueError(f"cannot go back {n} of {self.n_states} states")
        self.n_states -= n
        while n > len(self._recent) and self._older is not None:
            n -= len(self._recent)
            chunk, self._older = self._older
            self._recent = chunk.copy()
        found = self._recent[-n]
        del self._recent[-n:]
        return found

    def fork(self) -> History:
        """Return an independent copy."""
        copy = History()
        copy.n_states, copy._older = self.n_states, self._older
        copy._recent = self._recent.copy()
        return copy
