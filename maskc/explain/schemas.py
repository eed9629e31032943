"""What may come next after a text of a JSON Schema, and which keywords forbid a token.

The masks say what is legal; what forbids the rest is asked of the compiler, with keywords left out
(:mod:`maskc.explain.causes`).

Example: after ``{"a"`` of a schema that requires b the token ``:1}`` is forbidden by ``/required``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from maskc.errors import SchemaError
from maskc.explain import Refusal, TextJudge, TextReading, TokenGroup, list_texts
from maskc.explain.causes import find_causes
from maskc.explain.groups import group_texts
from maskc.jsonschema.compiling import build_plan
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
    """Explains texts of an artifact of a JSON Schema."""

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
