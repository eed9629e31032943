"""A short text that finishes a linked one, and what is known of the texts of any machine.

What is open is finished as soon as it can be, and of what follows all that must come is written,
each part as short as there is one: no blanks, the shortest of some words, of parameters those that
must come, in the order of the schema.

Example: after ``<tool_call>offer<arg_key>ci`` of ``glm_4_7`` it is
``ty</arg_key><arg_value></arg_value></tool_call>``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, Final

from maskc.runtime.budget.cells import FAR, Writing, text_of
from maskc.runtime.budget.completions import Completions, Texts, Word
from maskc.runtime.budget.parsing import ParsedTexts
from maskc.runtime.budget.values import JsonTexts
from maskc.runtime.effort import spend
from maskc.runtime.glr.machine import GlrMachine
from maskc.runtime.holes.machine import HoleMachine
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.link.automata.automaton import NO_LABEL, START, ByteAutomaton
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    Leaf,
    Repetition,
    Rest,
)
from maskc.runtime.link.joining.grammar_piece import MachinePiece
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    Link,
    Piece,
    SchemaPiece,
    StopPiece,
    TokenPiece,
)
from maskc.runtime.link.joining.switching import SwitchPiece
from maskc.runtime.link.plan.members import Members
from maskc.runtime.link.text.barred_schema import BarredSchemaPiece, Reading
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import Configuration
from maskc.runtime.schema.plan.objects import list_bits

# Bytes, and tokens that are taken whole as -1 - their ids.
Written = tuple[int, ...]

_MOST_READINGS: Final = 8  # hypotheses of which words are looked for
_MOST_BYTES: Final = 20_000  # of a text of a grammar in a link
_MOST_STATES: Final = 20_000  # of an automaton, for one text
_MOST_TARGETS: Final = 24  # that a text may turn to, of which the shortest is taken
_MOST_PASSES: Final = 2_000
_MOST_REMEMBERED: Final = 5_000
_ENTRY_BYTES: Final = 500
_USUAL: Final = bytes(range(0x20, 0x7F))
_ORDER: Final = {byte: at for at, byte in enumerate(_USUAL)}


def open_texts(machine: Machine[Any], writing: Writing) -> Texts:
    """Return what is known of a machine's texts."""
    if isinstance(machine, LinkMachine):
        return LinkTexts(writing)
    if isinstance(machine, SchemaMachine):
        return JsonTexts(machine, writing)
    if isinstance(machine, HoleMachine):
        machine = machine.machine
    if isinstance(machine, LalrMachine | GlrMachine):
        return ParsedTexts(machine, writing.written)
    return Texts()


