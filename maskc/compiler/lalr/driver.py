"""What a terminal does to a parser's stack, and to a set of states on top of it.

:class:`Driver` reduces and shifts; Lark's own table and the refined one have the same form. A stack
is a list of states, the top last. It may be a whole stack or only its topmost states: a reduction
that needs states below the lowest one is not done, and the driver says so. The runtime moves stacks
by tables of its own, and ``maskc verify`` shares no code with this.

:class:`StateMoves` takes a set of states that may be on top before a terminal to those that can be
on top after it, over all stacks. Reductions go below the top: a production goes back to every state
from which its right side leads here, whatever the stack really holds there. So no state that can be
met is left out, and few others are in.

Source: DeRemer and Pennello, *Efficient Computation of LALR(1) Look-Ahead Sets* (1982), lookback;
doi:10.1145/69622.357187.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from maskc.compiler.lalr.refine import RefinedTable
from maskc.grammar import Bnf, LalrGrammar, list_reductions
from maskc.grammar.sets import unite_along
from maskc.ids import END, ProductionId


class StackOutcome(Enum):
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

    def reduce(
        self, stack: list[int], terminal: int, passed: list[int] | None = None
    ) -> StackOutcome:
        """Do the reductions that come before a terminal; the stack is what they leave.

        Args:
            stack: states, the top last; changed, also where the terminal is refused in the end.
            terminal: what comes next.
            passed: if given, each state that came on top is appended.
        """
        while True:
            top = stack[-1]
            if terminal in self._shifts[top]:
                return StackOutcome.TAKES
            # Whatever it may reduce: with `start: start | "a"` there is always one more.
            if terminal == END and top in self._end_states:
                return StackOutcome.ENDS
            production = self._reduces[top].get(terminal)
            if production is None:
                return StackOutcome.REFUSES
            length = self._length[production]
            if len(stack) <= length:
                return StackOutcome.NEEDS_BELOW
            if length:
                del stack[-length:]
            target = self._gotos[stack[-1]].get(self._lhs[production])
            if target is None:
                return StackOutcome.REFUSES
            stack.append(target)
            if passed is not None:
                passed.append(target)

    def take(self, stack: list[int], terminal: int) -> StackOutcome:
        """Reduce, and shift the terminal if the stack takes it."""
        outcome = self.reduce(stack, terminal)
        if outcome is StackOutcome.TAKES:
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


States = int  # a set of LALR states as bits


class StateMoves:
    """Sets of states before and after a terminal."""

    def __init__(self, grammar: LalrGrammar) -> None:
        self.everywhere: States = (1 << len(grammar.lalr.states)) - 1
        self._grammar = grammar
        self._reductions = _find_reductions(grammar)
        # Terminal → (state, state after it), and the terminals on which states reduce → the states
        # that can be on top then → the states that reduce.
        self._shifting: dict[int, list[tuple[int, int]]] = {}
        self._reducing: dict[frozenset[int], dict[tuple[int, ...], States]] = {}
        for state, row in enumerate(grammar.lalr.states):
            for terminal, target in row.shifts.items():
                self._shifting.setdefault(terminal, []).append((state, target))
            for production, terminals in list_reductions(row.reduces):
                groups = self._reducing.setdefault(frozenset(terminals), {})
                reduced = self._reductions[state, production]
                groups[reduced] = groups.get(reduced, 0) | 1 << state
        self._targets: dict[int, list[tuple[States, States]]] = {}
        self._known: dict[tuple[int, States], States] = {}

    def after(self, terminal: int, before: States) -> States:
        """Return the states after a terminal; with it goes what an indenter makes of it."""
        key = (terminal, before)
        found = self._known.get(key)
        if found is None:
            found = self._take(terminal, before)
            layout = self._grammar.lexer.layout
            if layout is not None and terminal == layout.newline:
                found |= self._take(layout.indent, found)
                dedented = found
                while dedented:
                    dedented = self._take(layout.dedent, dedented) & ~found
                    found |= dedented
                # Between brackets a newline is dropped.
                found |= before
            self._known[key] = found
        return found

    def _take(self, terminal: int, before: States) -> States:
        targets = self._targets.get(terminal)
        if targets is None:
            targets = self._targets[terminal] = self._find_targets(terminal)
        found = 0
        for states, after in targets:
            if before & states:
                found |= after
        return found

    def _find_targets(self, terminal: int) -> list[tuple[States, States]]:
        """Return sets of states that act on a terminal, with the states after it.

        States that reduce it and then go on in the same states are one set.
        """
        grammar = self._grammar
        waiting: dict[tuple[int, ...], States] = {}
        for terminals, groups in self._reducing.items():
            if terminal in terminals:
                for reduced, states in groups.items():
                    waiting[reduced] = waiting.get(reduced, 0) | states
        number = {reduced: i for i, reduced in enumerate(waiting)}
        edges, shifted = list[list[int]](), list[States]()
        for reduced in waiting:
            edges.append(further := [])
            found = 0
            for target in reduced:
                row = grammar.lalr.states[target]
                if terminal in row.shifts:
                    found |= 1 << row.shifts[terminal]
                elif terminal in row.reduces:
                    further.append(number[self._reductions[target, row.reduces[terminal]]])
            shifted.append(found)
        after = unite_along(edges, shifted)[0]
        shifting: dict[States, States] = {}
        for state, target in self._shifting.get(terminal, ()):
            shifting[1 << target] = shifting.get(1 << target, 0) | 1 << state
        found_by = [(states, target) for target, states in shifting.items()]
        return found_by + list(zip(waiting.values(), after, strict=True))


def _find_reductions(grammar: LalrGrammar) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return (state, production) → the states that can be on top once it is reduced there."""
    found: dict[tuple[int, int], set[int]] = {}
    gotos: dict[int, list[tuple[int, int]]] = {}
    for base, row in enumerate(grammar.lalr.states):
        for nonterminal, reached in row.gotos.items():
            gotos.setdefault(nonterminal, []).append((base, reached))
    for number, production in enumerate(grammar.bnf.productions):
        for base, target in gotos.get(production.lhs, ()):
            here: int | None = base
            for symbol in production.rhs:
                if here is None:
                    break
                row = grammar.lalr.states[here]
                here = row.shifts.get(symbol) if symbol >= 0 else row.gotos.get(-1 - symbol)
            if here is not None:
                found.setdefault((here, number), set()).add(target)
    return {key: tuple(sorted(targets)) for key, targets in found.items()}
