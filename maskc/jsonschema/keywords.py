"""The keywords of a schema, and where each stands.

A schema's subschemas are found as they are written, by keyword, without following references: what
a reference leads to is either written elsewhere in the document or not in it.

Example: ``{"items": {"type": "string", "hint": 1}}`` has ``items`` at the root, and ``type`` and
the unknown ``hint`` at ``/items``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.jsonschema.dialects import DEFAULT, dialect_of

Path = tuple[str | int, ...]

# Keywords by what they hold (a schema, a list of them, names with schemas, something else), and by
# the first and the last year of the dialects that have them.
_Table = dict[str, tuple[int, int]]


def _table(**years: str) -> _Table:
    """Return the years of keywords, which are listed by their years: ``_4_2019`` is 4 to 2019."""
    found: _Table = {}
    for name, keywords in years.items():
        _, first, last = name.split("_")
        found.update(dict.fromkeys(keywords.split(), (int(first), int(last))))
    return found


_ONE: Final = _table(
    _4_2020="not additionalProperties items",
    _4_2019="additionalItems",
    _6_2020="contains propertyNames",
    _7_2020="if then else",
    _2019_2020="unevaluatedItems unevaluatedProperties",
)
_LIST: Final = _table(_4_2020="allOf anyOf oneOf", _4_2019="items", _2020_2020="prefixItems")
_MAP: Final = _table(
    _4_2020="properties patternProperties definitions",
    _4_7="dependencies",
    _2019_2020="dependentSchemas $defs",
)
_PLAIN: Final = _table(
    _4_2020="type enum $ref multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength "
    "maxLength pattern format minItems maxItems uniqueItems minProperties maxProperties required",
    _6_2020="const",
    _2019_2020="minContains maxContains dependentRequired",
    _2020_2020="$dynamicRef",
    _2019_2019="$recursiveRef",
)
_ANNOTATIONS: Final = _table(
    _4_2020="$schema title description default",
    _4_4="id",
    _6_2020="$id examples",
    _7_2020="$comment readOnly writeOnly contentEncoding contentMediaType",
    _2019_2020="contentSchema deprecated $anchor $vocabulary",
    _2020_2020="$dynamicAnchor",
    _2019_2019="$recursiveAnchor",
)
# Those that may ask something of a value, and do not only name schemas.
ASKING: Final = frozenset((*_ONE, *_LIST, *_MAP, *_PLAIN)) - {"definitions", "$defs"}
ALL_KEYWORDS: Final = frozenset((*_ONE, *_LIST, *_MAP, *_PLAIN, *_ANNOTATIONS))


@dataclass(frozen=True, slots=True)
class Subschema:
    """A subschema."""

    path: Path  # from the document's root
    schema: Any
    is_negated: bool  # whether it stands inside not or if
    is_definition: bool  # whether nothing but a reference leads to it
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
    steps = "/".join(map(str, path))
    if "~" in steps or steps.count("/") >= len(path):
        steps = "/".join([str(s).replace("~", "~0").replace("/", "~1") for s in path])
    return f"/{steps}" if path else ""


def is_known(keyword: str, year: int) -> bool:
    """Return whether a dialect has a keyword, an annotation included."""
    return any(_has(table, keyword, year) for table in (_ONE, _LIST, _MAP, _PLAIN, _ANNOTATIONS))


def list_subschemas(schema: Any) -> Iterator[Subschema]:
    """Yield the subschemas of a document, the root first, each before those inside it."""
    open_ = [Subschema((), schema, is_negated=False, is_definition=False, year=_year_of(schema))]
    while open_:
        subschema = open_.pop()
        yield subschema
        if not isinstance(subschema.schema, bool):
            open_ += reversed(list(_list_below(subschema)))


def _year_of(schema: Any) -> int:
    if isinstance(schema, dict) and "$schema" in schema:
        try:
            return dialect_of(schema["$schema"], "").year
        except SchemaError:
            pass  # whoever compiles it says so
    return DEFAULT.year


def _list_below(subschema: Subschema) -> Iterator[Subschema]:
    schema, year = subschema.schema, subschema.year
    if "$ref" in schema and year < 2019:
        return  # nothing counts beside it
    for path, inner in subschemas_of(schema, year):
        yield Subschema(
            subschema.path + path,
            inner,
            subschema.is_negated or path[0] in ("not", "if"),
            subschema.is_definition or path[0] in ("$defs", "definitions"),
            year,
        )


def subschemas_of(schema: dict[str, Any], year: int | None) -> Iterator[tuple[Path, Any]]:
    """Yield the schemas that the keywords of a schema hold in a dialect, with the way to each.

    Without a year: in any dialect.

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


def is_schema_at(path: Path) -> bool:
    """Return whether a schema stands at a path from a schema, as far as some dialect knows.

    >>> is_schema_at(("properties", "a")), is_schema_at(("enum", 0)), is_schema_at(("not",))
    (True, False, True)
    """
    match path:
        case [str(keyword)]:
            return keyword in _ONE
        case [str(keyword), int()]:
            return keyword in _LIST
        case [str(keyword), str()]:
            return keyword in _MAP
    return False


def _has(table: _Table, keyword: str, year: int | None) -> bool:
    return keyword in table and (year is None or table[keyword][0] <= year <= table[keyword][1])


def leave_out(schema: Any, keywords: Iterable[Path], subschemas: Iterable[Path] = ()) -> Any:
    """Return a document without some keywords, and with ``true`` in the place of some subschemas.

    What is not on the way to any is shared. Paths that lead into a part that was removed do not
    matter.
    """
    tree: dict[Any, Any] = {}
    for paths, mark in ((keywords, _REMOVED), (subschemas, _TRUE)):
        for path in paths:
            here = tree
            for step in path:
                here = here.setdefault(step, {})
            here[mark] = True
    return _rebuild(schema, tree)


_REMOVED, _TRUE = object(), object()


def _rebuild(schema: Any, tree: dict[Any, Any]) -> Any:
    if _TRUE in tree:
        return True
    if not tree:
        return schema
    if isinstance(schema, dict):
        return {
            name: _rebuild(inner, tree.get(name, {}))
            for name, inner in schema.items()
            if _REMOVED not in tree.get(name, {})
        }
    return [_rebuild(inner, tree.get(n, {})) for n, inner in enumerate(schema)]
