"""A short text that finishes a linked one, and what is known of the texts of any machine.

What is open is finished as soon as it can be, and of what follows all that must come is written,
each part as short as there is one: no blanks, the shortest of some words, of parameters those that
must come, in the order of the schema.

Example: after ``<tool_call>offer<arg_key>ci`` of ``glm_4_7`` it is
``ty</arg_key><arg_value></arg_value></tool_call>``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, Final

from maskc.runtime.budget.completions import (
    FAR,
    LOST,
    NO_KEY,
    Completions,
    CompletionWriting,
    Proposal,
    Texts,
    Word,
    text_of,
)
from maskc.runtime.budget.parsing import ParsedTexts
from maskc.runtime.budget.strings import search
from maskc.runtime.budget.values import JsonTexts
from maskc.runtime.cache import Budget
from maskc.runtime.glr import GlrMachine
from maskc.runtime.holes import HoleMachine
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.link.automata import NO_LABEL, START, ByteAutomaton
from maskc.runtime.link.joining import LinkMachine
from maskc.runtime.link.joining.counting import CountingAutomaton, CountingPiece
from maskc.runtime.link.joining.expressions import (
    Choice,
    Concatenation,
    Expression,
    PieceExpression,
    Repetition,
    Rest,
)
from maskc.runtime.link.joining.machine_pieces import MachinePiece, SchemaPiece
from maskc.runtime.link.joining.pieces import AutomatonPiece, Link, Piece, SwitchPiece, TokenPiece
from maskc.runtime.link.plan.composing import Members
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.without_words import ForbiddingSchemaPiece, SchemaHypothesis
from maskc.runtime.machine import Hypotheses, Machine, key_of
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.plan.objects import list_bits
from maskc.runtime.step_budget import charge_steps

# Bytes, and tokens that are taken whole as -1 - their ids.
Written = tuple[int, ...]

_MOST_BYTES: Final = 20_000  # of a text of a grammar in a link
_MOST_STATES: Final = 20_000  # of an automaton, for one text
_MOST_TARGETS: Final = 24  # that a text may turn to, of which the shortest is taken
_MOST_PASSES: Final = 2_000
_MOST_REMEMBERED: Final = 5_000
_ENTRY_BYTES: Final = 500
_USUAL: Final = bytes(range(0x20, 0x7F))
_ORDER: Final = {byte: at for at, byte in enumerate(_USUAL)}
# What fills a text up to its least length: letters first, for parsers strip blanks.
_FILLERS: Final = sorted(range(256), key=lambda byte: (not 0x61 <= byte <= 0x7A, byte < 0x20, byte))
_FILLER_ORDER: Final = {byte: at for at, byte in enumerate(_FILLERS) if byte in _ORDER}


def open_texts(machine: Machine[Any], writing: CompletionWriting) -> Texts:
    """Return what is known of a machine's texts."""
    if isinstance(machine, LinkMachine):
        return LinkTexts(writing, machine.pool.budget)
    if isinstance(machine, SchemaMachine):
        return JsonTexts(machine, writing)
    if isinstance(machine, HoleMachine):
        machine = machine.machine
    if isinstance(machine, LalrMachine | GlrMachine):
        return ParsedTexts(machine, writing.written)
    raise TypeError(f"nothing is known of short texts of a {type(machine).__name__}")


