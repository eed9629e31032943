"""What does the shift/reduce parser do to a stack, given a terminal?

The one driver of the compiler; Lark's own table and the refined one have the same form. A stack is
a list of states, the top last. It may be a whole stack or only its topmost states: a reduction
that needs states below the lowest one is not done, and the driver says so.

Example: with ``start: "a" start "b" |`` the stack of ``a a``, given B, is reduced by ``start ->``
and takes B on top.

The runtime moves stacks by tables of its own, and ``maskc verify`` shares no code with this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from maskc.grammar.model import Bnf, LalrGrammar
from maskc.ids import END, ProductionId
from maskc.parser.refine import RefinedTable


class Outcome(Enum):
    """What a stack does with a terminal, once it has done all reductions that come before it."""

    TAKES = "the state on top shifts it"
    ENDS = "it is the end of the text, and the text may end here"
    REFUSES = "it is an error"
    NEEDS_BELOW = "a reduction goes below the lowest state that is known"


class Driver:
    """Reduces and shifts on lists of states, which it changes."""

    def __init__(
        self,
        bnf: Bnf,
        shifts: Sequence[Mapping[int, int]],
        reduces: Sequence[Mapping[int, ProductionId]],
        gotos: Sequence[Mapping[int, int]],
        end_states: frozenset[int],
    ) -> None:
        """Take a table."""
        self._shifts, self._reduces, self._gotos = shifts, reduces, gotos
        self._end_states = end_states
        self._lhs = [production.lhs for production in bnf.productions]
        self._length = [len(production.rhs) for production in bnf.productions]

    def reduce(self, stack: list[int], terminal: int, passed: list[int] | None = None) -> Outcome:
        """Do the reductions that come before a terminal; the stack is what they leave.

        Args:
            stack: states, the top last; changed, also where the terminal is refused in the end.
            terminal: what comes next.
            passed: if given, each state that came on top is appended.
        """
        while True:
            top = stack[-1]
            if terminal in self._shifts[top]:
                return Outcome.TAKES
            # Whatever it may reduce: with `start: start | "a"` there is always one more.
            if terminal == END and top in self._end_states:
                return Outcome.ENDS
            production = self._reduces[top].get(terminal)
            if production is None:
                return Outcome.REFUSES
            length = self._length[production]
            if len(stack) <= length:
                return Outcome.NEEDS_BELOW
            if length:
                del stack[-length:]
            target = self._gotos[stack[-1]].get(self._lhs[production])
            if target is None:
                return Outcome.REFUSES
            stack.append(target)
            if passed is not None:
                passed.append(target)

    def take(self, stack: list[int], terminal: int) -> Outcome:
        """Reduce, and shift the terminal if the stack takes it."""
        outcome = self.reduce(stack, terminal)
        if outcome is Outcome.TAKES:
            stack.append(self._shifts[stack[-1]][terminal])
        return outcome


def drive_lalr(grammar: LalrGrammar) -> Driver:
    """Return the driver of Lark's own table."""
    states = grammar.lalr.states
    return Driver(
        grammar.bnf,
        [row.shifts for row in states],
        [row.reduces for row in states],
        [row.gotos for row in states],
        frozenset([grammar.lalr.end_state]),
    )


def drive_refined(grammar: LalrGrammar, table: RefinedTable) -> Driver:
    """Return the driver of a refined table, which reduces as the LALR state of each state says."""
    return Driver(
        grammar.bnf,
        table.shifts,
        [grammar.lalr.states[lalr_state].reduces for lalr_state in table.lalr_state],
        table.gotos,
        frozenset(s for s, lalr in enumerate(table.lalr_state) if lalr == grammar.lalr.end_state),
    )
