"""Texts drawn from masks, and finished by the matcher's own short completion.

A token is drawn by its first byte, so that what a mask has few of comes as well. Where free text
may turn to a tag, its trigger is tried now and then. Names of special tokens stand for them.

Limits: where the matcher knows no completion within its steps, a text has no end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from maskc.artifact.sections import is_link
from maskc.errors import LimitError, TokensLeftError
from maskc.runtime.artifact import Artifact
from maskc.runtime.link import names_of
from maskc.runtime.link.automata import ATOM
from maskc.runtime.link.plan import read_link
from maskc.runtime.matcher import Matcher
from maskc.verify.json_judge import (
    BlankLayout,
    NotJsonError,
    NotJudgedError,
    read_json,
    write_value,
)

Part = bytes | int  # of a text: bytes, or a special token

STUCK, NO_END = "stuck", "no end was found within the search"
_UNLIKELY = ((frozenset(range(0x7F, 0x100)), 0.95), (frozenset(b"\\"), 0.9))
_BLANKS, _NUMBER = frozenset(b" \t\r\n"), frozenset(b"0123456789.eE+-,}] \t\r\n")


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text that was drawn."""

    text: str
    n_tokens: int  # drawn, and those added to reach the end; or lexemes, if drawn by the rules
    problem: str | None = None  # why it has no end, None if it has one
    n_retries: int = 0  # how often something was drawn or searched again
    rules: frozenset[int] = frozenset()  # numbers of those that it was made with

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "tokens": self.n_tokens, "problem": self.problem}


class TokenDrawer:
    """Draws legal tokens of one artifact: a first byte, then a token that begins with it.

    Escapes, blanks and what is not ASCII are rare, and most numbers are short. A special token
    without a name cannot be told in a text, and is not drawn.
    """

    def __init__(
        self, artifact: Artifact, named: Iterable[int] = (), *, likely_without_blanks: float = 0.9
    ) -> None:
        self._artifact, self._named = artifact, frozenset(named)
        self._unlikely = (*_UNLIKELY, (_BLANKS, likely_without_blanks))

    def take(self, matcher: Matcher, draw: Random, written: list[Part]) -> str | None:
        """Take a legal token that does not end the text; return what kept it from that."""
        token = self._draw(matcher, draw, written[-1] if written else b"")
        if token is None:
            return STUCK
        if not matcher.accept_token(token):
            return f"token {token} is legal in the mask and refused"
        written.append(self._artifact.token_bytes(token) or token)
        return None

    def _draw(self, matcher: Matcher, draw: Random, last: Part) -> int | None:
        artifact = self._artifact
        legal = matcher.legal_tokens()
        legal = legal[~np.isin(legal, artifact.eos_ids)]
        first = artifact.table.first_bytes[legal]
        named = [token for token in legal[first < 0].tolist() if token in self._named]
        groups = sorted({*first[first >= 0].tolist(), *([-1] if named else [])})
        if not groups:
            return None
        for unlikely, share in self._unlikely:
            kept = [group for group in groups if group not in unlikely]
            if kept and draw.random() < share:
                groups = kept
        if isinstance(last, bytes) and last[-1:].isdigit() and _NUMBER.issuperset(groups):
            groups = _shorten_number(draw, groups)
        group = draw.choice(groups)
        return int(draw.choice(named if group < 0 else legal[first == group].tolist()))


class MaskDrawer:
    """Draws texts of one artifact: of a JSON Schema, each in a layout drawn for it if legal."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact, self._is_link = artifact, is_link(artifact.header)
        self._names = {token: name for name, token in names_of(artifact.header).items()}
        self._triggers: list[list[Part]] = []
        if self._is_link:
            for text in read_link(artifact.contents).texts:
                self._triggers += [
                    [bytes([symbol]) if symbol < ATOM else symbol - ATOM for symbol in word]
                    for word in text.triggers
                ]
        blanks = 0.9 if self._is_link else 1  # of a schema, the layout has them
        self._tokens = TokenDrawer(artifact, self._names, likely_without_blanks=blanks)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text of these numbers, ended after ``max_tokens`` tokens at most."""
        draw = Random(f"{seed}:{number}")
        matcher, written, problem = self._artifact.matcher(), list[Part](), None
        for _ in range(draw.randint(1, max_tokens)):
            if problem is not None or (matcher.is_accepting and draw.random() < 0.15):
                break
            if self._triggers and draw.random() < 0.15:
                trigger, after = draw.choice(self._triggers), matcher.fork()
                if all(
                    after.accept_token(part) if isinstance(part, int) else after.accept_bytes(part)
                    for part in trigger
                ):
                    matcher = after
                    written += trigger
            problem = self._tokens.take(matcher, draw, written)
        end = find_end(self._artifact, matcher)
        if problem in (None, STUCK):
            problem = NO_END if end is None else None
        parts = [*written, *(end or [])]
        drawn = GeneratedText(self._spell(parts), len(parts), problem)
        return drawn if self._is_link or problem else self._lay_out(drawn, seed, number)

    def _lay_out(self, drawn: GeneratedText, seed: int, number: int) -> GeneratedText:
        layout = Random(f"{seed}:{number}:layout").choice(list(BlankLayout))
        try:
            laid_out = write_value(read_json(drawn.text), layout)
        except (NotJsonError, NotJudgedError):
            return drawn
        matcher = self._artifact.matcher()
        is_legal = matcher.accept_bytes(laid_out.encode()) and matcher.is_accepting
        return replace(drawn, text=laid_out) if is_legal else drawn

    def _spell(self, written: list[Part]) -> str:
        parts = (p if isinstance(p, bytes) else self._names.get(p, "").encode() for p in written)
        return b"".join(parts).decode(errors="replace")


def join_parts(written: Iterable[Part]) -> bytes:
    """Return the bytes of a text, without its special tokens."""
    return b"".join(part for part in written if isinstance(part, bytes))


def find_end(artifact: Artifact, matcher: Matcher) -> list[Part] | None:
    """Return what finishes a text, ``None`` if no completion is known."""
    try:
        tokens = matcher.shortest_completion().tokens[:-1]
    except (LimitError, TokensLeftError):
        return None
    return [artifact.token_bytes(token) or token for token in tokens]


def _shorten_number(draw: Random, groups: list[int]) -> list[int]:
    """Return the bytes to choose from: most numbers are short and have no exponent."""
    ends = [byte for byte in groups if byte in b",}]"]
    if ends and draw.random() < 0.3:
        return ends
    plain = [byte for byte in groups if byte not in b"eE"]
    return plain if plain and draw.random() < 0.95 else groups
