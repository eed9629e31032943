"""Resolves references, by the identifiers and anchors of all documents.

A *resource* is a document, or a schema in one that has an identifier. A reference is read in the
resource where it stands. A dynamic one is read again in the *dynamic scope*, the resources on the
way from the root to it: the outermost that has its anchor wins. Documents are found among those
that the caller gave and the standard's own meta-schemas; nothing is fetched.

Example: where a list's items are ``{"$dynamicRef": "#item"}``, a document that refers to the list
says by a ``$dynamicAnchor`` of its own what an item is.

Source: JSON Schema Core 2020-12, 7.1 and 8.2; 2019-09, 8.2.4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from jsonschema_specifications import REGISTRY

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import SchemaDialect, subschemas_of, year_of

# The name of a resource's root as a dynamic anchor, by ``$recursiveAnchor``.
_RECURSIVE = "#"


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A document, or a schema in one that has an identifier."""

    uri: str
    contents: Any
    dialect_uri: Any  # what `$schema` of it, or of what is around it, names; None without one
    year: int
    # name → schema, the dynamic ones included
    anchors: dict[str, Any] = field(default_factory=dict)
    dynamic: set[str] = field(default_factory=set)  # the names that are dynamic


class Documents:
    """All documents of a compilation, read when a reference needs more than a pointer."""

    def __init__(self, root: Any, given: Mapping[str, Any], dialect: SchemaDialect) -> None:
        for uri, contents in sorted(given.items()):
            if isinstance(contents, dict) and not isinstance(contents.get("$schema", ""), str):
                raise SchemaError(
                    "",
                    "$schema",
                    f"is not a string in the resource {uri!r}",
                    "write the dialect's URI",
                )
        self._document, self._given, self._dialect = root, given, dialect
        self._root: Resource | None = None
        self._known: dict[str, Resource] = {}
        self._begun: dict[int, Resource] = {}  # by the identity of the schema

    @property
    def root(self) -> Resource:
        if self._root is None:
            schema = self._document if isinstance(self._document, dict) else {}
            keyword = _keyword_of(self._dialect.year)
            if not isinstance(schema.get(keyword, ""), str):
                raise _no_identifier("", keyword)
            uri = _identify(schema, "", self._dialect.year, "") or ""
            self._root = Resource(uri, self._document, schema.get("$schema"), self._dialect.year)
        return self._root

    def find(self, uri: str) -> Resource:
        self.read()
        if uri not in self._known:
            self._add(uri, REGISTRY[uri].contents)
        return self._known[uri]

    def read(self) -> None:
        """Find the resources and anchors of the documents that were given."""
        if not self._known:
            self._known[self.root.uri] = self.root
            self._read(self.root)
            for uri, contents in sorted(self._given.items()):
                self._add(uri.rstrip("#"), contents)

    def enter(self, schema: dict[str, Any], around: Resource, year: int, pointer: str) -> Resource:
        """Return the resource that a schema begins, or the one around it."""
        uri = _identify(schema, around.uri, year, pointer)
        if uri is None:
            return around
        self.read()
        if uri not in self._known:
            # It stands in what the dialect does not know as a schema.
            begun = self._begin(schema, around)
            if begun is not around:
                self._read(begun)
        return self._known.get(uri, around)

    def begun_by(self, schema: Any) -> Resource | None:
        """Return the resource that a schema begins, ``None`` if it begins none."""
        if not isinstance(schema, dict) or not _is_named(schema):
            return None
        self.read()
        return self._begun.get(id(schema))

    def _add(self, uri: str, document: Any) -> None:
        around = Resource(uri, None, None, self._dialect.year)
        begun = self._begin(document, around)
        if begun is around:
            begun = Resource(uri, document, None, self._dialect.year)
        self._known.setdefault(uri, begun)
        self._read(begun)

    def _read(self, resource: Resource) -> None:
        open_ = [(resource.contents, resource)]
        while open_:
            schema, around = open_.pop()
            if isinstance(schema, dict):
                _note_anchors(schema, around)
                inner = [below for _, below in subschemas_of(schema, around.year)]
                open_ += [(below, self._begin(below, around)) for below in reversed(inner)]

    def _begin(self, schema: Any, around: Resource) -> Resource:
        """Return the resource that a schema begins, or the one around it."""
        is_document = around.contents is None
        if not isinstance(schema, dict) or not (is_document or _is_named(schema)):
            return around
        dialect_uri, year = around.dialect_uri, around.year
        if "$schema" in schema:
            dialect_uri = schema["$schema"]
            year = year_of(dialect_uri, year, self._given)
        try:
            # The dialect around a schema says what its identifier is.
            uri = _identify(schema, around.uri, year if is_document else around.year, "")
        except SchemaError:
            uri = None  # told where a reference leads to it
        if not is_document and uri in (None, around.uri):
            return around
        begun = Resource(around.uri if uri is None else uri, schema, dialect_uri, year)
        self._begun[id(schema)] = begun
        self._known.setdefault(begun.uri, begun)
        return begun


def _keyword_of(year: int) -> str:
    return "id" if year == 4 else "$id"


def _is_named(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("$id"), str) or isinstance(schema.get("id"), str)


def _no_identifier(pointer: str, keyword: str) -> SchemaError:
    return SchemaError(pointer, keyword, "is not a URI", "write one, or leave it out")


def _identify(schema: dict[str, Any], base: str, year: int, pointer: str) -> str | None:
    """Return the URI that a schema's identifier gives it, ``None`` if it has none.

    >>> _identify({"$id": "b.json"}, "http://x.y/a.json", 2020, "")
    'http://x.y/b.json'
    """
    found = schema.get(_keyword_of(year))
    if not isinstance(found, str) or (year < 2019 and ("$ref" in schema or found.startswith("#"))):
        return None
    try:
        return _join(base, found)[0]
    except ValueError:
        raise _no_identifier(pointer, _keyword_of(year)) from None


