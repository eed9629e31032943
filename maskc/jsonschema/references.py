"""What does a reference of a schema say, once somebody looks into it?

A reference is a closed formula: it is built when it is first looked into, so recursion costs
nothing. One that leads back to itself at the same value says nothing, and is refused.

Example: ``{"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}`` is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.formulas import Formula

# Reason and remedy of an error.
NO_PROGRESS = (
    "leads back to itself without going into a value",
    "let the circle go through a property or an item",
)


class References:
    """The closed formulas of one compilation, by number."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._closed: list[tuple[Callable[[], Formula], str, str]] = []
        self._open: dict[int, Formula] = {}
        self._checked: set[int] = set()

    def close(self, key: Any, build: Callable[[], Formula], pointer: str, keyword: str) -> int:
        """Return the number of a closed formula.

        Args:
            key: what tells it from others.
            build: makes it when it is first looked into.
            pointer: where it stands.
            keyword: which refers to it.
        """
        number = self._numbers.setdefault(key, len(self._closed))
        if number == len(self._closed):
            self._closed.append((build, pointer, keyword))
        return number

    def expand(self, number: int) -> Formula:
        """Return what a closed formula says.

        Raises:
            SchemaError: it refers to itself without going into a value.
        """
        if number not in self._checked:
            self._check_progress(number)
        return self._build(number)

    def _build(self, number: int) -> Formula:
        found = self._open.get(number)
        if found is None:
            found = self._open[number] = self._closed[number][0]()
        return found

    def _check_progress(self, number: int) -> None:
        """Raise if a closed formula leads back to itself at the same value."""
        path = [number]
        entered = {number}
        pending = [iter(self._refs_of(number))]
        while pending:
            after = next(pending[-1], None)
            if after is None:
                pending.pop()
                done = path.pop()
                entered.discard(done)
                self._checked.add(done)
            elif after in entered:
                raise SchemaError(*self._closed[after][1:], *NO_PROGRESS)
            elif after not in self._checked:
                path.append(after)
                entered.add(after)
                pending.append(iter(self._refs_of(after)))

    def _refs_of(self, number: int) -> list[int]:
        found, open_, seen = list[int](), [self._build(number)], set[Formula]()
        while open_:
            part = open_.pop()
            if part in seen:
                continue
            seen.add(part)
            if part.kind in ("ref", "noref"):
                found.append(part.args[0])
            elif part.kind in ("and", "or", "one", "noone"):
                open_ += part.args[0]
        return found
