"""The location of a schema, and checked access to what its keywords hold.

Errors name schemas by JSON pointers of the document; what a reference leads to, by an anchor or an
identifier further in, is looked for.

Example: at ``{"minItems": 2}``, ``count("minItems")`` is 2 and ``count("maxItems")``
is ``None``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from maskc.errors import SchemaError
from maskc.jsonschema.formulas import to_fraction
from maskc.jsonschema.keywords import REFERENCES, SchemaDialect, dialect_of, is_known, pointer_to
from maskc.jsonschema.resources import walk

# Of characters, items or members; one more is still a number that a plan may hold.
MAX_COUNT: Final = 1_000_000_000_000


class SchemaLocation:
    """Where a schema stands. It does not change; compiled, a dataclass takes ten times as long.

    Attributes:
        is_entered: whether ``resolver`` knows the schema's own identifier.
    """

    __slots__ = ("dialect", "is_entered", "pointer", "resolver", "schema")

    def __init__(
        self,
        schema: Any,
        resolver: Any,
        pointer: str,
        dialect: SchemaDialect,
        *,
        is_entered: bool = False,
    ) -> None:
        self.schema, self.resolver = schema, resolver
        self.pointer, self.dialect, self.is_entered = pointer, dialect, is_entered

    def below(self, schema: Any, *steps: str | int) -> SchemaLocation:
        return SchemaLocation(schema, self.resolver, self.pointer + pointer_to(steps), self.dialect)

    def fault(self, keyword: str, reason: str, remedy: str) -> SchemaError:
        return SchemaError(self.pointer, keyword, reason, remedy)

    def count(self, keyword: str) -> int | None:
        """Return a keyword's number of things, ``None`` if it does not exist."""
        if keyword not in self.schema:
            return None
        value = self.schema[keyword]
        number = to_fraction(value, self.pointer, keyword)
        if number.denominator != 1 or number < 0:
            raise self.fault(keyword, f"is {value}", "write a non-negative integer")
        if number > MAX_COUNT:
            raise self.fault(
                keyword,
                f"is more than {MAX_COUNT:,}",
                "leave out a maximum that large; no text reaches such a minimum",
            )
        return int(number)

    def flag(self, keyword: str, remedy: str) -> bool:
        found = self.schema.get(keyword, False)
        if not isinstance(found, bool):
            raise self.fault(keyword, "is not a Boolean", remedy)
        return found

    def map(self, keyword: str) -> dict[str, Any]:
        found = self.schema[keyword]
        if not isinstance(found, dict):
            raise self.fault(keyword, "is not an object", "write names and schemas")
        return found

    def schemas(self, keyword: str) -> list[SchemaLocation]:
        found = self.schema[keyword]
        if not isinstance(found, list) or not found:
            raise self.fault(keyword, "is not a list of schemas", "write at least one schema")
        return [self.below(schema, keyword, n) for n, schema in enumerate(found)]

    def references(self) -> list[str]:
        """Return the keywords that refer to another schema, as the dialect knows them."""
        known = [keyword for keyword in REFERENCES if keyword in self.schema]
        return [keyword for keyword in known if is_known(keyword, self.dialect.year)]

    def names(self, keyword: str, names: Any) -> list[str]:
        if self.dialect.year == 4 and isinstance(names, bool) and keyword == "required":
            return []  # draft 3 wrote it so; in draft 4 it means nothing
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            remedy = "write a list of strings"
            if isinstance(names, bool):
                remedy = "name the key in the required of the object that has it"
            raise self.fault(keyword, "is not a list of names", remedy)
        return names


def name_draft(name: str) -> str:
    """Return how a schema says that it is of an older draft."""
    return f'give "$schema": "http://json-schema.org/{name}/schema#"'


