"""Short texts of a JSON Schema and of a link, and those of any machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from maskc.runtime.budget.cells import FAR, Writing, text_of
from maskc.runtime.budget.completions import Completions, Texts
from maskc.runtime.budget.forgetting import Forgetting
from maskc.runtime.budget.links import LinkTexts, size_of
from maskc.runtime.budget.parsing import ParsedTexts
from maskc.runtime.budget.values import ShortValues
from maskc.runtime.glr.machine import GlrMachine
from maskc.runtime.holes.machine import HoleMachine
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.link.joining.pieces import Link, SchemaPiece
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece, Reading
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import Configuration

_MOST_READINGS = 8  # hypotheses of which words are looked for
_MOST_BYTES = 20_000  # of a text of a grammar in a link
_FILLERS = b"abcdefghijklmnopqrstuvwxyz .-0"


class _Json(Texts):
    """Those of a JSON Schema.

    Args:
        machine: of the schema.
        writing: writes them in tokens.
    """

    def __init__(self, machine: SchemaMachine, writing: Writing) -> None:
        self.values = ShortValues(machine.plan, _find_filler(writing))
        self._forgetting = Forgetting(machine, writing.index.tokens)

    def propose(self, hypotheses: Hypotheses) -> Iterator[bytes | int]:
        yield from self.values.propose(hypotheses[0])

    def estimate(self, hypotheses: Hypotheses) -> int:
        return min(self.values.measure(node)[0] for node in hypotheses[0].nodes)

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        found = self._forgetting.forget(hypotheses[0])
        return hypotheses if found is hypotheses[0] else (found,)

    def margin(self, hypotheses: Hypotheses) -> int:
        return int(self._forgetting.is_key(hypotheses[0]))


class _Linked(Texts):
    """Those of a link.

    Args:
        writing: writes them in tokens.
    """

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._json: dict[SchemaMachine, _Json] = {}
        self._parsed: dict[Machine[Any], Completions] = {}
        self._texts = LinkTexts(lambda machine: self._json_of(machine).values, self._finish_parsed)

    def _json_of(self, machine: SchemaMachine) -> _Json:
        found = self._json.get(machine)
        if found is None:
            found = self._json[machine] = _Json(machine, self._writing)
        return found

    def _finish_parsed(self, machine: Machine[Any], here: Hypotheses) -> bytes | None:
        """Return what finishes a text of a grammar."""
        completions = self._parsed.get(machine)
        if completions is None:
            texts = open_texts(machine, self._writing)
            completions = self._parsed[machine] = Completions(machine, texts, self._writing)
        cell = completions.find(here)
        return None if cell is None else text_of(cell, _MOST_BYTES)

    def propose(self, hypotheses: Hypotheses) -> Iterator[bytes | int]:
        """Yield words; see the base class."""
        links: list[Link] = sorted(hypotheses, key=self._estimate)
        for link in links[:_MOST_READINGS]:
            opened = self._open(link)
            word: bytes | int = b""
            if opened is not None:
                word = next(opened[0].propose((opened[1],)), b"")
            if not word:
                word = next((part for part in self._texts.propose(link) if part != b""), b"")
            if word != b"":
                yield word

    def estimate(self, hypotheses: Hypotheses) -> int:
        """Return about how many bytes are left."""
        return min(map(self._estimate, hypotheses))

    def _estimate(self, link: Link) -> int:
        opened = self._open(link)
        if opened is None:
            written = self._texts.finish(link)
            return FAR if written is None else size_of(written)
        after = self._texts.rest(link.rest)
        n_after = FAR if after is None else size_of(after)
        return min(FAR, opened[0].estimate((opened[1],)) + n_after)

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses without the keys that were there."""
        found = []
        for link in hypotheses:
            opened = self._open(link)
            inner = link.inner
            if opened is not None:
                (schema,) = opened[0].forget((opened[1],))
                if schema is not opened[1]:
                    is_barred = isinstance(link.piece, BarredSchemaPiece)
                    inner = Reading(schema, inner.at) if is_barred else schema
            found.append(link if inner is link.inner else Link(link.piece, inner, link.rest))
        return tuple(dict.fromkeys(found))

    def margin(self, hypotheses: Hypotheses) -> int:
        """Return how many tokens are added; see the base class."""
        opened = [found for found in map(self._open, hypotheses) if found is not None]
        return max((texts.margin((here,)) for texts, here in opened), default=0)

    def _open(self, link: Link) -> tuple[_Json, Configuration] | None:
        """Return the JSON text that a hypothesis has open."""
        piece, inner = link.piece, link.inner
        if isinstance(piece, BarredSchemaPiece):
            piece, inner = piece.piece, inner.schema
        if not isinstance(piece, SchemaPiece):
            return None
        return self._json_of(piece.machine), inner

    def clear(self) -> None:
        """Forget what is remembered of grammars; all else is bounded."""
        self._parsed.clear()

    @property
    def n_bytes(self) -> int:  # type: ignore[override]  # it grows
        """About how much is remembered."""
        return self._texts.n_bytes + sum(each.n_bytes for each in self._parsed.values())


def open_texts(machine: Machine[Any], writing: Writing) -> Texts:
    """Return what is known of a machine's texts."""
    if isinstance(machine, LinkMachine):
        return _Linked(writing)
    if isinstance(machine, SchemaMachine):
        return _Json(machine, writing)
    if isinstance(machine, HoleMachine):
        machine = machine.machine
    if isinstance(machine, LalrMachine | GlrMachine):
        return ParsedTexts(machine, writing.written)
    return Texts()


def _find_filler(writing: Writing) -> str:
    """Return the character of which one token writes the most."""
    texts = (text for text in writing.index.texts if text[:1] in _FILLERS)
    runs = [text for text in texts if not text.strip(text[:1])]
    return max(sorted(runs), key=len, default=_FILLERS[:1])[:1].decode()
