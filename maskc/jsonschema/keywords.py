"""Which keywords does a schema have, and where?

A schema's subschemas are found as they are written, by keyword, without following references: what
a reference leads to is either written elsewhere in the document or not in it.

Example: ``{"items": {"type": "string", "hint": 1}}`` has ``items`` at the root, and ``type`` and
the unknown ``hint`` at ``/items``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.dialects import DEFAULT, dialect_of

Path = tuple[str | int, ...]

# Keyword → the dialects that have it, by the first and the last year.
_ONE = {
    "not": (4, 2020),
    "additionalProperties": (4, 2020),
    "items": (4, 2020),
    "additionalItems": (4, 2019),
    "contains": (6, 2020),
    "propertyNames": (6, 2020),
    "if": (7, 2020),
    "then": (7, 2020),
    "else": (7, 2020),
    "unevaluatedItems": (2019, 2020),
    "unevaluatedProperties": (2019, 2020),
}
_LIST = {
    "allOf": (4, 2020),
    "anyOf": (4, 2020),
    "oneOf": (4, 2020),
    "items": (4, 2019),
    "prefixItems": (2020, 2020),
}
_MAP = {
    "properties": (4, 2020),
    "patternProperties": (4, 2020),
    "definitions": (4, 2020),
    "dependencies": (4, 7),
    "dependentSchemas": (2019, 2020),
    "$defs": (2019, 2020),
}
_PLAIN = {
    "type": (4, 2020),
    "enum": (4, 2020),
    "const": (6, 2020),
    "$ref": (4, 2020),
    "multipleOf": (4, 2020),
    "minimum": (4, 2020),
    "maximum": (4, 2020),
    "exclusiveMinimum": (4, 2020),
    "exclusiveMaximum": (4, 2020),
    "minLength": (4, 2020),
    "maxLength": (4, 2020),
    "pattern": (4, 2020),
    "format": (4, 2020),
    "minItems": (4, 2020),
    "maxItems": (4, 2020),
    "uniqueItems": (4, 2020),
    "minContains": (2019, 2020),
    "maxContains": (2019, 2020),
    "minProperties": (4, 2020),
    "maxProperties": (4, 2020),
    "required": (4, 2020),
    "dependentRequired": (2019, 2020),
    "$dynamicRef": (2020, 2020),
    "$recursiveRef": (2019, 2019),
}
_ANNOTATIONS = {
    "$schema": (4, 2020),
    "id": (4, 4),
    "$id": (6, 2020),
    "title": (4, 2020),
    "description": (4, 2020),
    "default": (4, 2020),
    "examples": (6, 2020),
    "$comment": (7, 2020),
    "readOnly": (7, 2020),
    "writeOnly": (7, 2020),
    "contentEncoding": (7, 2020),
    "contentMediaType": (7, 2020),
    "contentSchema": (2019, 2020),
    "deprecated": (2019, 2020),
    "$anchor": (2019, 2020),
    "$vocabulary": (2019, 2020),
    "$dynamicAnchor": (2020, 2020),
    "$recursiveAnchor": (2019, 2019),
}
# Those that may ask something of a value, and do not only name schemas.
ASKING = frozenset((*_ONE, *_LIST, *_MAP, *_PLAIN)) - {"definitions", "$defs"}
ALL_KEYWORDS = frozenset((*_ONE, *_LIST, *_MAP, *_PLAIN, *_ANNOTATIONS))


@dataclass(frozen=True, slots=True)
class Spot:
    """A subschema.

    Attributes:
        path: from the document's root.
        is_negated: whether it stands inside ``not`` or ``if``.
        is_definition: whether nothing but a reference leads to it.
    """

    path: Path
    schema: Any
    is_negated: bool
    is_definition: bool
    year: int

    @property
    def pointer(self) -> str:
        return pointer_to(self.path)

    def has(self, keyword: str) -> bool:
        return keyword in self.schema and is_known(keyword, self.year)

    @property
    def unknown(self) -> list[str]:
        """The keywords that its dialect does not know, in their order."""
        if isinstance(self.schema, bool):
            return []
        return [keyword for keyword in self.schema if not is_known(keyword, self.year)]


def pointer_to(path: Path) -> str:
    """Return a JSON pointer.

    >>> pointer_to(("properties", "a/b", "anyOf", 0))
    '/properties/a~1b/anyOf/0'
    """
    return "".join(f"/{str(s).replace('~', '~0').replace('/', '~1')}" for s in path)


def is_known(keyword: str, year: int) -> bool:
    """Return whether a dialect has a keyword, an annotation included."""
    return any(
        keyword in table and table[keyword][0] <= year <= table[keyword][1]
        for table in (_ONE, _LIST, _MAP, _PLAIN, _ANNOTATIONS)
    )


def list_spots(schema: Any) -> Iterator[Spot]:
    """Yield the subschemas of a document, the root first, each before those inside it."""
    open_ = [Spot((), schema, is_negated=False, is_definition=False, year=_year_of(schema))]
    while open_:
        spot = open_.pop()
        yield spot
        if not isinstance(spot.schema, bool):
            open_ += reversed(list(_list_below(spot)))


def _year_of(schema: Any) -> int:
    if isinstance(schema, dict) and "$schema" in schema:
        try:
            return dialect_of(schema["$schema"], "").year
        except SchemaError:
            pass  # whoever compiles it says so
    return DEFAULT.year


def _list_below(spot: Spot) -> Iterator[Spot]:
    schema, year = spot.schema, spot.year
    if "$ref" in schema and year < 2019:
        return  # nothing counts beside it
    for path, inner in subschemas_of(schema, year):
        yield Spot(
            spot.path + path,
            inner,
            spot.is_negated or path[0] in ("not", "if"),
            spot.is_definition or path[0] in ("$defs", "definitions"),
            year,
        )


def subschemas_of(schema: dict[str, Any], year: int) -> Iterator[tuple[Path, Any]]:
    """Yield the schemas that the keywords of a schema hold, with the way to each.

    >>> list(subschemas_of({"items": True, "allOf": [{}], "hint": {}}, 2020))
    [(('items',), True), (('allOf', 0), {})]
    """
    for keyword, value in schema.items():
        below: list[tuple[Path, Any]] = []
        if _has(_ONE, keyword, year) and isinstance(value, dict | bool):
            below = [((keyword,), value)]
        elif _has(_LIST, keyword, year) and isinstance(value, list):
            below = [((keyword, n), inner) for n, inner in enumerate(value)]
        elif _has(_MAP, keyword, year) and isinstance(value, dict):
            below = [((keyword, name), inner) for name, inner in value.items()]
        yield from ((path, inner) for path, inner in below if isinstance(inner, dict | bool))


def _has(table: dict[str, tuple[int, int]], keyword: str, year: int) -> bool:
    return keyword in table and table[keyword][0] <= year <= table[keyword][1]


def leave_out(schema: Any, keywords: Iterable[Path], subschemas: Iterable[Path] = ()) -> Any:
    """Return a document without some keywords, and with ``true`` in the place of some subschemas.

    What is not on the way to any is shared. Paths that lead into what has gone are of no account.
    """
    tree: dict[Any, Any] = {}
    for paths, mark in ((keywords, _GONE), (subschemas, _TRUE)):
        for path in paths:
            here = tree
            for step in path:
                here = here.setdefault(step, {})
            here[mark] = True
    return _rebuild(schema, tree)


_GONE, _TRUE = object(), object()


def _rebuild(schema: Any, tree: dict[Any, Any]) -> Any:
    if _TRUE in tree:
        return True
    if not tree:
        return schema
    if isinstance(schema, dict):
        return {
            name: _rebuild(inner, tree.get(name, {}))
            for name, inner in schema.items()
            if _GONE not in tree.get(name, {})
        }
    return [_rebuild(inner, tree.get(n, {})) for n, inner in enumerate(schema)]
