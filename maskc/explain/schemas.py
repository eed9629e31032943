"""What may come next after a text of a JSON Schema, and which keywords forbid a token?

The masks say what is legal; what forbids the rest is asked of the compiler, with keywords left out
(:mod:`maskc.explain.causes`).

Example: after ``{"a"`` of a schema that requires b the token ``:1}`` is forbidden by ``/required``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from maskc.errors import SchemaError
from maskc.explain.causes import Causes, find_causes
from maskc.explain.questions import N_EXAMPLES, TokenName, find_token, list_legal, list_texts
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.reader import read_schema
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache.budget import Budget
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import Layout, Plan

_CACHE_BYTES = 1 << 24
_FREE = {"key_order": "any", "blanks": "any", "escapes": "any", "numbers": "usual"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where a text dies, and of what.

    Attributes:
        offset: how many bytes were fine.
        byte: the first byte that is not.
        layout: choices of the layout that forbid it, each by itself, as ``blanks=compact``.
        causes: keywords that do; ``None`` if no schema would allow it.
    """

    offset: int
    byte: int
    layout: tuple[str, ...]
    causes: Causes | None


@dataclass(frozen=True, slots=True)
class SchemaVerdict:
    """Whether a token is legal.

    Attributes:
        token_id: ``None`` if the vocabulary has no such token: it is taken as bytes then.
        token: its bytes; ``None`` for special tokens.
        is_legal: the mask has it.
        refusal: where it dies, ``None`` if it does not, or is special.
    """

    token_id: int | None
    token: bytes | None
    is_legal: bool
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class SchemaExplanation:
    """What may come next after a text.

    Attributes:
        text: the text.
        refusal: where it dies; the rest is empty then.
        may_end: the text may end here.
        forced: what must come next.
        n_legal: tokens in the mask, end-of-sequence tokens included.
        n_tokens: tokens of the vocabulary.
        examples: some of the legal tokens, the shortest first.
        token: what was asked about a token.
    """

    text: bytes
    refusal: Refusal | None
    may_end: bool
    forced: bytes
    n_legal: int
    n_tokens: int
    examples: tuple[bytes, ...]
    token: SchemaVerdict | None


def explain_schema(
    artifact: Artifact,
    text: bytes,
    asked: TokenName | None = None,
    resources: Mapping[str, Any] | None = None,
) -> SchemaExplanation:
    """Return what may come next after a text.

    Args:
        artifact: of a JSON Schema.
        text: from the start.
        asked: a token to explain as well.
        resources: the documents that it was compiled with.

    Raises:
        SchemaError: the schema refers to a document that is not given.
        ValueError: there is no token of that id.
    """
    judge = _Judge(artifact, resources or {})
    n_tokens: int = artifact.header["tokenizer"]["n_tokens"]
    matcher = artifact.matcher()
    if not matcher.accept_bytes(text):
        return SchemaExplanation(text, judge.refuse(b"", text), False, b"", 0, n_tokens, (), None)
    legal = list_legal(artifact, matcher)
    tokens = list_texts(artifact, legal)
    verdict = None
    if asked is not None:
        token_id, token = find_token(artifact, asked)
        is_legal = token_id in legal if token is None else matcher.fork().accept_bytes(token)
        refusal = judge.refuse(text, token) if token is not None and not is_legal else None
        verdict = SchemaVerdict(token_id, token, is_legal, refusal)
    return SchemaExplanation(
        text=text,
        refusal=None,
        may_end=matcher.is_accepting,
        forced=matcher.forced_bytes(),
        n_legal=len(legal),
        n_tokens=n_tokens,
        examples=tuple(sorted(tokens, key=lambda token: (len(token), token))[:N_EXAMPLES]),
        token=verdict,
    )


class _Judge:
    """Says why a text is illegal.

    Args:
        artifact: of a JSON Schema.
        resources: the documents that it was compiled with.
    """

    def __init__(self, artifact: Artifact, resources: Mapping[str, Any]) -> None:
        header = artifact.header
        self._schema = read_schema(header["grammar"]["text"])
        self._layout = Layout(**header["schema_layout"])
        self._asserts = header["schema_formats"] == "asserted"
        self._resources = resources

    def refuse(self, before: bytes, text: bytes) -> Refusal:
        """Return why a text is illegal after another one."""
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

    def _is_legal(self, schema: Any, layout: Layout, text: bytes) -> bool:
        try:
            machine = self._build(schema, layout)
        except SchemaError:
            return False  # without a keyword, another one may have no meaning
        return bool(machine.step(machine.start(), text))

    def _build(self, schema: Any, layout: Layout) -> SchemaMachine:
        data = build_plan(
            schema, resources=self._resources, layout=layout, assert_formats=self._asserts
        )
        budget = Budget(_CACHE_BYTES)
        return SchemaMachine(Plan(data, layout, budget), lambda _: None, budget)