class LinkTexts(Texts):
    """Short texts of a link."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._json: dict[SchemaMachine, JsonTexts] = {}
        self._parsed: dict[Machine[Any], Completions] = {}
        self._known: dict[Hashable, Written | None] = {}
        self._open: set[Hashable] = set()  # whose text is just being found
        self._n_known_bytes = 0

    def clear(self) -> None:
        """Forget what is remembered of grammars; all else is bounded."""
        self._parsed.clear()

    @property
    def n_bytes(self) -> int:  # type: ignore[override]  # it grows
        """About how much is remembered."""
        return self._n_known_bytes + sum(each.n_bytes for each in self._parsed.values())

    def propose(self, hypotheses: Hypotheses) -> Iterator[Word]:
        """Yield words that may come next, of what has least left first."""
        links: list[Link] = sorted(hypotheses, key=self._estimate)
        for link in links[:_MOST_READINGS]:
            opened = self._open_json(link)
            word: Word = b"" if opened is None else next(opened[0].propose((opened[1],)), b"")
            if word == b"":
                own = () if opened is not None else self._own(link.piece, link.inner)
                word = b"" if own is None else _first_word(own or self._rest(link.rest) or ())
            if word != b"":
                yield word

    def estimate(self, hypotheses: Hypotheses) -> int:
        """Return about how many bytes are left."""
        return min(map(self._estimate, hypotheses))

    def _estimate(self, link: Link) -> int:
        after, opened = self._rest(link.rest), self._open_json(link)
        n_after = FAR if after is None else len(after)
        if opened is not None:
            return min(FAR, opened[0].estimate((opened[1],)) + n_after)
        own = self._own(link.piece, link.inner)
        return FAR if own is None else min(FAR, len(own) + n_after)

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses with what is forgotten of JSON texts forgotten."""
        found = []
        for link in hypotheses:
            opened = self._open_json(link)
            if opened is not None:
                (schema,) = opened[0].forget((opened[1],))
                if schema is not opened[1]:
                    is_barred = isinstance(link.piece, BarredSchemaPiece)
                    inner = Reading(schema, link.inner.at) if is_barred else schema
                    link = Link(link.piece, inner, link.rest)
            found.append(link)
        return tuple(dict.fromkeys(found))

    def margin(self, hypotheses: Hypotheses) -> int:
        """Return how many tokens more finish JSON texts than with some of it forgotten."""
        opened = [found for found in map(self._open_json, hypotheses) if found is not None]
        return max((texts.margin((here,)) for texts, here in opened), default=0)

    def _open_json(self, link: Link) -> tuple[JsonTexts, Configuration] | None:
        """Return the JSON text that a hypothesis has open."""
        piece, inner = link.piece, link.inner
        if isinstance(piece, BarredSchemaPiece):
            piece, inner = piece.piece, inner.schema
        return (self._json_of(piece), inner) if isinstance(piece, SchemaPiece) else None

    def _json_of(self, piece: SchemaPiece) -> JsonTexts:
        if piece.machine not in self._json:
            self._json[piece.machine] = JsonTexts(piece.machine, self._writing)
        return self._json[piece.machine]

    def _remember(self, key: Hashable, find: Callable[[], Written | None]) -> Written | None:
        """Return what is known of an expression, a rest, or a state; find it if nothing is."""
        if key in self._known or key in self._open:
            # One that contains itself is no part of a short text of its own.
            return self._known.get(key)
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
            self._n_known_bytes = 0
        self._open.add(key)
        try:
            found = self._known[key] = find()
        finally:
            self._open.discard(key)
        self._n_known_bytes += _ENTRY_BYTES + 8 * len(found or ())
        return found

    def _rest(self, rest: Rest) -> Written | None:
        """Return a short text of what follows; ``None`` if none is known."""
        return self._remember(rest, lambda: self._find_rest(rest))

    def _find_rest(self, rest: Rest) -> Written | None:
        parts: list[Written | None] = []
        while rest.expression is not None and rest.after is not None:
            parts.append(self._text(rest.expression))
            rest = rest.after
        return _join(parts)

    def _text(self, expression: Expression) -> Written | None:
        """Return a short text of an expression; ``None`` if none is known."""
        if expression.may_be_empty:
            return ()
        return self._remember(expression, lambda: self._find_text(expression))

    def _find_text(self, expression: Expression) -> Written | None:
        if isinstance(expression, Leaf):
            return self._begin(expression.piece)
        if isinstance(expression, Concatenation):
            return _join([self._text(part) for part in expression.parts])
        if isinstance(expression, Choice):
            return _shortest([self._text(part) for part in expression.parts])
        if isinstance(expression, Repetition) and expression.low <= _MOST_PASSES:
            return _join([self._text(expression.body)] * expression.low)
        return self._write_members(expression) if isinstance(expression, Members) else None

    def _begin(self, piece: Piece) -> Written | None:
        """Return a short text of a piece."""
        if isinstance(piece, BarredSchemaPiece):
            piece = piece.piece
        if isinstance(piece, SchemaPiece):
            value = self._json_of(piece).value(piece.machine.plan.root)
            return None if value is None else tuple(value)
        inners = piece.machine.start() if isinstance(piece, MachinePiece) else (START,)
        return _shortest([self._own(piece, inner) for inner in inners])

    def _own(self, piece: Piece, inner: Any) -> Written | None:
        """Return what finishes an open piece that is no schema; ``None`` if nothing is known."""
        if isinstance(piece, MachinePiece):
            key = (piece, piece.identify(inner))
            return self._remember(key, lambda: self._finish_parsed(piece.machine, (inner,)))
        if isinstance(piece, LimitedPiece):
            return self._finish_automaton(piece, piece.automaton, inner.state)
        if isinstance(piece, AutomatonPiece):
            return self._finish_automaton(piece, piece.automaton, inner)
        if isinstance(piece, TokenPiece):
            return () if piece.has_ended(inner) else (-1 - min(piece.ids),)
        return () if isinstance(piece, StopPiece) else None

    def _finish_parsed(self, machine: Machine[Any], here: Hypotheses) -> Written | None:
        if machine not in self._parsed:
            texts = open_texts(machine, self._writing)
            self._parsed[machine] = Completions(machine, texts, self._writing)
        cell = self._parsed[machine].find(here)
        return None if cell is None else tuple(text_of(cell, _MOST_BYTES))

    def _write_members(self, members: Members) -> Written | None:
        """Return the parameters that must come, and as many short ones as are missing."""
        parameters, seen = members.parameters, members.seen
        counts = parameters.counts
        missing = counts.required & ~seen
        needed = counts.low - seen.bit_count() - missing.bit_count()
        numbers: list[int | None] = [*list_bits(missing)]
        if needed > 0:
            others = [*list_bits(counts.possible & ~seen & ~missing)]
            more = {n: self._text(parameters.one(n)) for n in others}
            known = sorted((len(text), n) for n, text in more.items() if text is not None)
            numbers = [*sorted([*list_bits(missing), *(n for _, n in known[:needed])])]
            numbers += [None] * max(0, needed - len(known)) if counts.has_others else []
        return _join([self._text(parameters.one(n)) for n in numbers])

    def _finish_automaton(
        self, piece: Piece, automaton: ByteAutomaton[Any], state: int
    ) -> Written | None:
        return self._remember((piece, state), lambda: self._search(piece, automaton, state))

    def _search(self, piece: Piece, automaton: ByteAutomaton[Any], start: int) -> Written | None:
        """Return the shortest text from a state to where an automaton accepts or turns."""
        todo: deque[tuple[int, Written]] = deque([(start, ())])
        seen = {start}
        turned: list[Written | None] = []
        while todo and len(seen) < _MOST_STATES and len(turned) < _MOST_TARGETS:
            state, text = todo.popleft()
            spend(4 + len(text) // 64)
            if isinstance(piece, SwitchPiece) and state != start:
                label = automaton.label(state)
                if label != NO_LABEL:
                    turned.append(_join([text, self._text(piece.target(label))]))
            if automaton.accepts(state):
                turned.append(text)
                break
            moves = sorted(automaton.moves(state).items(), key=_by_use)
            if automaton.has_labels:
                moves += [(-1 - token, at) for token, at in sorted(automaton.atoms(state).items())]
            for symbol, after in moves:
                if after not in seen:
                    seen.add(after)
                    todo.append((after, (*text, symbol)))
        return _shortest(turned)


def _by_use(move: tuple[int, int]) -> tuple[int, int]:
    return _ORDER.get(move[0], len(_ORDER)), move[0]


def _first_word(written: Written) -> Word:
    """Return the bytes that a text begins with, or the token; ``b""`` of no text."""
    if written and written[0] < 0:
        return -1 - written[0]
    n_bytes = next((at for at, symbol in enumerate(written) if symbol < 0), len(written))
    return bytes(written[:n_bytes])


def _join(parts: list[Written | None]) -> Written | None:
    known = [part for part in parts if part is not None]
    return tuple(chain.from_iterable(known)) if len(known) == len(parts) else None


def _shortest(texts: Iterable[Written | None]) -> Written | None:
    return min((text for text in texts if text is not None), key=len, default=None)