class LinkTexts(Texts):
    """Short texts of a link."""

    def __init__(self, writing: CompletionWriting, budget: Budget | None) -> None:
        self._writing, self._budget = writing, budget
        self._inside: dict[Machine[Any], Texts] = {}
        self.budgets: list[Budget] = []
        self._known: dict[Hashable, Written | None] = {}
        self._open: set[Hashable] = set()  # whose text is just being found
        self._n_known_bytes = 0

    def clear(self) -> None:
        """Forget what is remembered of grammars; all else is bounded."""
        for texts in self._inside.values():
            texts.clear()

    @property
    def n_bytes(self) -> int:
        return self._n_known_bytes + sum(each.n_bytes for each in self._inside.values())

    def propose(self, hypotheses: Hypotheses) -> Iterator[Proposal]:
        found = [self._finish(link) for link in hypotheses]
        known = [each for each in found if each is not None and each[1]]
        for n_left, written in sorted(known, key=itemgetter(0)):
            yield n_left, _first_word(written)

    def _finish(self, link: Link) -> tuple[int, Written] | None:
        """Return about how many bytes finish a hypothesis, and the first of them."""
        own = self._own(link.piece, link.inner)
        rest = self._remember(link.rest, lambda: self._find_rest(link.rest))
        if own is None or rest is None:
            return None if own is None else (FAR, own[1])
        return own[0] + len(rest), own[1] or rest

    def stand_in(self, hypotheses: Hypotheses) -> Hypotheses:
        return tuple(dict.fromkeys(map(self._stand_in, hypotheses)))

    def _stand_in(self, link: Link) -> Link:
        opened = _open(link.piece, link.inner)
        if opened is None:
            return link
        (schema,) = self._of(opened[0]).stand_in((opened[1],))
        if schema is opened[1]:
            return link
        is_forbidden = isinstance(link.piece, ForbiddingSchemaPiece)
        inner = SchemaHypothesis(schema, link.inner.at) if is_forbidden else schema
        return Link(link.piece, inner, link.rest)

    def key_at(self, hypotheses: Hypotheses) -> int:
        found = [_open(link.piece, link.inner) for link in hypotheses]
        opened = [each for each in found if each is not None]
        return max((self._of(machine).key_at((here,)) for machine, here in opened), default=NO_KEY)

    def _of(self, machine: Machine[Any]) -> Texts:
        if machine not in self._inside:
            self._inside[machine] = open_texts(machine, self._writing)
            budget = machine.pool.budget
            if budget is not None and budget not in (self._budget, *self.budgets):
                self.budgets.append(budget)
        return self._inside[machine]

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
        if isinstance(expression, PieceExpression):
            return self._begin(expression.piece)
        if isinstance(expression, Concatenation):
            return _join([self._text(part) for part in expression.parts])
        if isinstance(expression, Choice):
            return _shortest([self._text(part) for part in expression.parts])
        if isinstance(expression, Repetition) and expression.low <= _MOST_PASSES:
            return _join([self._text(expression.body)] * expression.low)
        return self._write_members(expression) if isinstance(expression, Members) else None

    def _begin(self, piece: Piece) -> Written | None:
        if isinstance(piece, ForbiddingSchemaPiece):
            piece = piece.piece
        if isinstance(piece, SchemaPiece | MachinePiece):
            machine = piece.machine
            here = machine.start()
            completions = Completions(machine, self._of(machine), self._writing)
            cell = completions.find(here, key_of(machine, here))
            return None if cell is LOST else tuple(text_of(cell, _MOST_BYTES))
        start = piece.automaton.name_of(START) if isinstance(piece, CountingPiece) else START
        own = self._own(piece, start)
        return None if own is None else own[1]

    def _own(self, piece: Piece, inner: Any) -> tuple[int, Written] | None:
        """Return about how many bytes finish an open piece, and the first; ``None``: not known."""
        if isinstance(piece, LimitedPiece | AutomatonPiece):
            state = inner.state if isinstance(piece, LimitedPiece) else inner
            found = self._remember((piece, state), partial(self._search, piece, state))
            return None if found is None else (len(found), found)
        if piece.has_ended(inner):
            return 0, ()
        if isinstance(piece, CountingPiece):
            key = (piece, piece.counting.cap(inner), inner)
            found = self._remember(key, partial(_count_on, piece.counting, inner))
            return None if found is None else (len(found), found)
        if isinstance(piece, TokenPiece):
            return 1, (-1 - min(piece.ids),)
        opened = _open(piece, inner)
        for n_left, word in () if opened is None else self._of(opened[0]).propose((opened[1],)):
            return n_left, tuple(word) if isinstance(word, bytes) else (-1 - word,)
        return None

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
        return _join(
            [
                self._text(parameters.one(n, is_first=not seen and not index))
                for index, n in enumerate(numbers)
            ]
        )

    def _search(self, piece: LimitedPiece | AutomatonPiece, start: int) -> Written | None:
        """Return the shortest text from a state to where an automaton accepts or turns."""
        automaton, turned = piece.automaton, list[Written | None]()
        for state, text in search(start, partial(_list_moves, automaton), _MOST_STATES):
            charge_steps(4 + len(text) // 64)
            if isinstance(piece, SwitchPiece) and state != start:
                label = automaton.label(state)
                if label != NO_LABEL:
                    turned.append(_join([text, self._text(piece.target(label))]))
            if automaton.accepts(state):
                turned.append(text)
            if automaton.accepts(state) or len(turned) == _MOST_TARGETS:
                break
        return _shortest(turned)


def _count_on(automaton: CountingAutomaton[Any], start: Hashable) -> Written | None:
    """Return a short text of usual bytes to the end of a text with counts, else of any."""
    filled, start = automaton.fill(start, _FILLERS)
    charge_steps(16 * len(filled))
    for usual in (True, False):
        before: dict[Any, tuple[Any, int]] = {start: (None, 0)}
        todo = [start]
        for here in todo:  # grows while we walk it
            if automaton.is_accepting(here):
                found = list[int]()
                while before[here][0] is not None:
                    here, byte = before[here]
                    found.append(byte)
                return (*filled, *reversed(found))
            bytes_ = dict[Any, int]()
            # Counts are capped there: one byte to each state, and then the exact count.
            for byte, after in automaton.find_moves(here).items():
                if (byte in _FILLER_ORDER or not usual) and (
                    after not in bytes_ or _by_filler(byte) < _by_filler(bytes_[after])
                ):
                    bytes_[after] = byte
            charge_steps(16)
            for byte in sorted(bytes_.values(), key=_by_filler):
                after = automaton.read(here, byte)
                if after is not None and after not in before and len(before) < _MOST_STATES:
                    before[after] = here, byte
                    todo.append(after)
    return None


def _by_filler(byte: int) -> tuple[int, int]:
    return _FILLER_ORDER.get(byte, len(_FILLER_ORDER)), byte


def _list_moves(automaton: ByteAutomaton[Any], state: int) -> list[tuple[int, int]]:
    """Return the symbols that may follow, usual bytes first, each with the state after it."""
    moves = sorted(
        automaton.moves(state).items(), key=lambda move: (_ORDER.get(move[0], len(_ORDER)), move[0])
    )
    if automaton.has_labels:
        moves += [(-1 - token, at) for token, at in sorted(automaton.atoms(state).items())]
    return moves


def _open(piece: Piece, inner: Any) -> tuple[Machine[Any], Any] | None:
    """Return the machine that reads a piece that is open, and its hypothesis."""
    if isinstance(piece, ForbiddingSchemaPiece):
        return piece.piece.machine, inner.schema
    return (piece.machine, inner) if isinstance(piece, SchemaPiece | MachinePiece) else None


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
