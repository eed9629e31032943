"""The scanner of a grammar whose postlex drops and renames lexemes.

The parser is to see what the postlex gives it, so the ends of lexemes are changed here: one that
is dropped ends as an ignored one does, one that is renamed as the other terminal. A state is a
state of the scanner with what the rules look at: the kind of the last lexeme, and the context.

A rule with ``before`` asks for the next lexeme. As everywhere in the scanner, its answer is
guessed: the lexeme ends in every way that the rules have, and what it leaves allows only those
terminals next for which this way is the right one. Lark's lexer reads that next lexeme before
the parser gets the one that waits, so in the context of the parser's state before it: the
boundary holds that context, and goes into it whatever context the parser names by then.

Example: with ``drop:NL:before:PLUS`` a line break may end as ignored, and then only PLUS may come,
or as NL, and then anything else.

The meaning of the rules is that of :mod:`maskc.frontends.lark.rule_postlex`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maskc.errors import LimitError
from maskc.grammar.model import LexerSpec, Rewrite
from maskc.ids import (
    DEAD,
    EMPTY_TEXT,
    END,
    IGNORED,
    BoundaryId,
    ScannerStateId,
    TerminalId,
)
from maskc.lexer.scanner import End, Scanner, drop_useless, minimise
from maskc.regular.partition import Predecessors, find_coaccessible
from maskc.wording import Phrase

MAX_STATES = 200_000  # before they are minimised
_ANY = 0  # of the sets of terminals that may come next
_UNKNOWN = -1  # a context that nothing will ask for


class _State(NamedTuple):
    """What is known inside of a lexeme.

    Attributes:
        state: of the scanner.
        last: which kind of lexeme was the one before it.
        wanted: number of the set of terminals that it may become.
        pinned: the context in which it is lexed, if it waits in front of another; or ``_UNKNOWN``.
        context: that the parser named, ``_UNKNOWN`` where nothing asks for it.
    """

    state: int
    last: int
    wanted: int
    pinned: int
    context: int


class _Boundary(NamedTuple):
    """What is known between two lexemes; as :class:`_State`."""

    boundary: int
    last: int
    wanted: int
    pinned: int


def rewrite_scanner(scanner: Scanner, lexer: LexerSpec) -> Scanner:
    """Return the minimal scanner whose ends are what the parser gets.

    It is the same scanner if no postlex rewrites lexemes.

    Raises:
        LimitError: it has more than ``MAX_STATES`` states before it is minimised.
    """
    if not lexer.rewrites:
        return scanner
    builder = _Builder(scanner, lexer)
    builder.explore()
    return minimise(drop_useless(builder.put_together()))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What becomes of a lexeme, and which may come next for that."""

    terminal: TerminalId
    wanted: int


