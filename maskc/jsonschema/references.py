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
    """The closed formulas of one compilation, by their keys."""

    def __init__(self) -> None:
        self._closed: dict[Any, tuple[Callable[[], Formula], str]] = {}
        self._open: dict[Any, Formula] = {}
        self._checked: set[Any] = set()

    def close(self, key: Any, build: Callable[[], Formula], pointer: str) -> None:
        """Note how a formula is built when it is first looked into, and where it stands."""
        self._closed.setdefault(key, (build, pointer))

    def expand(self, key: Any) -> Formula:
        """Return what a closed formula says.

        Raises:
            SchemaError: it refers to itself without going into a value.
        """
        if key not in self._checked:
            self._check_progress(key)
        return self._build(key)

    def _build(self, key: Any) -> Formula:
        if key not in self._open:
            self._open[key] = self._closed[key][0]()
        return self._open[key]

    def _check_progress(self, key: Any) -> None:
        """Raise if a closed formula leads back to itself at the same value."""
        path: list[Any] = [key]
        entered = {key}
        pending = [iter(self._refs_of(key))]
        while pending:
            after = next(pending[-1], None)
            if after is None:
                pending.pop()
                done = path.pop()
                entered.discard(done)
                self._checked.add(done)
            elif after in entered:
                raise SchemaError(self._closed[after][1], "$ref", *NO_PROGRESS)
            elif after not in self._checked:
                path.append(after)
                entered.add(after)
                pending.append(iter(self._refs_of(after)))

    def _refs_of(self, key: Any) -> list[Any]:
        found, open_, seen = [], [self._build(key)], set[Formula]()
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
