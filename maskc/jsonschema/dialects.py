"""Which keywords a schema's dialect has, and what a reference leads to.

A dialect is that of ``$schema``, 2020-12 without one. Documents are found among those that the
caller gave and the standard's own meta-schemas; nothing is fetched.

Example: in draft 7 nothing counts beside ``$ref``; since 2019-09 everything does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    """

    name: str
    year: int
    specification: Any


DIALECTS = {
    "http://json-schema.org/draft-04/schema": Dialect("draft 4", 4, DRAFT4),
    "http://json-schema.org/draft-06/schema": Dialect("draft 6", 6, DRAFT6),
    "http://json-schema.org/draft-07/schema": Dialect("draft 7", 7, DRAFT7),
    "https://json-schema.org/draft/2019-09/schema": Dialect("2019-09", 2019, DRAFT201909),
    "https://json-schema.org/draft/2020-12/schema": Dialect("2020-12", 2020, DRAFT202012),
}
DEFAULT = DIALECTS["https://json-schema.org/draft/2020-12/schema"]


def dialect_of(uri: Any, pointer: str) -> Dialect:
    """Return the dialect that ``$schema`` names.

    Raises:
        SchemaError: it is none of the standard's.
    """
    if isinstance(uri, str):
        plain = uri.rstrip("#").replace(
            "https://json-schema.org/draft-0", "http://json-schema.org/draft-0"
        )
        found = DIALECTS.get(plain)
        if found is not None:
            return found
        if plain in ("http://json-schema.org/schema", "https://json-schema.org/schema"):
            return DEFAULT
    raise SchemaError(
        pointer,
        "$schema",
        f"names {uri!r}, which is no dialect that is supported",
        "use draft 4, 6, 7, 2019-09 or 2020-12, or leave it out",
    )


def build_registry(resources: Mapping[str, Any], dialect: Dialect) -> Any:
    """Return a registry of documents and the standard's meta-schemas.

    Args:
        resources: URI → parsed schema.
        dialect: of documents that do not name theirs.
    """
    registry: Any = REGISTRY
    for uri, contents in sorted(resources.items()):
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


def open_root(schema: Any, registry: Any, dialect: Dialect) -> Any:
    """Return a resolver at the root of a document.

    Raises:
        SchemaError: the document is no schema.
    """
    if not isinstance(schema, (dict, bool)):
        raise SchemaError("", "", "is neither an object nor a Boolean", "write a schema")
    return registry.resolver_with_root(dialect.specification.create_resource(schema))


def enter(schema: Any, resolver: Any, dialect: Dialect) -> Any:
    """Return the resolver inside a subschema."""
    name = "id" if dialect.year == 4 else "$id"
    if not isinstance(schema.get(name, ""), str):
        return resolver  # no identifier is anything else than a text
    return resolver.in_subresource(dialect.specification.create_resource(schema))


def follow(reference: Any, resolver: Any, keyword: str, pointer: str) -> tuple[Any, Any]:
    """Return what a reference leads to, and the resolver there.

    Raises:
        SchemaError: it leads nowhere.
    """
    if not isinstance(reference, str):
        raise SchemaError(pointer, keyword, "is no string", "write a URI reference")
    try:
        if keyword == "$recursiveRef":
            resolved = lookup_recursive_ref(resolver)
        else:
            resolved = resolver.lookup(reference)
    except (Unresolvable, NoSuchAnchor, ValueError, LookupError, TypeError, AttributeError):
        raise SchemaError(
            pointer,
            keyword,
            f"{reference!r} leads nowhere",
            "give the document it names as a resource; nothing is fetched",
        ) from None
    return resolved.contents, resolved.resolver


def scope_of(resolver: Any) -> tuple[str, ...]:
    """Return the documents on the way to here, each once, which dynamic references depend on."""
    return tuple(dict.fromkeys(uri for uri, _ in resolver.dynamic_scope()))


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
