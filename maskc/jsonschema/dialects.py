"""The dialects of JSON Schema, and the keywords of each.

A dialect is that of ``$schema``, 2020-12 without one. It may be another meta-schema that the caller
gave: since 2019-09 these say by ``$vocabulary`` which keywords there are.

Example: in draft 7 nothing counts beside ``$ref``; since 2019-09 everything does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from jsonschema_specifications import REGISTRY

from maskc.errors import SchemaError


@dataclass(frozen=True, slots=True, eq=False)  # equal only if it is the same
class SchemaDialect:
    """A version of JSON Schema."""

    name: str
    year: int  # to compare with: 4, 6, 7, 2019 or 2020
    left_out: frozenset[str] = frozenset()  # keywords of vocabularies that it lacks
    asserts_formats: bool = False  # whether it says that format is asserted


DIALECTS = {
    "http://json-schema.org/draft-04/schema": SchemaDialect("draft 4", 4),
    "http://json-schema.org/draft-06/schema": SchemaDialect("draft 6", 6),
    "http://json-schema.org/draft-07/schema": SchemaDialect("draft 7", 7),
    "https://json-schema.org/draft/2019-09/schema": SchemaDialect("2019-09", 2019),
    "https://json-schema.org/draft/2020-12/schema": SchemaDialect("2020-12", 2020),
}
DEFAULT = DIALECTS["https://json-schema.org/draft/2020-12/schema"]


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
