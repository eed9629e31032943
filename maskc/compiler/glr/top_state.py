"""What a general parser's state on top of a stack decides about a terminal sequence.

For a sequence S and each state that a terminal leads to, as for a refined LALR state
(:mod:`maskc.compiler.pushdown.decisions`): may some stack with this state on top take S, and may
some stack refuse it? A stack takes S if one of its readings does. The stack is read from the top
down, as the artifact's is (:mod:`maskc.runtime.glr.debts`): a set of *waits*, a number of states
that go, a nonterminal that comes then, and what is left of the sequence. Such a set, with the state
that was read last, is a node of the debt automaton (:mod:`maskc.compiler.pushdown.debt_automaton`).
Whatever can lie below is read, so both answers are exact for single stacks:

- *may*: some way down the automaton takes S;
- *fail*: some way comes to its end and has not taken it.

A set of stacks takes S if one of them does. So what no stack with any of the states on top may
take is legal in no set with these tops, and what none with one of them may fail is legal in every
set that has it among its tops: verdicts of tops are united.

Exact needs that every way through the automaton is a stack that some text leaves: the
grammar is reduced, without empty productions, and intersected with what the lexer can give
(:mod:`maskc.compiler.glr.adjacency`).

Bound: ``MAX_READ`` states are read for one sequence and top, ``MAX_READ_IN_ALL`` for all; beyond
them a sequence is left open, which changes no mask.

Source: Tran-Thien, appendix, 2 and 4.3; future work (a longer first argument).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.glr.lr0 import GeneralTable, Symbols, find_below
from maskc.compiler.optimise import Rows, Verdicts, list_sequences
from maskc.compiler.pushdown.debt_automaton import (
    REFUSED,
    TAKEN,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    decide,
)
from maskc.compiler.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.compiler.pushdown.production_verdicts import MAX_LENGTH, ProductionVerdicts
from maskc.compiler.rows import ParserEvent
from maskc.ids import DROPPED, NO_EVENT, GeneralStateId, SequenceId
from maskc.lexer.boundaries import Lookaheads

MAX_READ = 500
MAX_READ_IN_ALL = 500_000

_Wait = tuple[int, int, SequenceId]  # states to be read, the nonterminal that comes, the sequence
_Waits = frozenset[_Wait]
_Top = tuple[SequenceId, GeneralStateId]  # a sequence, and the state on top that it is asked of
_TAKEN: _Waits = frozenset(((-1, -1, DROPPED),))
Node = tuple[
    _Waits, GeneralStateId
]  # of the debt automaton: what waits, and the state that was read last
_FLAGS = {
    Verdict.ALWAYS: MAY,
    Verdict.NEVER: FAIL,
    Verdict.DEPENDS: DEPENDS,
    Verdict.UNKNOWN: DEPENDS,
}


class _Reading:
    """A state that is being read: what waits for it, and what is left to wait for below."""

    __slots__ = ("left", "seen", "state", "top", "tops", "waits")

    def __init__(self, state: GeneralStateId, waits: _Waits, top: _Top | None) -> None:
        self.state, self.waits, self.seen = state, list(waits), set(waits)
        self.top = top  # what it answers, if it is on top
        self.tops: list[_Top] = []  # to be asked of states that came on top of it
        self.left: set[_Wait] = set()


class StackVerdicts:
    """Answers for the states of a general table."""

    def __init__(
        self, table: GeneralTable, goes_on: tuple[Symbols, ...], verdicts: ProductionVerdicts
    ) -> None:
        self._table = table
        self._goes_on = goes_on
        self._verdicts = verdicts
        self._sequences = verdicts.sequences
        self._below = find_below(table)
        self._shifted = tuple(map(bits.from_members, table.shifts))
        self._first: dict[SequenceId, Symbols] = {}
        self._hopeful: dict[Symbols, NDArray[np.bool_]] = {}
        self._moves: dict[tuple[_Waits, GeneralStateId], _Waits] = {}
        self._tops: dict[_Top, _Waits] = {}
        self._n_read = 0
        self._after = find_states_after(table, verdicts.asked.symbols)
        asked = {GeneralStateId(0), *(state for states in self._after.values() for state in states)}
        self._asked = tuple(sorted(asked))
        self.n_states = len(table.shifts)
        # the states that no terminal leads to, but for the start state
        self.never_asked = tuple(sorted(set(range(self.n_states)) - asked))

    @property
    def is_spent(self) -> bool:
        """Whether ``MAX_READ_IN_ALL`` was reached, and sequences are left open."""
        return self._n_read > MAX_READ_IN_ALL

    def list_states(self, terminal: int) -> tuple[GeneralStateId, ...]:
        """Return the states that can be on top after a terminal, or after what is none."""
        return self._after.get(terminal, ()) if terminal >= 0 else self._asked

    def states_after(self, event: ParserEvent) -> NDArray[np.intp]:
        return np.array(self.list_states(event.terminal), dtype=np.intp)

    def goes_on_with(self, sequence: SequenceId) -> NDArray[np.bool_]:
        """Return bool[n_states]: whether a state goes on with the beginning of a sequence."""
        wanted = -1 if self._is_free(sequence) else self._begins(sequence)
        found = self._hopeful.get(wanted)
        if found is None:
            here = [bool(wanted & symbols) for symbols in self._goes_on]
            found = self._hopeful[wanted] = np.array(here, dtype=np.bool_)
        return found

    def decide(self, state: GeneralStateId, sequence: SequenceId) -> int:
        """Return ``MAY``, ``FAIL`` or both; both, too, if a bound is reached."""
        if self._is_free(sequence):
            return MAY
        start = self._start(sequence, state)
        if isinstance(start, int):
            return MAY if start == TAKEN else FAIL
        if self.is_spent:
            return DEPENDS if self._below[state] else FAIL
        most = min(self._n_read + MAX_READ, MAX_READ_IN_ALL)

        def borrow(node: Node) -> Iterator[tuple[int, Node | int]]:
            for edge in self._borrow(node):
                self._n_read += 1
                if self._n_read > most:
                    # What is not read may do both.
                    yield from ((edge[0], TAKEN), (edge[0], REFUSED))
                    return
                yield edge

        return _FLAGS[decide(start, borrow, most=MAX_READ)]

    def build(self, state: GeneralStateId, sequence: SequenceId) -> DebtAutomaton | None:
        """Return the debt automaton over what is below a state, which is on top.

        ``None``: it has more than ``MAX_STATES`` states.
        """
        start = TAKEN if self._is_free(sequence) else self._start(sequence, state)
        if isinstance(start, int):
            return DebtAutomaton((), start)
        return build_debt_automaton(start, self._borrow)

    def _start(self, sequence: SequenceId, state: GeneralStateId) -> Node | int:
        """Return the node in which the state on top was read."""
        found = self._tops.get((sequence, state))
        if found is None:
            found = self._work_out(self._open(sequence, state))
        return _node_of(found, state)

    def _borrow(self, node: Node) -> Iterator[tuple[int, Node | int]]:
        """Yield the states that may be read next, and what is left to wait for then."""
        waits, above = node
        for below in self._below[above]:
            yield below, _node_of(self._move(waits, below), below)

    def _move(self, waits: _Waits, state: GeneralStateId) -> _Waits:
        """Return what is left to wait for when one more state is read."""
        key = (waits, state)
        found = self._moves.get(key)
        if found is None:
            found = self._moves[key] = self._work_out(_Reading(state, waits, None))
        return found

    def _work_out(self, reading: _Reading) -> _Waits:
        # A token may have thousands of terminals: this stack is ours, not Python's.
        open_ = [reading]
        while True:
            reading = open_[-1]
            asked = self._go_on(reading)
            left = self._tops.get(asked) if asked is not None else frozenset(reading.left)
            if left is None:
                open_.append(self._open(*asked))  # type: ignore[misc]  # it was asked
                continue
            if asked is None or left == _TAKEN:
                open_.pop()
                if reading.top is not None:
                    self._tops[reading.top] = left
                if not open_:
                    return left
                reading = open_[-1]
            if left == _TAKEN:
                # Taken above is taken below: nothing else has to be looked at.
                reading.tops, reading.waits, reading.left = [], [], set(_TAKEN)
            else:
                new = left - reading.seen
                reading.seen |= new
                reading.waits += new

    def _open(self, sequence: SequenceId, state: GeneralStateId) -> _Reading:
        """Return the reading of a state that is on top and is asked about a sequence."""
        reading = _Reading(state, frozenset(), (sequence, state))
        table, sequences, wanted = self._table, self._sequences, self._begins(sequence)
        if not wanted & self._goes_on[state]:
            return reading
        taken = list(bits.iterate(wanted & self._shifted[state]))
        ends = wanted & 1 and table.accepts[state]
        if (
            ends
            or taken
            and (not sequences.length[sequence] or self._is_free(sequences.rest[sequence]))
        ):
            reading.left = set(_TAKEN)
            return reading
        reading.tops = [(sequences.rest[sequence], table.shifts[state][symbol]) for symbol in taken]
        reading.left = {
            (length, nonterminal, sequence) for nonterminal, length in table.reduces[state]
        }
        return reading

    def _go_on(self, reading: _Reading) -> _Top | None:
        """Return what a reading has to ask next, ``None`` if it is done."""
        if reading.tops:
            return reading.tops.pop()
        while reading.waits:
            n_states, nonterminal, sequence = reading.waits.pop()
            if n_states > 1:
                reading.left.add((n_states - 1, nonterminal, sequence))
            else:
                return (sequence, self._table.gotos[reading.state][nonterminal])
        return None

    def _begins(self, sequence: SequenceId) -> Symbols:
        """Return the symbols that a sequence can begin with."""
        found = self._first.get(sequence)
        if found is None:
            found = self._first[sequence] = self._verdicts.first_symbols(sequence)
        return found

    def _is_free(self, sequence: SequenceId) -> bool:
        return not self._sequences.length[sequence] and self._verdicts.is_free(sequence)


def find_states_after(
    table: GeneralTable, symbols: Sequence[tuple[int, Lookaheads]]
) -> dict[int, tuple[GeneralStateId, ...]]:
    """Return terminal → the states that can be on top when it was shifted, ascending."""
    found: dict[int, set[GeneralStateId]] = {}
    for row in table.shifts:
        for symbol, state in row.items():
            found.setdefault(symbols[symbol][0], set()).add(state)
    return {terminal: tuple(sorted(states)) for terminal, states in sorted(found.items())}


def _node_of(waits: _Waits, state: GeneralStateId) -> Node | int:
    """Return the node in which a state was read last and these wait, or the end that it is."""
    if not waits:
        return REFUSED
    return TAKEN if waits == _TAKEN else (waits, state)


# Sequence → the first events before it: those numbers of terminals, more ``_LEAST``, as bits.
Asked = Mapping[SequenceId, bits.Bits]
_LEAST = -NO_EVENT  # no number of a terminal, or of what is none, is less than ``NO_EVENT``


def condition_on_tops(rows: Rows, asked: Asked, stacks: StackVerdicts) -> Verdicts:
    """Return the answers for all sequences of the rows, in the states where they can be asked.

    ``asked`` is what :func:`list_asked` lists. No question is asked in a state that only a
    nonterminal leads to; it gets the start state's answers, so that no profile is made for it.
    """
    sequences = list_sequences(rows)
    number: dict[bytes, int] = {}
    class_of = []
    never_asked = np.array(stacks.never_asked, dtype=np.intp)
    states_of: dict[bits.Bits, NDArray[np.intp]] = {}
    for sequence in sequences:
        flags = np.full(stacks.n_states, DEPENDS, dtype=np.uint8)
        before = asked[sequence]
        if before not in states_of:
            terminals = (number - _LEAST for number in bits.iterate(before))
            states = {state for terminal in terminals for state in stacks.list_states(terminal)}
            states_of[before] = np.array(sorted(states), dtype=np.intp)
        states_asked = states_of[before]
        hopeful = stacks.goes_on_with(sequence)[states_asked]
        flags[states_asked[~hopeful]] = FAIL
        for state in states_asked[hopeful].tolist():
            flags[state] = stacks.decide(state, sequence)
        flags[never_asked] = flags[0]
        class_of.append(number.setdefault(flags.tobytes(), len(number)))
    flags = np.frombuffer(b"".join(number), dtype=np.uint8)
    return Verdicts(
        sequences, np.array(class_of, dtype=np.int32), flags.reshape(len(number), stacks.n_states)
    )


def check_never(rows: Rows, asked: Asked, verdicts: Verdicts, stacks: StackVerdicts) -> None:
    """Check that the table and the productions agree on what is never legal.

    Both are exact, and what the productions know to be never legal is gone. So every sequence
    that is left is legal on some stack after its terminal.

    Raises:
        ValueError: they disagree, which is a fault of the compiler.
    """
    class_of = dict(zip(verdicts.sequences, verdicts.class_of.tolist(), strict=True))
    may = verdicts.flags & MAY != 0
    # By class, the terminals after which some state takes it.
    may_after = [0] * len(may)
    for terminal in sorted({t - _LEAST for some in asked.values() for t in bits.iterate(some)}):
        for number in may[:, list(stacks.list_states(terminal))].any(axis=1).nonzero()[0].tolist():
            may_after[number] |= 1 << terminal + _LEAST
    for sequence, before in asked.items():
        wrong = (before & ~may_after[class_of[sequence]]) >> _LEAST
        if wrong and rows.sequences.length[sequence] <= MAX_LENGTH:
            raise ValueError(
                f"the compiler contradicts itself: sequence {sequence} after terminal "
                f"{next(bits.iterate(wrong))} is never legal by the parser's table, and not by the "
                "productions"
            )


def list_asked(rows: Rows) -> Asked:
    """Return the sequences that rows ask about, and what is left of them, with what comes before.

    Ascending.
    """
    sequences, found = rows.sequences, dict[SequenceId, bits.Bits]()
    firsts = [1 << event.terminal + _LEAST for event in rows.events]
    afters = [1 << event.terminal + _LEAST for event in sequences.event]
    pairs = np.unique(rows.first.astype(np.int64) * len(sequences) + rows.sequence)
    for pair in pairs.tolist():
        first, sequence = divmod(pair, len(sequences))
        before = firsts[first]
        while not found.get(sequence, 0) & before:
            found[sequence] = found.get(sequence, 0) | before
            if not sequences.length[sequence]:
                break
            before, sequence = afters[sequence], sequences.rest[sequence]
    return dict(sorted(found.items()))
