"""What may come next after a text of a JSON Schema, and which keywords forbid a token.

The masks say what is legal; what forbids the rest is asked of the compiler, with keywords left out.

Example: after ``{"a"`` of a schema that requires b the token ``:1}`` is forbidden by ``/required``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from maskc.errors import SchemaError
from maskc.explain.explaining import TextJudge, list_texts
from maskc.explain.groups import group_texts
from maskc.explain.model import Causes, Keyword, Refusal, TextReading, TokenGroup
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.keywords import Path, leave_out, list_subschemas, pointer_to
from maskc.jsonschema.reader import read_schema
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.plan.plan import JsonLayout, Plan

_CACHE_BYTES = 1 << 24
_FREE: dict[str, Any] = {
    "key_order": "any",
    "blanks": "any",
    "escapes": "any",
    "numbers": "any",
    "digits": None,
}


class SchemaJudge(TextJudge[Refusal]):
    """Explains texts of an artifact of a JSON Schema.

    Args:
        artifact: of a JSON Schema.
        resources: the documents that it was compiled with.
    """

    def __init__(self, artifact: Artifact, resources: Mapping[str, Any]) -> None:
        super().__init__(artifact)
        header = artifact.header
        self._text = b""
        self._schema = read_schema(header["grammar"]["text"])
        self._layout = JsonLayout(**header["schema_layout"])
        self._asserts = header["schema_formats"] == "asserted"
        self._formats = header.get("registered_formats", {})
        self._resources = resources

    def read(self, text: bytes) -> Refusal | None:
        refusal = None if self.matcher.accept_bytes(text) else self._refuse(text)
        self._text = text if refusal is None else text[: refusal.offset]
        if refusal is not None:
            self.matcher.accept_bytes(self._text)
        return refusal

    def group(self, legal: Sequence[int]) -> tuple[TokenGroup, ...]:
        machine = self.artifact.machine
        if not isinstance(machine, SchemaMachine):
            raise TypeError(f"{type(machine).__name__} is of no JSON Schema")
        (here,) = machine.step(machine.start(), self._text)
        return group_texts(machine, here, list_texts(self.artifact, legal))

    def try_token(self, token: bytes) -> tuple[Refusal | None, tuple[TextReading, ...]]:
        return None if self.matcher.fork().accept_bytes(token) else self._refuse(token), ()

    def _refuse(self, text: bytes) -> Refusal:
        """Return why a text is illegal after what was read."""
        before = self._text
        machine = self._build(self._schema, self._layout)
        here = machine.start()
        offset = -len(before)
        for byte in before + text:
            after = machine.step(here, bytes([byte]))
            if not after:
                break
            here, offset = after, offset + 1
        else:
            raise ValueError("the schema and the matcher disagree")
        whole = before + text[: offset + 1]
        layout = [
            f"{name}={chosen}"
            for name, chosen in self._layout.to_dict().items()
            if chosen != _FREE[name]
            and self._is_legal(self._schema, replace(self._layout, **{name: _FREE[name]}), whole)
        ]
        causes = None
        if not layout:
            causes = find_causes(self._schema, lambda s: self._is_legal(s, self._layout, whole))
        return Refusal(offset, byte, tuple(layout), causes)

    def _is_legal(self, schema: Any, layout: JsonLayout, text: bytes) -> bool:
        try:
            machine = self._build(schema, layout)
        except SchemaError:
            return False  # without a keyword, another one may have no meaning
        return bool(machine.step(machine.start(), text))

    def _build(self, schema: Any, layout: JsonLayout) -> SchemaMachine:
        frozen = build_plan(
            schema,
            is_altered=True,
            resources=self._resources,
            layout=layout,
            assert_formats=self._asserts,
            formats=self._formats,
        )
        budget = Budget(_CACHE_BYTES)
        return SchemaMachine(Plan(frozen, layout, budget), lambda _: None, budget)


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
    """Return the keywords that forbid a text, ``None`` if none does: it is not JSON, or the layout.

    A keyword *forbids* a text that is legal by the schema without it, whatever keywords do to each
    other. Where none does by itself, a smallest set is found that does together, by QuickXplain
    (Junker, 2004, AAAI): halves are left out first. A schema is compiled at most ``MAX_TRIES``
    times; what was not tried is not named.

    Args:
        schema: parsed.
        is_legal: whether the text is legal by a schema.
    """
    search = _Search(schema, is_legal)
    if not is_legal(True):
        return None
    paths = _list_removable(schema)
    alone = search.find_single_causes(paths)
    together = [] if alone else search.find_together(paths)
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

    def _is_legal_without(self, paths: Sequence[_Removable]) -> bool:
        if self.n_left <= 0:
            return False
        self.n_left -= 1
        keywords = [one.path for one in paths if not one.is_schema]
        subschemas = [one.path for one in paths if one.is_schema]
        return self._is_legal(leave_out(self._schema, keywords, subschemas))

    def find_single_causes(self, paths: list[_Removable]) -> list[_Removable]:
        """Return the keywords without any one of which the text is legal."""
        if not paths or not self._is_legal_without(paths):
            return []
        if len(paths) == 1:
            return paths
        middle = len(paths) // 2
        return self.find_single_causes(paths[:middle]) + self.find_single_causes(paths[middle:])

    def find_together(self, paths: list[_Removable]) -> list[_Removable]:
        """Return a smallest set of keywords without all of which the text is legal."""
        if not paths or not self._is_legal_without(paths):
            return []
        return self._narrow(paths, [], is_new=False)

    def _narrow(
        self, paths: list[_Removable], removed: list[_Removable], *, is_new: bool
    ) -> list[_Removable]:
        """Return those of some keywords that must go when others have gone."""
        if is_new and self._is_legal_without(removed):
            return []
        if len(paths) == 1:
            return paths
        middle = len(paths) // 2
        first, second = paths[:middle], paths[middle:]
        found = self._narrow(second, removed + first, is_new=True)
        return self._narrow(first, removed + found, is_new=bool(found)) + found