def _join(base: str, reference: str) -> tuple[str, str]:
    """Return the URI and the fragment that a reference names.

    Raises:
        ValueError: it is no reference.
    """
    if reference.startswith("#"):
        return base, reference[1:]  # urljoin drops a base such as a URN
    urlsplit(reference)  # urljoin takes anything where there is no base
    uri, fragment = urldefrag(urljoin(base, reference))
    return uri, fragment


def _note_anchors(schema: dict[str, Any], resource: Resource) -> None:
    """Note what a schema is called in its resource."""
    if resource.year < 2019:
        name = schema.get(_keyword_of(resource.year))
        if isinstance(name, str) and name.startswith("#"):
            resource.anchors.setdefault(unquote(name[1:]), schema)
        return
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = schema.get(keyword)
        if isinstance(name, str) and (keyword == "$anchor" or resource.year >= 2020):
            resource.anchors.setdefault(name, schema)
            if keyword == "$dynamicAnchor":
                resource.dynamic.add(name)
    is_root = schema is resource.contents
    if is_root and resource.year == 2019 and schema.get("$recursiveAnchor") is True:
        resource.anchors[_RECURSIVE] = schema
        resource.dynamic.add(_RECURSIVE)


class Resolver:
    """Where a schema stands: in which resource, and in which dynamic scope.

    Args:
        resource: ``None`` for the root, as long as nothing was looked up there.
        scope: the URIs of resources on the way here that have dynamic anchors, each once, the
            outermost first, without the root.
    """

    __slots__ = ("_documents", "_resource", "_scope", "key")

    def __init__(
        self, documents: Documents, resource: Resource | None = None, scope: tuple[str, ...] = ()
    ) -> None:
        self._documents, self._resource, self._scope = documents, resource, scope
        # What tells it from others of the compilation.
        self.key = (resource and resource.uri, scope)

    @property
    def resource(self) -> Resource:
        return self._resource or self._documents.root

    def enter(self, schema: dict[str, Any], dialect: SchemaDialect, pointer: str) -> Resolver:
        """Return the resolver inside a subschema."""
        if not _is_named(schema):
            return self
        there = self._documents.enter(schema, self.resource, dialect.year, pointer)
        return self if there is self.resource else self._move(there)

    def follow(self, reference: Any, keyword: str, pointer: str) -> tuple[Any, Resolver]:
        """Return what a reference leads to, and the resolver there."""
        if not isinstance(reference, str):
            raise SchemaError(pointer, keyword, "is not a string", "write a URI reference")
        try:
            return self._follow(reference, keyword)
        except (LookupError, ValueError):
            raise SchemaError(
                pointer, keyword, f"{reference!r} leads nowhere", self._remedy_for(reference)
            ) from None

    def _remedy_for(self, reference: str) -> str:
        """Return what to do about a reference that leads nowhere."""
        if not reference.startswith("#"):
            return "give the document it names as a resource; nothing is fetched"
        name = unquote(reference.rpartition("/")[2])
        for holder in ("$defs", "definitions"):
            with suppress(LookupError):
                list(walk(self.resource.contents, f"/{holder}/{name}"))
                return f"write #/{holder}/{name}, which is there"
        if reference.startswith("#/components/"):
            return "give the whole OpenAPI document, and component='NAME' of the schema"
        return "write the pointer of a subschema of the same document, such as #/$defs/name"

    def _follow(self, reference: str, keyword: str) -> tuple[Any, Resolver]:
        if keyword == "$recursiveRef":
            return self._name(self.resource, _RECURSIVE, is_dynamic=True)
        uri, fragment = _join(self.resource.uri, reference)
        there = self.resource if reference.startswith("#") else self._documents.find(uri)
        fragment = unquote(fragment)
        if not fragment:
            return there.contents, self._move(there)
        if not fragment.startswith("/"):
            return self._name(there, fragment, is_dynamic=keyword == "$dynamicRef")
        contents = there.contents
        for contents in walk(there.contents, fragment):
            begun = self._documents.begun_by(contents)
            if begun is not None:
                there = begun
        return contents, self._move(there)

    def _name(self, there: Resource, name: str, *, is_dynamic: bool) -> tuple[Any, Resolver]:
        """Return the schema of a name, and the resolver there."""
        self._documents.read()
        if is_dynamic and name in there.dynamic:
            there = next((outer for outer in self._list_scope() if name in outer.dynamic), there)
        elif name == _RECURSIVE:
            return there.contents, self._move(there)
        return there.anchors[name], self._move(there)

    def _list_scope(self) -> Iterator[Resource]:
        """Yield the resources of the dynamic scope, the outermost first."""
        yield self._documents.root
        yield from map(self._documents.find, self._scope)

    def _move(self, there: Resource) -> Resolver:
        if there is self._documents.root:
            return Resolver(self._documents, None, self._scope)
        is_new = there.dynamic and there.uri not in self._scope
        return Resolver(
            self._documents, there, (*self._scope, there.uri) if is_new else self._scope
        )


def walk(document: Any, pointer: str) -> Iterator[Any]:
    """Yield what a JSON pointer passes, what it leads to at last, without the document itself.

    Raises:
        LookupError: it leads nowhere.

    >>> list(walk({"a/b": [1, 2]}, "/a~1b/1"))
    [[1, 2], 2]
    """
    here = document
    for step in pointer.split("/")[1:]:
        if isinstance(here, dict):
            here = here[step.replace("~1", "/").replace("~0", "~")]
        elif isinstance(here, list) and step.isdecimal() and step == str(int(step)):
            here = here[int(step)]
        else:
            raise LookupError(step)
        yield here
