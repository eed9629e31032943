"""What may come next after a text of a JSON Schema, of a structural tag, or of tools.

The masks say what is legal. Which keywords of a schema forbid a token is asked of the compiler,
with keywords left out (:mod:`maskc.explain.causes`). Of a tag only where a text dies is said, and
not of which part; names of special tokens in the text are those tokens.

A reply is linked of pieces: fixed text, free text, patterns, JSON, texts of a grammar. A token
belongs to the piece that reads its first byte; of JSON, to the key, string and so on that it reads
(:mod:`maskc.explain.groups`). Tokens that are taken whatever they write are special ones.

Example: after ``{"a"`` of a schema that requires b the token ``:1}`` is forbidden by ``/required``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from maskc.errors import SchemaError
from maskc.explain import Death, Refusal, TextJudge, TextReading, TokenGroup, list_texts
from maskc.explain.causes import find_causes
from maskc.explain.groups import Named, find_blanks, group_texts, list_groups, name_parts
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.reader import read_schema
from maskc.kinds import LINK
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache import Budget
from maskc.runtime.link import names_of
from maskc.runtime.link.automata import Words
from maskc.runtime.link.joining import LinkMachine
from maskc.runtime.link.joining.machine_pieces import MachinePiece, SchemaPiece
from maskc.runtime.link.joining.pieces import AutomatonPiece, Link, Markers, Piece
from maskc.runtime.link.text import FreeText
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.without_words import ForbiddingSchemaPiece
from maskc.runtime.matcher import Matcher
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan import JsonLayout, Plan

_CACHE_BYTES = 1 << 24
_FREE: dict[str, Any] = {
    "key_order": "any",
    "blanks": "any",
    "escapes": "any",
    "numbers": "any",
    "digits": None,
}

_SPECIAL = "special token"


class SchemaJudge(TextJudge):
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


class LinkJudge(TextJudge):
    """Explains texts of an artifact of a structural tag, or of tools."""

    def __init__(self, artifact: Artifact) -> None:
        super().__init__(artifact)
        self._here: tuple[Any, ...] = artifact.machine.start()

    def read(self, text: bytes) -> Death | None:
        machine, matcher, offset = self.artifact.machine, self.matcher, 0
        by_id = {token: name for name, token in names_of(self.artifact.header).items()}
        for part in LINK.cut(self.artifact.header, text):
            if isinstance(part, int):
                name = by_id[part].encode()
                if not matcher.accept_token(part):
                    return Death(offset, name[0], ())
                self._here = () if matcher.is_terminated else machine.take(self._here, part)
                offset += len(name)
                continue
            death = _step(matcher, part, offset)
            for byte in part if death is None else part[: death.offset - offset]:
                self._here = machine.step(self._here, bytes([byte]))
            if death is not None:
                return death
            offset += len(part)
        return None

    def group(self, legal: Sequence[int]) -> tuple[TokenGroup, ...]:
        return group_link(self.artifact, self._here, legal)

    def try_token(self, token: bytes) -> tuple[Death | None, tuple[TextReading, ...]]:
        return _step(self.matcher.fork(), token, 0), ()


def _step(matcher: Matcher, data: bytes, offset: int) -> Death | None:
    for index, byte in enumerate(data):
        if not matcher.accept_bytes(bytes([byte])):
            return Death(offset + index, byte, ())
    return None


def group_link(
    artifact: Artifact, here: tuple[Link, ...], legal: Iterable[int]
) -> tuple[TokenGroup, ...]:
    machine = artifact.machine
    if not isinstance(machine, LinkMachine):
        raise TypeError(f"{type(machine).__name__} is of no link")
    shown = {token: name.encode() for name, token in names_of(artifact.header).items()}
    atoms = set(machine.list_atoms(here))
    names = _Names(machine, here)
    found: Named = {}
    for token_id in legal:
        text = artifact.token_bytes(token_id)
        if token_id in atoms:
            found.setdefault(_SPECIAL, []).append(shown.get(token_id) or text or b"")
        elif text is not None:
            for name in names.of(token_id, text):
                found.setdefault(name, []).append(text)
    return list_groups(found)


class _Names:
    """Names the parts that tokens are of."""

    def __init__(self, machine: LinkMachine, here: tuple[Link, ...]) -> None:
        self._machine = machine
        self._masks = [(link, machine.mask(link).words) for link in here]
        self._after: dict[tuple[Link, bytes], tuple[Link, ...]] = {}

    def of(self, token_id: int, text: bytes) -> set[str | None]:
        """Return the parts that a legal token is of; ``None``: it is blanks between parts."""
        found: set[str | None] = set()
        for link, words in self._masks:
            if np.uint32(words[token_id // 32]) >> np.uint32(token_id % 32) & np.uint32(1):
                found |= self._of(link, text)
        return found

    def _of(self, link: Link, text: bytes) -> set[str | None]:
        match link.piece:
            case SchemaPiece():
                inner = link.inner
            case ForbiddingSchemaPiece():
                inner = link.inner.schema
            case piece:
                return {_name_piece(piece)}
        blanks = find_blanks(inner, text)
        if len(blanks) == len(text):
            return {None}
        if not blanks:
            return set(name_parts(inner, text[0]))
        # What follows blanks is perhaps no longer of the same JSON text.
        key, rest = (link, blanks), text[len(blanks) :]
        if key not in self._after:
            self._after[key] = self._machine.begin((link,), blanks)
        found: set[str | None] = set()
        for after in self._after[key]:
            if self._machine.boundaries.step((after,), rest):
                found |= self._of(after, rest)
        return found


def _name_piece(piece: Piece) -> str:
    match piece:
        case MachinePiece():
            return "grammar"
        case LimitedPiece() | AutomatonPiece(automaton=FreeText()):
            return "free text"
        case AutomatonPiece(automaton=Words() | Markers()):
            return "fixed text"
    return "pattern"
