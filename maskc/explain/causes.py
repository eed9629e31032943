"""Finds the keywords of a schema that forbid a text.

A keyword *forbids* a text if the text is legal by the schema without it. That is asked of the
compiler itself, with the keyword left out, so it holds whatever keywords do to each other. Where no
keyword forbids the text by itself, a smallest set is found that does together: without all of them
the text is legal, and with any one of them it is not.

Example: after ``{"a": `` the token ``1`` is forbidden by ``/properties/a/type``.

Source: the set is found by QuickXplain (Junker, 2004, AAAI): halves are left out first.

Limits: a schema is compiled at most ``MAX_TRIES`` times; what was not tried is not named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from maskc.explain import Causes, Keyword
from maskc.jsonschema.keywords import Path, leave_out, list_subschemas, pointer_to

MAX_TRIES = 1_000

_ASSERTIONS = frozenset(
    (
        *("type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum"),
        *("exclusiveMaximum", "minLength", "maxLength", "pattern", "format", "minItems"),
        *("maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "not", "if"),
        *("dependentRequired", "dependencies", "contains", "propertyNames", "oneOf", "anyOf"),
        *("unevaluatedItems", "unevaluatedProperties", "$ref", "$dynamicRef", "$recursiveRef"),
    )
)


class _Removable(NamedTuple):
    """A keyword, or a subschema that is ``false``."""

    path: Path
    is_schema: bool


def find_causes(schema: Any, is_legal: Callable[[Any], bool]) -> Causes | None:
    """Return the keywords that forbid a text, ``None`` if it is not JSON, or the layout."""
    search = _Search(schema, is_legal)
    if not is_legal(True):
        return None
    paths = _list_removable(schema)
    alone = search.find_single_causes(paths)
    together: list[_Removable] = []
    if not alone and paths and search.is_legal_without(paths):
        together = search.narrow(paths, [], is_new=False)
    return Causes(
        tuple(_describe(schema, path) for path in _deepest(alone)),
        tuple(_describe(schema, one.path) for one in together),
        search.n_left > 0,
    )


def _list_removable(schema: Any) -> list[_Removable]:
    """Return the keywords that assert something, and the subschemas that are ``false``."""
    found: list[_Removable] = []
    for subschema in list_subschemas(schema):
        if subschema.schema is False:
            found.append(_Removable(subschema.path, is_schema=True))
        elif not isinstance(subschema.schema, bool):
            found += [
                _Removable((*subschema.path, keyword), is_schema=False)
                for keyword in subschema.schema
                if keyword in _ASSERTIONS and subschema.has(keyword)
            ]
    return found


def _deepest(found: Sequence[_Removable]) -> list[Path]:
    """Return the paths that no other one is inside of."""
    paths = [one.path for one in found]
    return [
        path
        for path in paths
        if not any(len(other) > len(path) and other[: len(path)] == path for other in paths)
    ]


def _describe(schema: Any, path: Path) -> Keyword:
    here = schema
    for step in path:
        here = here[step]
    return Keyword(pointer_to(path), here)


class _Search:
    def __init__(self, schema: Any, is_legal: Callable[[Any], bool]) -> None:
        self._schema, self._is_legal = schema, is_legal
        self.n_left = MAX_TRIES

    def is_legal_without(self, paths: Sequence[_Removable]) -> bool:
        if self.n_left <= 0:
            return False
        self.n_left -= 1
        keywords = [one.path for one in paths if not one.is_schema]
        subschemas = [one.path for one in paths if one.is_schema]
        return self._is_legal(leave_out(self._schema, keywords, subschemas))

    def find_single_causes(self, paths: list[_Removable]) -> list[_Removable]:
        """Return the keywords without any one of which the text is legal."""
        if not paths or not self.is_legal_without(paths):
            return []
        if len(paths) == 1:
            return paths
        middle = len(paths) // 2
        return self.find_single_causes(paths[:middle]) + self.find_single_causes(paths[middle:])

    def narrow(
        self, paths: list[_Removable], removed: list[_Removable], *, is_new: bool
    ) -> list[_Removable]:
        """Return those of some keywords that must go when others have gone."""
        if is_new and self.is_legal_without(removed):
            return []
        if len(paths) == 1:
            return paths
        middle = len(paths) // 2
        first, second = paths[:middle], paths[middle:]
        found = self.narrow(second, removed + first, is_new=True)
        return self.narrow(first, removed + found, is_new=bool(found)) + found
