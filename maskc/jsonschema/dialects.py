"""Which keywords a schema's dialect has, and what a reference leads to.

A dialect is that of ``$schema``, 2020-12 without one. It may be another meta-schema that the caller
gave: since 2019-09 these say by ``$vocabulary`` which keywords there are. Documents are found among
those that the caller gave and the standard's own meta-schemas; nothing is fetched.

Example: in draft 7 nothing counts beside ``$ref``; since 2019-09 everything does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from jsonschema_specifications import REGISTRY
from referencing import Registry, Resource
from referencing.exceptions import CannotDetermineSpecification, NoSuchAnchor, Unresolvable
from referencing.jsonschema import (
    DRAFT4,
    DRAFT6,
    DRAFT7,
    DRAFT201909,
    DRAFT202012,
    lookup_recursive_ref,
)

from maskc.errors import SchemaError


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version of JSON Schema.

    Attributes:
        name: as people call it.
        year: to compare with: 4, 6, 7, 2019 or 2020.
        specification: how its references are resolved.
        left_out: keywords of vocabularies that it lacks.
        asserts_formats: whether it says that ``format`` is asserted.
    """

    name: str
    year: int
    specification: Any = field(compare=False)
    left_out: frozenset[str] = frozenset()
    asserts_formats: bool = False


DIALECTS = {
    "http://json-schema.org/draft-04/schema": Dialect("draft 4", 4, DRAFT4),
    "http://json-schema.org/draft-06/schema": Dialect("draft 6", 6, DRAFT6),
    "http://json-schema.org/draft-07/schema": Dialect("draft 7", 7, DRAFT7),
    "https://json-schema.org/draft/2019-09/schema": Dialect("2019-09", 2019, DRAFT201909),
    "https://json-schema.org/draft/2020-12/schema": Dialect("2020-12", 2020, DRAFT202012),
}
# What is raised where an identifier is no text, or no URI.
_NO_IDENTIFIER = (AttributeError, TypeError, ValueError)
DEFAULT = DIALECTS["https://json-schema.org/draft/2020-12/schema"]


