"""The results of one cache: those of the current generation, and those of the one before it.

The cache is compiled, and what is compiled has no weak references; these are what its budget refers
to, as long as the cache lives.
"""

from __future__ import annotations

from typing import Any


class Generations:
    """Key → result, twice. Whatever looks into one of them has to read it once."""

    __slots__ = ("__weakref__", "current", "previous")

    def __init__(self) -> None:
        self.current: dict[Any, Any] = {}  # what was added or used since the generation began
        # what was current before that, and has not been used since
        self.previous: dict[Any, Any] = {}

    def start(self) -> dict[Any, Any]:
        """Make the current generation the previous one; return the one that is evicted."""
        evicted, self.previous, self.current = self.previous, self.current, {}
        return evicted
