"""The dialects of JSON Schema, the keywords of each, and where these stand in a schema.

A dialect is that of ``$schema``, 2020-12 without one. It may be another meta-schema that the caller
gave: since 2019-09 these say by ``$vocabulary`` which keywords there are.

A schema's subschemas are found as they are written, by keyword, without following references: what
a reference leads to is either written elsewhere in the document or not in it.

Example: ``{"items": {"type": "string", "hint": 1}}`` has ``items`` at the root, and ``type`` and
the unknown ``hint`` at ``/items``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from jsonschema_specifications import REGISTRY

from maskc.errors import SchemaError


@dataclass(frozen=True, slots=True, eq=False)  # equal only if it is the same
class SchemaDialect:
    """A version of JSON Schema."""

    name: str
    year: int  # to compare with: 4, 6, 7, 2019 or 2020
    left_out: frozenset[str] = frozenset()  # keywords of vocabularies that it lacks
    asserts_formats: bool = False  # whether it says that format is asserted


DIALECTS: Final = {
    "http://json-schema.org/draft-04/schema": SchemaDialect("draft 4", 4),
    "http://json-schema.org/draft-06/schema": SchemaDialect("draft 6", 6),
    "http://json-schema.org/draft-07/schema": SchemaDialect("draft 7", 7),
    "https://json-schema.org/draft/2019-09/schema": SchemaDialect("2019-09", 2019),
    "https://json-schema.org/draft/2020-12/schema": SchemaDialect("2020-12", 2020),
}
DEFAULT: Final = DIALECTS["https://json-schema.org/draft/2020-12/schema"]


def dialect_of(
    uri: Any, pointer: str, documents: Mapping[str, Any] = MappingProxyType({})
) -> SchemaDialect:
    """Return the dialect that ``$schema`` names.

    Args:
        documents: URI → parsed schema; a meta-schema may be among them.
    """
    seen: list[Any] = []
    vocabularies: Any = None
    while uri not in seen:
        seen.append(uri)
        found = _find_standard(uri)
        if found is not None:
            return found if vocabularies is None else _choose(found, vocabularies, pointer)
        given = documents.get(uri) if isinstance(uri, str) else None
        if not isinstance(given, dict) or "$schema" not in given:
            break
        if vocabularies is None:
            vocabularies = given.get("$vocabulary")
        uri = given["$schema"]
    raise SchemaError(
        pointer,
        "$schema",
        f"names {seen[0]!r}, which is not a dialect that is supported",
        "use draft 4, 6, 7, 2019-09 or 2020-12, or give the meta-schema as a resource",
    )


def year_of(uri: Any, otherwise: int, documents: Mapping[str, Any] = MappingProxyType({})) -> int:
    """Return the year of the dialect that ``$schema`` names, another one if it names none."""
    try:
        return dialect_of(uri, "", documents).year
    except SchemaError:
        return otherwise


def _find_standard(uri: Any) -> SchemaDialect | None:
    if not isinstance(uri, str):
        return None
    plain = uri.rstrip("#").replace(
        "https://json-schema.org/draft-0", "http://json-schema.org/draft-0"
    )
    if plain in ("http://json-schema.org/schema", "https://json-schema.org/schema"):
        return DEFAULT
    return DIALECTS.get(plain)


def _choose(dialect: SchemaDialect, vocabularies: Any, pointer: str) -> SchemaDialect:
    """Return a dialect with the keywords of some vocabularies only."""
    if dialect.year < 2019 or not isinstance(vocabularies, dict):
        return dialect
    chosen = set[str]()
    for uri, is_required in vocabularies.items():
        if _keywords_of(uri):
            chosen.add(uri)
        elif is_required is not False:
            raise SchemaError(
                pointer,
                "$schema",
                f"has the vocabulary {uri!r}, which is not the standard's",
                "make it optional in the meta-schema, or use a dialect of the standard",
            )
    own = REGISTRY.contents(f"https://json-schema.org/draft/{dialect.name}/schema")["$vocabulary"]
    core = next(uri for uri in own if uri.endswith("/vocab/core"))
    kept = frozenset[str]().union(*map(_keywords_of, (core, *chosen)))
    return replace(
        dialect,
        left_out=frozenset[str]().union(*map(_keywords_of, own)) - kept,
        asserts_formats=any(
            uri.endswith("/vocab/format-assertion")
            or uri.endswith("/vocab/format")
            and vocabularies[uri] is True
            for uri in chosen
        ),
    )


def _keywords_of(vocabulary: str) -> frozenset[str]:
    """Return the keywords of one of the standard's vocabularies; another one has none here."""
    start, _, name = vocabulary.partition("/vocab/")
    uri = f"{start}/meta/{name}"
    if not start.startswith("https://json-schema.org/draft/20") or uri not in REGISTRY:
        return frozenset()
    return frozenset(REGISTRY.contents(uri)["properties"])


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
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
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
    year = DEFAULT.year
    if isinstance(schema, dict) and "$schema" in schema:
        year = year_of(schema["$schema"], year)
    open_ = [Subschema((), schema, is_negated=False, is_definition=False, year=year)]
    while open_:
        subschema = open_.pop()
        yield subschema
        if not isinstance(subschema.schema, bool):
            open_ += reversed(list(_list_below(subschema)))


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
    for path in subschemas:
        schema = edit_at(schema, path, lambda _: True)
    for *above, keyword in keywords:
        schema = edit_at(schema, above, without({keyword}))
    return schema


def without(removed: Container[Any]) -> Callable[[Any], Any]:
    """Return what leaves some keywords out of a schema."""

    def edit(schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        return {name: value for name, value in schema.items() if name not in removed}

    return edit


def edit_at(here: Any, path: Sequence[str | int], edit: Callable[[Any], Any]) -> Any:
    """Return a document with what stands at a path edited, if anything does; all else is shared."""
    if not path:
        return edit(here)
    step, *rest = path
    try:
        inner = here[step]
    except (LookupError, TypeError):
        return here
    inner = edit_at(inner, rest, edit)
    if isinstance(here, dict):
        return {**here, step: inner}
    return [inner if n == step else other for n, other in enumerate(here)]