class _Builder:
    """Explores what can occur, from the beginning of the text."""

    def __init__(self, scanner: Scanner, lexer: LexerSpec) -> None:
        self._scanner, self._lexer = scanner, lexer
        self._rules: dict[int, list[Rewrite]] = {}
        for rewrite in lexer.rewrites:
            self._rules.setdefault(rewrite.terminal, []).append(rewrite)
        self._after = [r.after for r in lexer.rewrites if r.after is not None]
        kinds = [self._signature(TerminalId(t)) for t in range(len(lexer.terminals))]
        numbers = {kind: n for n, kind in enumerate(dict.fromkeys(kinds))}
        self._kind = [numbers[kind] for kind in kinds]
        self._members: list[frozenset[int]] = []  # of each kind
        for number in range(len(numbers)):
            self._members.append(frozenset(t for t, k in enumerate(self._kind) if k == number))
        every = frozenset(range(len(lexer.terminals)))
        self._wanted: dict[frozenset[int], int] = {every: _ANY}
        self._sets = [every]
        # States whose lexeme may come to an end of a terminal with rules, or be ignored.
        before = Predecessors(scanner.next)
        self._asks = _reaching(scanner, before, frozenset(self._rules)).tolist()
        self._ignores = _reaching(scanner, before, frozenset([IGNORED])).tolist()
        self._n_classes = scanner.next.shape[1]
        dead = _State(int(DEAD), 0, _ANY, _UNKNOWN, _UNKNOWN)
        self._states: list[_State] = [dead]
        self._number: dict[_State, int] = {dead: 0}
        self._next: list[list[int]] = []
        self._ends: list[tuple[End, ...]] = []
        self._boundaries: list[_Boundary] = []
        self._boundary_number: dict[_Boundary, BoundaryId] = {}
        self._entered: dict[tuple[int, int], int] = {}
        self._rows: list[tuple[int, ...]] = [(0,) * self._n_classes]
        self._row_number: dict[tuple[int, ...], int] = {self._rows[0]: 0}
        self._made: dict[tuple[int, _Boundary, int], int] = {}
        self._outcomes: dict[tuple[int, int, int], tuple[_Outcome, ...]] = {}
        self._start = 0

    def explore(self) -> None:
        """Find all states, from the one before the text."""
        start = int(self._scanner.start)
        first = int(self._lexer.first_context)
        self._start = self._state(start, self._kind[END], _ANY, _UNKNOWN, first)
        following = self._scanner.next.tolist()
        for here in self._states:  # grows while we walk it
            self._next.append(
                [
                    self._state(target, *here[1:]) if target else 0
                    for target in following[here.state]
                ]
            )
            self._ends.append(tuple(sorted(set(self._find_ends(here)))))

    def put_together(self) -> Scanner:
        """Return what was explored as a scanner."""
        n_contexts = self._scanner.enter.shape[1]
        enter = np.zeros((len(self._boundaries), n_contexts), dtype=np.int32)
        for (boundary, context), row in self._entered.items():
            enter[boundary, context] = row
        return Scanner(
            byte_class=self._scanner.byte_class,
            next=np.array(self._next, dtype=np.int32),
            ends=tuple(self._ends),
            end_of_text=tuple(self._end_of_text(here) for here in self._states),
            enter=enter,
            entries=np.array(self._rows, dtype=np.int32),
            closed=tuple(
                self._scanner.closed[b.boundary] and END in self._sets[b.wanted]
                for b in self._boundaries
            ),
            start=ScannerStateId(self._start),
        )

    def _signature(self, terminal: TerminalId) -> tuple[bool, ...]:
        return tuple(terminal in names for names in self._after)

    def _state(self, state: int, last: int, wanted: int, pinned: int, context: int) -> int:
        asks, ignores = self._asks[state], self._ignores[state]
        key = _State(
            state,
            last if asks or ignores else 0,
            wanted,
            pinned if ignores else _UNKNOWN,
            context if asks or ignores else _UNKNOWN,
        )
        found = self._number.setdefault(key, len(self._states))
        if found == len(self._states):
            if found >= MAX_STATES:
                raise LimitError("scanner states", MAX_STATES, Phrase.SIMPLER_TERMINALS)
            self._states.append(key)
        return found

    def _find_ends(self, here: _State) -> Iterable[End]:
        for terminal, boundary in self._scanner.ends[here.state]:
            if terminal == IGNORED:
                left = _Boundary(boundary, here.last, here.wanted, here.pinned)
                yield End(IGNORED, self._leave(left, [here.context]))
                continue
            if terminal not in self._sets[here.wanted]:
                continue
            last = self._kind[terminal]
            waits = any(rule.before is not None for rule in self._rules.get(terminal, ()))
            for outcome in self._decide(terminal, here):
                pinned = here.context if waits else _UNKNOWN
                left = _Boundary(boundary, last, outcome.wanted, pinned)
                yield End(
                    outcome.terminal,
                    self._leave(
                        left,
                        [here.context]
                        if outcome.terminal == IGNORED
                        else sorted(self._lexer.contexts_after.get(outcome.terminal, ())),
                    ),
                )

    def _decide(self, terminal: TerminalId, here: _State) -> tuple[_Outcome, ...]:
        """Return what a lexeme may become, each with what may come next."""
        rules = self._rules.get(terminal)
        if rules is None:
            return (_Outcome(terminal, _ANY),)
        key = (terminal, here.last, here.context)
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = tuple(self._find_outcomes(terminal, rules, here))
        return found

    def _find_outcomes(
        self, terminal: TerminalId, rules: Sequence[Rewrite], here: _State
    ) -> Iterable[_Outcome]:
        innermost = self._lexer.innermost[here.context] if self._lexer.innermost else None
        members = self._members[here.last]
        left = set(range(len(self._lexer.terminals)))
        nexts: dict[TerminalId, set[int]] = {}
        for rule in rules:
            # Terminals of one kind are in the same sets.
            if rule.after is not None and not members <= rule.after:
                continue
            if rule.between is not None and innermost not in rule.between:
                continue
            taken = left if rule.before is None else left & rule.before
            becomes = IGNORED if rule.becomes is None else rule.becomes
            nexts.setdefault(becomes, set()).update(taken)
            left = left - taken
        nexts.setdefault(terminal, set()).update(left)
        for becomes, allowed in sorted(nexts.items()):
            if allowed:
                wanted = frozenset(allowed)
                number = self._wanted.setdefault(wanted, len(self._sets))
                if number == len(self._sets):
                    self._sets.append(wanted)
                yield _Outcome(becomes, number)

    def _leave(self, left: _Boundary, contexts: Iterable[int]) -> BoundaryId:
        """Return the number of a boundary, which is left in these contexts of the parser."""
        number = self._boundary_number.setdefault(left, BoundaryId(len(self._boundaries)))
        if number == len(self._boundaries):
            self._boundaries.append(left)
        for context in contexts:
            if (number, context) not in self._entered:
                self._entered[number, context] = self._enter(left, context)
        return number

    def _enter(self, left: _Boundary, context: int) -> int:
        """Return the row of the states after a first byte, in a context of the parser."""
        lexed_in = context if left.pinned == _UNKNOWN else left.pinned
        entry = int(self._scanner.enter[left.boundary, lexed_in])
        key = (entry, left._replace(boundary=0), context)
        found = self._made.get(key)
        if found is None:
            row = tuple(
                self._state(state, left.last, left.wanted, left.pinned, context) if state else 0
                for state in self._scanner.entries[entry].tolist()
            )
            found = self._row_number.setdefault(row, len(self._rows))
            if found == len(self._rows):
                self._rows.append(row)
            self._made[key] = found
        return found

    def _end_of_text(self, here: _State) -> TerminalId | None:
        terminal = self._scanner.end_of_text[here.state]
        if terminal is None or terminal == EMPTY_TEXT:
            return terminal
        if terminal == IGNORED:
            return IGNORED if END in self._sets[here.wanted] else None
        if terminal not in self._sets[here.wanted]:
            return None
        return next(o.terminal for o in self._decide(terminal, here) if END in self._sets[o.wanted])


def _reaching(
    scanner: Scanner, before: Predecessors, terminals: frozenset[TerminalId] | frozenset[int]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return bool[n_states], whether an open lexeme may still become one of some terminals."""
    ends = [
        any(t in terminals for t, _ in ways) or at_end in terminals
        for ways, at_end in zip(scanner.ends, scanner.end_of_text, strict=True)
    ]
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = find_coaccessible(before, np.array(ends))
    return found
