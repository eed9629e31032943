"""How much memory may what was worked out once take?

All that an artifact's machine and masks remember can be worked out again, and is held in one *room*
with a budget in bytes. There are two generations: what is new goes into the young one. When that
has its share, the old one is let go of, and the young one is old; what is looked up in the old one
comes back into the young one. So what is in use stays, and what was needed for one text goes.

What is let go of is freed bit by bit, by those who remember something new: to free a hundred
megabytes of small objects at once would hold up one fill for a fifth of a second. Until then it
counts, so each generation has a third of the budget.

Example: Python's standard library takes about 340 bytes a token when it is first read; with a
budget of 192 MiB, what the latest 200,000 tokens needed is there, and what comes up again stays.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

# Rough sizes of CPython objects; a test holds what is allocated against the budget.
ENTRY_BYTES = 250  # a key, its place in a dict, a small result
LEVEL_BYTES = 190  # a dict with one entry

_FREED_AT_ONCE = 8


class Room:
    """A budget that several memories share, in whatever threads they are used.

    Args:
        limit: in bytes, for both generations and what is being freed.
    """

    def __init__(self, limit: int) -> None:
        self._share = limit // 3
        self._taken = 0
        self._memories: list[Memory] = []
        self._dropped: list[dict[Any, Any]] = []
        self._lock = threading.Lock()

    def add(self, memory: Memory) -> None:
        """Let a memory take part."""
        self._memories.append(memory)

    def take(self, n_bytes: int) -> None:
        """Say that the young generation has grown, which may end it."""
        # Sizes are estimates: what threads that come at once take from each other does not matter.
        self._taken += n_bytes
        if self._taken > self._share or self._dropped:
            self._make_room()

    def forget(self) -> None:
        """Forget everything now, however long that takes."""
        with self._lock:
            self._taken = 0
            self._dropped.clear()
            for memory in self._memories:
                memory.turn()
                memory.turn()

    def _make_room(self) -> None:
        with self._lock:
            for _ in range(_FREED_AT_ONCE):
                if self._dropped and not self._dropped[-1]:
                    self._dropped.pop()
                elif self._dropped:
                    self._dropped[-1].popitem()
            if self._taken > self._share:
                self._taken = 0
                self._dropped += [memory.turn() for memory in self._memories]


class Memory:
    """Results by a key. None of them is ``None``.

    Args:
        room: where they are held.
        measure: key → about how many bytes it takes with its result; default: ``ENTRY_BYTES``.

    Attributes:
        young: key → result, the new ones; asked directly where a call would take too long.
    """

    __slots__ = ("_measure", "_old", "room", "young")

    def __init__(self, room: Room, measure: Callable[[Any], int] | None = None) -> None:
        self.room = room
        self._measure = measure
        self.young: dict[Any, Any] = {}
        self._old: dict[Any, Any] = {}
        room.add(self)

    def get(self, key: object) -> Any:
        """Return the result, ``None`` if there is none."""
        found = self.young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: object, result: object) -> None:
        """Remember a result."""
        self.young[key] = result
        self.room.take(self._measure(key) if self._measure else ENTRY_BYTES)

    def turn(self) -> dict[Any, Any]:
        """Begin a new generation; return the one that is forgotten."""
        dropped, self._old, self.young = self._old, self.young, {}
        return dropped
