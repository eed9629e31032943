"""Whether a sequence is legal on every, on no, or on some stacks with a refined state on top.

A refined state on top of the stack says exactly which terminal can come next, but a token may
complete several: what the second one meets depends on how deep the first one makes the parser
reduce. For a sequence (events, and what stays open after them) and a refined state we
ask for all stacks with that state on top:

- *may*: some stack takes the sequence; otherwise no token of its rows is legal here;
- *fail*: some stack refuses it; otherwise all tokens of its rows are legal here;
- both: it depends on the stack below, or on the columns of open blocks.

Both facts are least fixpoints and go through the same equations. A sequence whose first terminal is
shifted asks for the shorter sequence in the state after the shift. One whose first terminal is
reduced by ``X -> α`` asks for the same sequence where ``X`` is pushed on the item's base; so every
kernel item carries the answers of its possible bases, joined over all stacks, from the bottom up.

Sequences of one length are decided together, after all shorter ones; sequences with equal answers
share one row of them. A sequence that opens a bracket and closes it again comes back to the stack
it started from, whatever lies below, so :class:`LocalSimulation` runs the rest of a sequence on the
edge that its first event takes, until it wants to pop more. Elsewhere "some stack" may be one that
cannot lie below the state after the shift, so both facts are upper bounds: what is decided is
certain, what stays open may still be decided.

Source: Tran-Thien, appendix, sections 2 and 4 (the questions); Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.compiler import LexicalAnalysis
from maskc.compiler.lalr.driver import StackOutcome, drive_refined, list_edges
from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.pushdown.interchangeable import Classes
from maskc.compiler.pushdown.reductions import (
    StateFacts,
    Words,
    find_reductions,
    spread,
)
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.errors import LimitError
from maskc.grammar import LalrGrammar
from maskc.ids import IGNORED, OpenLexemeId, SequenceId

# (sequence, refined state) → its answer for all stacks with this state on top.
Known = Callable[[SequenceId, int], int]
Tops = tuple[int, ...]  # the topmost states of a stack, the top last


class LocalSimulation:
    """Runs sequences on the topmost states of a stack."""

    def __init__(
        self, lexed: LexicalAnalysis[LalrGrammar], table: RefinedTable, sequences: Sequences
    ) -> None:
        self._table, self._sequences = table, sequences
        self._driver = drive_refined(lexed.grammar, table)
        self._taken: dict[tuple[int, Tops], tuple[StackOutcome, Tops]] = {}
        self._context = table.context_of
        self._newline = lexed.newline
        self._lookaheads = {
            terminal: lexed.boundaries.set_of(terminal) for terminal in lexed.boundaries.of_terminal
        }

    def run(
        self, sequence: SequenceId, states: Tops, known: Known, open_: int, refused: int
    ) -> int:
        """Return the answer of a sequence for the stacks that end in some states."""
        table, sequences = self._table, self._sequences
        while True:
            answer = known(sequence, states[-1])
            if answer != open_ or not sequences.length[sequence]:
                return answer
            event = sequences.event[sequence]
            terminal = event.terminal
            if terminal == self._newline:
                if not table.enclosed[states[-1]]:
                    return open_
            elif terminal >= 0:
                if not self._lookaheads.get(terminal, 0) & table.live[states[-1]]:
                    return refused
                outcome, states = self._take(states, terminal)
                if outcome is not StackOutcome.TAKES:
                    return open_ if outcome is StackOutcome.NEEDS_BELOW else refused
            if not event.contexts >> self._context[states[-1]] & 1:
                return refused
            sequence = sequences.rest[sequence]

    def _take(self, states: Tops, terminal: int) -> tuple[StackOutcome, Tops]:
        """Return what a terminal does to some states; very many sequences begin with the same."""
        key = terminal, states
        found = self._taken.get(key)
        if found is None:
            after = list(states)
            outcome = self._driver.take(after, terminal)
            found = self._taken[key] = outcome, tuple(after)
        return found


MAY, FAIL = 1, 2
DEPENDS = MAY | FAIL
_FAIL = np.uint8(FAIL)

# Bytes of answers, one for each distinct sequence and refined state.
MAX_ANSWERS = 400_000_000
_AT_ONCE = 512  # sequences whose answers are passed on together
_FIRST_CLASSES = 64  # whose answers there is room for; as many again when it is full

Flags = NDArray[np.uint8]


class Decisions:
    """Answers for all refined states and the sequences that were asked about."""

    def __init__(
        self,
        lexed: LexicalAnalysis[LalrGrammar],
        table: RefinedTable,
        sequences: Sequences,
        classes: Classes,
    ) -> None:
        self.sequences = sequences
        self.facts = StateFacts(lexed, table, classes)
        self.segments = LocalSimulation(lexed, table, sequences)
        self._graph = _Graph(lexed.grammar, table)
        self._class_of: dict[SequenceId, int] = {}
        self._n_classes = 0
        self._table: Flags = np.empty((_FIRST_CLASSES, len(table.live)), dtype=np.uint8)
        self._by_content: dict[bytes, int] = {}
        self._of_open: dict[OpenLexemeId, int] = {}
        self._by_key: dict[tuple[ParserEvent, SequenceId], int] = {}
        self._after: dict[ParserEvent, NDArray[np.intp]] = {}
        self._equivalent: dict[ParserEvent, dict[bytes, SequenceId]] = {}

    def classes_of(self, sequences: Iterable[SequenceId]) -> NDArray[np.int32]:
        """Return int32[n_sequences]: sequences with equal answers in all states share a class."""
        sequences = list(sequences)
        self._decide(sequences)
        return np.array([self._class_of[sequence] for sequence in sequences], dtype=np.int32)

    def answers(self, sequence: SequenceId) -> Flags:
        """Return uint8[n_states] for a sequence that was asked about."""
        found: Flags = self._table[self._class_of[sequence]]
        return found

    def answer_at(self, sequence: SequenceId, state: int) -> int:
        return int(self._table[self._class_of[sequence], state])

    def flags(self) -> Flags:
        """Return uint8[n_classes, n_states], ``MAY``, ``FAIL`` or both, for all classes so far."""
        return self._table[: self._n_classes]

    def flags_of(self, classes: NDArray[np.int32], states: NDArray[np.intp]) -> Flags:
        """Return uint8[n_classes, n_states], the answers of some classes in some states."""
        flags = self.flags()
        # By indices of the flat table: a third of the time of two lists of indices.
        return flags.reshape(-1).take(classes[:, None] * np.int64(flags.shape[1]) + states)

    def states_after(self, event: ParserEvent) -> NDArray[np.intp]:
        """Return the refined states that can be on top when an event has happened."""
        event = event.without_column()
        found = self._after.get(event)
        if found is None:
            found = self._after[event] = np.flatnonzero(self.facts.after(event))
        return found

    def equivalent_after(self, event: ParserEvent) -> dict[bytes, SequenceId]:
        """Return, for answers of the states after an event, the sequence that stands for them."""
        return self._equivalent.setdefault(event, {})

    def _decide(self, sequences: list[SequenceId]) -> None:
        """Decide sequences and what is left of them after each event, shortest first."""
        event, rest, length = self.sequences.event, self.sequences.rest, self.sequences.length
        unknown: set[SequenceId] = set()
        for sequence in sequences:
            while sequence not in self._class_of and sequence not in unknown:
                unknown.add(sequence)
                if not length[sequence]:
                    break
                sequence = rest[sequence]
        levels: dict[int, list[SequenceId]] = {}
        for sequence in sorted(unknown):
            levels.setdefault(length[sequence], []).append(sequence)
        for n_events, here in sorted(levels.items()):
            if not n_events:
                for sequence in here:
                    self._class_of[sequence] = self._decide_open(self.sequences.opened[sequence])
                continue
            keys = {
                sequence: (event[sequence].without_column(), rest[sequence]) for sequence in here
            }
            new = [key for key in dict.fromkeys(keys.values()) if key not in self._by_key]
            if new:
                for key, flags in zip(new, self._graph.decide(new, self), strict=True):
                    self._by_key[key] = self._intern(flags)
            for sequence, key in keys.items():
                self._class_of[sequence] = self._by_key[key]

    def _decide_open(self, number: OpenLexemeId) -> int:
        """Return the class of the sequences that are this open lexeme alone."""
        found = self._of_open.get(number)
        if found is None:
            may, fail = self.facts.open_lexeme(self.sequences.open_lexemes[number])
            flags = may.astype(np.uint8) * MAY | fail.astype(np.uint8) * FAIL
            found = self._of_open[number] = self._intern(flags)
        return found

    def _intern(self, flags: Flags) -> int:
        if self._n_classes * flags.size > MAX_ANSWERS:
            raise LimitError(
                "answers for terminal sequences and parser states",
                MAX_ANSWERS,
                "the rows are left to the parser where they are not decided",
            )
        number = self._by_content.setdefault(flags.tobytes(), self._n_classes)
        if number == self._n_classes:
            if number == len(self._table):
                self._table = np.concatenate([self._table, np.empty_like(self._table)])
            self._table[number] = flags
            self._n_classes += 1
        return number


class _Graph:
    """Which state's answers each state asks for when it shifts, and when it reduces."""

    def __init__(self, grammar: LalrGrammar, table: RefinedTable) -> None:
        self.n_states = len(table.live)
        self.readers, self.kinds = find_reductions(grammar, table)
        self._on_target: dict[tuple[SequenceId, int], int] = {}
        self.edges: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        states, terminals, targets = list_edges(table.shifts)
        order = np.argsort(terminals, kind="stable")
        distinct, first = np.unique(terminals[order], return_index=True)
        for terminal, edges in zip(distinct.tolist(), np.split(order, first[1:]), strict=False):
            self.edges[terminal] = (states[edges], targets[edges])

    def decide(
        self, keys: list[tuple[ParserEvent, SequenceId]], decisions: Decisions
    ) -> list[Flags]:
        """Return the answers for sequences given as (first event, rest)."""
        facts = decisions.facts
        values = np.zeros((len(keys), self.n_states), dtype=np.uint8)
        reducing: dict[int, list[int]] = {}
        shifting: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        for column, (event, rest) in enumerate(keys):
            terminal = event.terminal
            inside, after = facts.in_contexts(event.contexts), decisions.answers(rest)
            if terminal == IGNORED:
                values[column] = np.where(inside, after, _FAIL)
            elif terminal == facts.newline:
                at_line_end = np.where(facts.takes_of(terminal), np.uint8(DEPENDS), _FAIL)
                between = np.where(inside, after, _FAIL)
                values[column] = np.where(facts.enclosed, between, at_line_end)
            else:
                if terminal not in reducing:
                    reducing[terminal] = []
                    sources, targets = self.edges.get(terminal, (_NO_STATES, _NO_STATES))
                    kept = facts.takes_of(terminal)[sources]
                    shifting[terminal] = sources[kept], targets[kept]
                reducing[terminal].append(column)
                sources, targets = shifting[terminal]
                here = np.where(inside[targets], after[targets], _FAIL)
                values[column, sources] = here
                if decisions.sequences.length[rest]:
                    for edge in np.flatnonzero(here == DEPENDS).tolist():
                        source, target = int(sources[edge]), int(targets[edge])
                        values[column, source] = self._run(rest, source, target, decisions)
        self._reduce(values, reducing, facts)
        for first, columns in reducing.items():
            refused = ~facts.takes_of(first)
            for column in columns:
                np.copyto(values[column], FAIL, where=refused)
        return list(values)

    def _run(self, rest: SequenceId, source: int, target: int, decisions: Decisions) -> int:
        """Return what is left of a sequence on the stack that ends in the edge just taken."""
        key = (rest, target)
        found = self._on_target.get(key)
        if found is None:
            found = self._on_target[key] = decisions.segments.run(
                rest, (target,), decisions.answer_at, DEPENDS, FAIL
            )
        if found == DEPENDS:
            states = source, target
            found = decisions.segments.run(rest, states, decisions.answer_at, DEPENDS, FAIL)
        return found

    def _reduce(self, values: Flags, reducing: dict[int, list[int]], facts: StateFacts) -> None:
        """Pass answers from bases to the states that reduce to them, until nothing changes.

        The least fixpoint of: an answer of a base is one of every state that reduces to it on the
        sequence's first terminal, if that state takes the terminal. Bits are only ever added, so
        it ends. The answers of one state are two bits a sequence, ``MAY`` below ``FAIL``; where a
        state does not take the first terminal they stay 0, so most of the table is never touched.

        Args:
            values: uint8[n_keys, n_states], ``MAY`` and ``FAIL`` of the states that shift; the
                rows of ``reducing`` are overwritten with those of all states.
            reducing: first terminal → the rows of ``values`` whose sequences begin with it.
        """
        every = [(first, column) for first, group in reducing.items() for column in group]
        for low in range(0, len(every), _AT_ONCE):
            firsts, columns = zip(*every[low : low + _AT_ONCE], strict=True)
            here = _pack(values[list(columns)])
            takes = np.array([facts.takes_of(first) for first in firsts])
            inside = np.array([[first in some for some in self.kinds] for first in firsts])
            spread(
                self.readers,
                here,
                _pack(takes * np.uint8(DEPENDS)),
                _pack(inside * np.uint8(DEPENDS)),
            )
            values[list(columns)] = _unpack(here, len(columns))


_NO_STATES = np.zeros(0, dtype=np.int64)


def _pack(values: Flags) -> Words:
    """Return uint64[n_words, n_states]: two bits for each row of uint8[n_rows, n_states]."""
    n_rows, n_states = values.shape
    n_words = max(1, -(-n_rows // 32))
    rows = np.zeros((n_words * 8, 4, n_states), dtype=np.uint8)
    rows.reshape(-1, n_states)[:n_rows] = values
    octets = rows[:, 0] | rows[:, 1] << 2 | rows[:, 2] << 4 | rows[:, 3] << 6
    words: Words = octets.reshape(n_words, 8, n_states).transpose(0, 2, 1).copy().view("<u8")
    return words[..., 0]


def _unpack(words: Words, n_rows: int) -> Flags:
    """Return what :func:`_pack` packed."""
    n_states = words.shape[1]
    octets = words[..., None].view(np.uint8).transpose(0, 2, 1).reshape(-1, 1, n_states)
    rows = octets >> np.array([0, 2, 4, 6], dtype=np.uint8)[:, None] & np.uint8(DEPENDS)
    return rows.reshape(-1, n_states)[:n_rows]
