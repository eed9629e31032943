"""What a sequence does above a state that is known, while it stays above it.

A sequence that opens a bracket and closes it again comes back to the stack it started from: what it
leaves there does not depend on anything below. So where a sequence's first event pushes a state t
on a state s, the rest of the sequence is run on the stack s t, and only when it wants to pop s does
it fall back on what holds for every stack.

Example: after ``f`` in python.lark, ``(`` STRING ``)`` is run as far as the call is complete; the
state of ``)`` then says whether a comma may follow, whatever lies below ``f``.
"""

from __future__ import annotations

from collections.abc import Callable

from maskc import bits
from maskc.grammar.model import LalrGrammar
from maskc.ids import SequenceId
from maskc.lexer.boundaries import Boundaries
from maskc.parser.driver import Outcome, drive_refined
from maskc.parser.refine import RefinedTable
from maskc.store.sequences import Sequences

# (sequence, refined state) → its answer for all stacks with this state on top.
Known = Callable[[SequenceId, int], int]
Tops = tuple[int, ...]  # the topmost states of a stack, the top last


class Segments:
    """Runs sequences on the topmost states of a stack."""

    def __init__(
        self,
        grammar: LalrGrammar,
        table: RefinedTable,
        boundaries: Boundaries,
        sequences: Sequences,
    ) -> None:
        self._table, self._sequences = table, sequences
        self._driver = drive_refined(grammar, table)
        self._taken: dict[tuple[int, Tops], tuple[Outcome, Tops]] = {}
        self._context = table.context_of
        self._newline = grammar.lexer.layout.newline if grammar.lexer.layout else None
        self._lookaheads = {
            terminal: bits.from_members(lookaheads)
            for terminal, lookaheads in boundaries.of_terminal.items()
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
                if outcome is not Outcome.TAKES:
                    return open_ if outcome is Outcome.NEEDS_BELOW else refused
            if not event.contexts >> self._context[states[-1]] & 1:
                return refused
            sequence = sequences.rest[sequence]

    def _take(self, states: Tops, terminal: int) -> tuple[Outcome, Tops]:
        """Return what a terminal does to some states; very many sequences begin with the same."""
        key = terminal, states
        found = self._taken.get(key)
        if found is None:
            after = list(states)
            outcome = self._driver.take(after, terminal)
            found = self._taken[key] = outcome, tuple(after)
        return found