class SchemaLocations:
    """The locations of schemas: with their own identifiers and dialects, and where references lead.

    Args:
        root: the document.
        dialect: of the root, and of documents that do not name theirs.
        documents: URI → parsed schema, as the caller gave them.
        note: is told each dialect that a schema names, once.
    """

    def __init__(
        self,
        root: Any,
        dialect: SchemaDialect,
        documents: Mapping[str, Any],
        note: Callable[[SchemaDialect], None],
    ) -> None:
        self._root, self._root_dialect, self._documents, self._note = root, dialect, documents, note
        self._pointers: dict[int, str] | None = None  # by the identity of a schema
        self._targets: dict[Any, SchemaLocation] = {}
        self._dialects: dict[str, SchemaDialect] = {}

    def enter(self, location: SchemaLocation) -> SchemaLocation:
        """Return a schema's location with its own identifier and dialect."""
        schema, dialect = location.schema, location.dialect
        if "$schema" in schema and ("$id" in schema or "id" in schema or not location.pointer):
            dialect = self._dialect(schema["$schema"], location.pointer)
        if dialect.left_out:
            schema = {name: held for name, held in schema.items() if name not in dialect.left_out}
        if location.is_entered or "$id" not in schema and "id" not in schema:
            if dialect is location.dialect and schema is location.schema:
                return location
            return SchemaLocation(schema, location.resolver, location.pointer, dialect)
        # The dialect around a schema says what its identifier is.
        resolver = location.resolver.enter(schema, location.dialect, location.pointer)
        return SchemaLocation(schema, resolver, location.pointer, dialect)

    def _dialect(self, uri: Any, pointer: str) -> SchemaDialect:
        dialect = self._dialects.get(uri) if isinstance(uri, str) else None
        if dialect is None:
            dialect = dialect_of(uri, pointer, self._documents)
            self._dialects[uri] = dialect
            self._note(dialect)
        return dialect

    def target(self, location: SchemaLocation, keyword: str) -> SchemaLocation:
        """Return the location that a reference leads to."""
        reference = location.schema[keyword]
        asked = (keyword, repr(reference), location.resolver.key)
        found = self._targets.get(asked)
        if found is None:
            found = self._targets[asked] = self._find_target(location, keyword, reference)
        return found

    def _find_target(
        self, location: SchemaLocation, keyword: str, reference: Any
    ) -> SchemaLocation:
        contents, resolver = location.resolver.follow(reference, keyword, location.pointer)
        if not isinstance(contents, dict | bool):
            raise location.fault(keyword, f"{reference!r} leads to no schema", "correct it")
        pointer = self.pointer_of(contents, reference)
        named = resolver.resource.dialect_uri
        if isinstance(contents, dict) and "$schema" in contents:
            named = contents["$schema"]
        dialect = self._root_dialect if named is None else self._dialect(named, pointer)
        return SchemaLocation(contents, resolver, pointer, dialect, is_entered=True)

    def pointer_of(self, schema: Any, reference: str) -> str:
        """Return where a schema is; of one in another document, the reference.

        Args:
            schema: what the reference leads to, the object itself.
        """
        pointer = unquote(reference[1:])
        if reference.startswith("#") and self._at(pointer) is schema:
            return pointer
        if self._pointers is None:
            self._pointers = _list_pointers(self._root)
        return self._pointers.get(id(schema), reference)

    def _at(self, pointer: str) -> Any:
        """Return what a pointer leads to, ``None`` if there is nothing."""
        if not pointer.startswith("/"):
            return None if pointer else self._root
        try:
            return [*walk(self._root, pointer)][-1]
        except LookupError:
            return None


def _list_pointers(document: Any) -> dict[int, str]:
    """Return the pointer of each object in a document, by its identity."""
    found: dict[int, str] = {}
    open_: list[tuple[Any, tuple[str | int, ...]]] = [(document, ())]
    while open_:
        here, path = open_.pop()
        if isinstance(here, dict):
            found[id(here)] = pointer_to(path)
            open_ += ((inner, (*path, name)) for name, inner in here.items())
        elif isinstance(here, list):
            open_ += ((inner, (*path, n)) for n, inner in enumerate(here))
    return found
