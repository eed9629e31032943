"""What may come next after a text of a structural tag, or of tools, and which part a token reads.

The masks say what is legal; where a text dies is said, and not of which part of the tag. Names of
special tokens in the text are those tokens.

A reply is linked of pieces: fixed text, free text, patterns, JSON, texts of a grammar. A token
belongs to the piece that reads its first byte; of JSON, to the key, string and so on that it reads
(:mod:`maskc.explain.groups`). Tokens that are taken whatever they write are special ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from maskc.explain import Death, TextJudge, TextReading, TokenGroup
from maskc.explain.groups import Named, find_blanks, list_groups, name_parts
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata.automaton import Words
from maskc.runtime.link.joining.grammar_piece import MachinePiece
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.link.joining.pieces import AutomatonPiece, Link, Piece, SchemaPiece
from maskc.runtime.link.joining.switching import Markers
from maskc.runtime.link.plan.replies import cut_reply, names_of
from maskc.runtime.link.text import FreeText
from maskc.runtime.link.text.forbidding_schema import ForbiddingSchemaPiece
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.matcher import Matcher

_SPECIAL = "special token"


class LinkJudge(TextJudge[Death]):
    """Explains texts of an artifact of a structural tag, or of tools."""

    def __init__(self, artifact: Artifact) -> None:
        super().__init__(artifact)
        self._here: tuple[Any, ...] = artifact.machine.start()

    def read(self, text: bytes) -> Death | None:
        machine, matcher, offset = self.artifact.machine, self.matcher, 0
        names = names_of(self.artifact.header)
        by_id = {token: name for name, token in names.items()}
        for part in cut_reply(text.decode(errors="surrogateescape"), names):
            if isinstance(part, int):
                name = by_id[part].encode()
                if not matcher.accept_token(part):
                    return Death(offset, name[0], ())
                self._here = () if matcher.is_terminated else machine.take(self._here, part)
                offset += len(name)
                continue
            data = part.encode(errors="surrogateescape")
            death = _step(matcher, data, offset)
            for byte in data if death is None else data[: death.offset - offset]:
                self._here = machine.step(self._here, bytes([byte]))
            if death is not None:
                return death
            offset += len(data)
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
        return self._of_rest(link, blanks, text[len(blanks) :])

    def _of_rest(self, link: Link, blanks: bytes, rest: bytes) -> set[str | None]:
        """Return the parts of what follows blanks: perhaps no longer of the same JSON text."""
        key = (link, blanks)
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
