"""What does a listed array or object ask, item by item and member by member?

In draft 4 the spelling of a number counts: ``[1]`` and ``[1.0]`` are the same value of an ``enum``,
and only the first has integers as items. So whether a listed array fits what else is asked of it is
not known from its value; what it asks is put in the place of the value.

Example: ``[1]`` is an array of one item, which is 1.
"""

from __future__ import annotations

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, Formula, Keys
from maskc.jsonschema.values import Value


def holds_number(value: Value) -> bool:
    """Return whether a value is a number, or has one inside."""
    kind, *held = value
    if kind == "array":
        return any(map(holds_number, held[0]))
    if kind == "object":
        return any(holds_number(inner) for _, inner in held[0])
    return bool(kind == "number")


def spell_out(space: Space, value: Value) -> Formula:
    """Return what a value that is an array or an object asks of its items or members."""
    kind, held = value
    parts = [space.types(BIT[kind])]
    if kind == "array":
        parts.append(space.make("size", len(held), len(held)))
        for n, item in enumerate(held):
            parts.append(space.make("items", n, n + 1, space.values([item])))
        return space.both(parts)
    parts.append(space.make("count", len(held), len(held)))
    for name, inner in held:
        keys: Keys = ("names", frozenset([name]))
        parts.append(space.some(keys, space.values([inner])))
    return space.both(parts)
