"""The schemas of a document as a graph: which ask for which, and where that turns.

An edge is a keyword that holds a schema, or a reference. It *turns* where a larger schema at its
end makes a smaller one at its beginning: ``not``, ``if``, ``oneOf``, and ``contains`` beside
``maxContains``. References that are no plain pointers may lead to any schema.

Example: in ``{"not": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}}`` the ``not`` of the root turns
what is asked at ``/$defs/a``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from maskc.jsonschema.keywords import REFERENCES, Path, subschemas_of, year_of

DEFINITIONS = ("$defs", "definitions")
TURNING = ("not", "if", "oneOf", "maxContains")
UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
# Keywords by which schemas are put together; they are left out in this order.
COMBINING = (
    *("not", "if", "oneOf", "anyOf", "allOf", "dependentSchemas", "dependencies"),
    *(*REFERENCES, *UNEVALUATED),
)
ABOUT_SAME_VALUE = frozenset((*COMBINING, "then", "else"))


class SchemaUses:
    """The schemas of a document, and which of them ask for which."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.schemas: dict[Path, Any] = {}  # by path, those that references alone lead to included
        # the path of a schema, the keyword, and the path of what it asks for
        self.edges: list[tuple[Path, str, Path]] = []
        self._anywhere: list[Path] = []  # those whose references may lead to any schema
        self.is_old = False  # whether a dialect in it reads nothing beside `$ref`
        references: list[tuple[Path, str, Any]] = []
        open_: list[Path] = [()]
        while open_:
            path = open_.pop()
            schema = find(document, path)
            if path in self.schemas:
                continue
            self.schemas[path] = schema
            if not isinstance(schema, dict):
                continue
            if "$schema" in schema and year_of(schema["$schema"], 4) < 2019:
                self.is_old = True
            for steps, _ in subschemas_of(schema, None):
                open_.append(path + steps)
                if steps[0] not in DEFINITIONS:
                    self.edges.append((path, str(steps[0]), path + steps))
            for keyword in REFERENCES:
                if keyword in schema:
                    target = self._target(schema[keyword])
                    references.append((path, keyword, target))
                    open_ += [] if target is None else [target]
        has_names = any(p and _is_named(schema) for p, schema in self.schemas.items())
        for path, keyword, target in references:
            if target is None or has_names:
                self._anywhere.append(path)
            else:
                self.edges.append((path, keyword, target))

    def _target(self, reference: Any) -> Path | None:
        """Return the path that a reference of plain steps leads to."""
        if reference == "#":
            return ()
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        path = to_path(self.document, unquote(reference[1:]))
        return path if isinstance(find(self.document, path), dict | bool) else None

    def turning(self, path: Path) -> list[tuple[Path, str]]:
        """Return the keywords that make a larger schema at a path a smaller whole."""
        before: dict[Path, list[Path]] = {}
        for source, _, target in self.edges:
            before.setdefault(target, []).append(source)
        reaching, open_ = {path, *self._anywhere}, [path, *self._anywhere]
        while open_:
            for source in before.get(open_.pop(), ()):
                if source not in reaching:
                    reaching.add(source)
                    open_.append(source)
        found: dict[tuple[Path, str], None] = {}
        for source, keyword, target in self.edges:
            turns = "maxContains" if keyword == "contains" else keyword
            if target in reaching and turns in TURNING and turns in self.schemas[source]:
                found[source, turns] = None
        return list(found)

    def has(self, path: Path, keyword: str) -> bool:
        schema = self.schemas[path]
        return isinstance(schema, dict) and keyword in schema

    def holder(self, path: Path) -> Path:
        """Return the path of the innermost schema at a path or around it."""
        return max((p for p in self.schemas if p == path[: len(p)]), key=len)

    def about_same_value(self, path: Path) -> Iterator[Path]:
        """Yield the schemas that say something of the same value, the nearest first."""
        after: dict[Path, list[Path]] = {}
        for source, keyword, target in self.edges:
            if keyword in ABOUT_SAME_VALUE:
                after.setdefault(source, []).append(target)
        known, open_ = {path}, [path]
        for here in open_:  # grows while we walk it
            yield here
            for target in after.get(here, ()):
                if target not in known:
                    known.add(target)
                    open_.append(target)


def _is_named(schema: Any) -> bool:
    return isinstance(schema, dict) and ("$id" in schema or "id" in schema)


class Missing:
    """Stands for what a document does not have."""


def find(document: Any, path: Path) -> Any:
    """Return what stands at a path, or a :class:`Missing`."""
    here = document
    for step in path:
        try:
            here = here[step]
        except (LookupError, TypeError):
            return Missing()
    return here


def to_path(document: Any, pointer: str) -> Path:
    """Return the path of a JSON pointer in a document."""
    here, found = document, list[str | int]()
    for step in pointer.split("/")[1:]:
        name: str | int = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and step.isdecimal():
            name = int(step)
        found.append(name)
        here = find(here, (name,))
    return tuple(found)