def dialect_of(
    uri: Any, pointer: str, documents: Mapping[str, Any] = MappingProxyType({})
) -> Dialect:
    """Return the dialect that ``$schema`` names.

    Args:
        uri: what it names.
        pointer: where, for an error.
        documents: URI → parsed schema; a meta-schema may be among them.

    Raises:
        SchemaError: it is none of the standard's, and no meta-schema that was given.
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
        f"names {seen[0]!r}, which is no dialect that is supported",
        "use draft 4, 6, 7, 2019-09 or 2020-12, or give the meta-schema as a resource",
    )


def _find_standard(uri: Any) -> Dialect | None:
    if not isinstance(uri, str):
        return None
    plain = uri.rstrip("#").replace(
        "https://json-schema.org/draft-0", "http://json-schema.org/draft-0"
    )
    if plain in ("http://json-schema.org/schema", "https://json-schema.org/schema"):
        return DEFAULT
    return DIALECTS.get(plain)


def _choose(dialect: Dialect, vocabularies: Any, pointer: str) -> Dialect:
    """Return a dialect with the keywords of some vocabularies only.

    Raises:
        SchemaError: one is required that is not the standard's.
    """
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


def build_registry(resources: Mapping[str, Any], dialect: Dialect) -> Any:
    """Return a registry of documents and the standard's meta-schemas.

    Args:
        resources: URI → parsed schema.
        dialect: of documents that do not name theirs.

    Raises:
        SchemaError: one names its dialect by what is no text.
    """
    registry: Any = REGISTRY
    for uri, contents in sorted(resources.items()):
        if isinstance(contents, dict) and not isinstance(contents.get("$schema", ""), str):
            raise SchemaError(
                "", "$schema", f"is no string in the resource {uri!r}", "write the dialect's URI"
            )
        try:
            resource = Resource.from_contents(contents, default_specification=dialect.specification)
        except CannotDetermineSpecification:
            resource = dialect.specification.create_resource(contents)
        try:
            Registry().with_resource(uri, resource).crawl()
        except (TypeError, AttributeError, ValueError):
            # It is no document of this dialect, and does not say of which.
            resource = DEFAULT.specification.create_resource(contents)
        registry = registry.with_resource(uri.rstrip("#"), resource)
    return registry


class Root:
    """A resolver at the root of a document, made when something is to be resolved.

    Args:
        schema: the document.
        registry: of documents.
        dialect: of the document.
    """

    def __init__(self, schema: Any, registry: Any, dialect: Dialect) -> None:
        self._schema, self._registry, self._dialect = schema, registry, dialect
        self._resolver: Any = None

    def open(self) -> Any:
        """Return the resolver.

        Raises:
            SchemaError: the document's identifier is none.
        """
        if self._resolver is None:
            resource = self._dialect.specification.create_resource(self._schema)
            try:
                self._resolver = self._registry.resolver_with_root(resource)
            except _NO_IDENTIFIER:
                raise _no_identifier("", self._dialect) from None
        return self._resolver


def open_root(schema: Any, registry: Any, dialect: Dialect) -> Root:
    """Return a resolver at the root of a document.

    Raises:
        SchemaError: the document is no schema.
    """
    if not isinstance(schema, (dict, bool)):
        raise SchemaError("", "", "is neither an object nor a Boolean", "write a schema")
    return Root(schema, registry, dialect)


def _open(resolver: Any) -> Any:
    return resolver.open() if isinstance(resolver, Root) else resolver


def _name_identifier(dialect: Dialect) -> str:
    return "id" if dialect.year == 4 else "$id"


def _no_identifier(pointer: str, dialect: Dialect) -> SchemaError:
    keyword = _name_identifier(dialect)
    return SchemaError(pointer, keyword, "is no URI", "write one, or leave it out")


def enter(schema: Any, resolver: Any, dialect: Dialect, pointer: str) -> Any:
    """Return the resolver inside a subschema.

    Raises:
        SchemaError: its identifier is none.
    """
    if not isinstance(schema.get(_name_identifier(dialect), ""), str):
        return resolver  # no identifier is anything else than a text
    resource = dialect.specification.create_resource(schema)
    try:
        return _open(resolver).in_subresource(resource)
    except _NO_IDENTIFIER:
        raise _no_identifier(pointer, dialect) from None


def follow(reference: Any, resolver: Any, keyword: str, pointer: str) -> tuple[Any, Any]:
    """Return what a reference leads to, and the resolver there.

    Raises:
        SchemaError: it leads nowhere.
    """
    if not isinstance(reference, str):
        raise SchemaError(pointer, keyword, "is no string", "write a URI reference")
    resolver = _open(resolver)
    try:
        if keyword == "$recursiveRef":
            resolved = lookup_recursive_ref(resolver)
        else:
            resolved = resolver.lookup(reference)
    except (TypeError, AttributeError):
        # Identifiers and anchors are looked for in all of a document, as far as it is schemas.
        raise SchemaError(
            pointer,
            keyword,
            f"{reference!r} leads nowhere, or some keyword of the document holds no schema",
            "correct the one or the other",
        ) from None
    except (Unresolvable, NoSuchAnchor, ValueError, LookupError):
        raise SchemaError(
            pointer,
            keyword,
            f"{reference!r} leads nowhere",
            "give the document it names as a resource; nothing is fetched",
        ) from None
    return resolved.contents, resolved.resolver


def scope_of(resolver: Any) -> tuple[str, ...]:
    """Return the documents on the way to here, each once, which dynamic references depend on."""
    return tuple(dict.fromkeys(uri for uri, _ in _open(resolver).dynamic_scope()))


__all__ = [
    "DEFAULT",
    "Dialect",
    "Registry",
    "build_registry",
    "dialect_of",
    "enter",
    "follow",
    "open_root",
    "scope_of",
]
