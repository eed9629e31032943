"""What is a formula made of? Its kinds, and which type each atom is about.

An atom about a type holds of all values of other types, as a keyword does.

Atoms, by kind:

- ``types`` a bit mask of types; ``values`` one of a set; ``novalues`` none of a set.
- ``string`` an automaton's number, and whether it must accept; ``length`` from … to ….
- ``bounds`` low, open, high, open; ``multiple`` of a number or not; ``spelled`` as draft 4 wants.
- ``all`` members whose key is in a set have values that fit; ``some`` member does; ``any``: some
  member does, of several sets and what fits them; ``count``; ``order`` asks nothing, and says in
  which order a schema names its keys.
- ``items`` from … to … fit; ``contains`` between so many of them fit; ``size``;
  ``unique``: all items differ, or not all.

Example: ``{"maxLength": 3}`` is ``length(0, 3)``, which every number fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

TYPES = ("null", "boolean", "number", "string", "array", "object")
BIT = {name: 1 << place for place, name in enumerate(TYPES)}
EVERY_TYPE = (1 << len(TYPES)) - 1
# Kind of an atom → the type that it is about.
ABOUT = {
    "string": "string",
    "length": "string",
    "bounds": "number",
    "multiple": "number",
    "spelled": "number",
    "all": "object",
    "some": "object",
    "any": "object",
    "count": "object",
    "order": "object",
    "items": "array",
    "contains": "array",
    "size": "array",
    "unique": "array",
}

# A set of keys: ("names", names), ("dfa", n), ("strings", formula), or all but some:
# ("other", names, automata).
Keys = tuple[Any, ...]


class Formula:
    """A formula; made by a :class:`Space` only."""

    __slots__ = ("_is_closed", "args", "kind", "negated", "number")

    def __init__(self, number: int, kind: str, args: tuple[Any, ...]) -> None:
        self.number, self.kind, self.args = number, kind, args
        self.negated: Formula | None = None
        self._is_closed: bool | None = None

    @property
    def is_closed(self) -> bool:
        """Whether a reference in it is yet to be looked into."""
        if self._is_closed is None:
            is_reference = self.kind in ("ref", "noref")
            self._is_closed = is_reference or any(map(_holds_closed, self.args))
        return self._is_closed

    def __hash__(self) -> int:
        # Not where it lies in memory: sets of formulas are gone through in the order of hashes.
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"{self.kind}{self.args}"


def _holds_closed(part: Any) -> bool:
    if isinstance(part, Formula):
        return part.is_closed
    if isinstance(part, tuple | frozenset):
        return any(_holds_closed(inner) for inner in part if isinstance(inner, Formula | tuple))
    return False


def types_of(formula: Formula) -> int:
    """Return types outside of which no value fits, as a bit mask; not the least one."""
    if formula.kind == "types":
        mask: int = formula.args[0]
        return mask
    if formula.kind == "and":
        # A conjunction names its types once.
        for part in formula.args[0]:
            if part.kind == "types":
                return types_of(part)
    if formula.kind == "values":
        return sum({BIT[value[0]] for value in formula.args[0]})
    return EVERY_TYPE if formula.kind != "false" else 0


def in_order(parts: Iterable[Formula]) -> list[Formula]:
    """Return formulas in the order in which they were made."""
    return sorted(parts, key=lambda part: part.number)
