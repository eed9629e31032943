"""Which shortest terminal sequence brings Lark's parser into a state?

The shortest path over the table's symbols, each nonterminal on it replaced by its shortest
sequence. Where Lark resolved conflicts the parser may leave that path, so what is found is run
through the table, and only what arrives counts.

Example: with ``stmt: "if" E stmt | "if" E stmt "else" stmt | "x"`` the state after the first
``stmt`` is reached by IF E X.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from maskc.compiler.lalr.driver import Outcome, drive_lalr
from maskc.grammar.model import Bnf, LalrGrammar
from maskc.ids import END

Terminals = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """How the parser gets somewhere.

    Attributes:
        terminals: what it reads.
        tops: the state on top of the stack after each terminal, the start state first.
    """

    terminals: Terminals
    tops: tuple[int, ...]


class Derivations:
    """Shortest terminal sequences of a grammar."""

    def __init__(self, grammar: LalrGrammar) -> None:
        self._grammar = grammar
        self._driver = drive_lalr(grammar)
        self._yields = find_shortest_yields(grammar.bnf)
        self._paths = self._find_paths()

    def find_arrival(self, state: int, lookaheads: Collection[int] = ()) -> Arrival | None:
        """Return the shortest sequence found after which the parser comes by a state.

        Args:
            state: a LALR state.
            lookaheads: terminals that may come next; reductions on them count, if there are any.
        """
        symbols = self._paths.get(state)
        if symbols is None:
            return None
        terminals = tuple(
            t for s in symbols for t in ((s,) if s >= 0 else self._yields.get(-1 - s, (-1,)))
        )
        if -1 in terminals:
            return None
        stacks = run_parser(self._grammar, terminals)
        if stacks is None:
            return None
        seen = {stacks[-1][-1]}
        for lookahead in lookaheads:
            passed: list[int] = []
            self._driver.reduce(list(stacks[-1]), lookahead, passed)
            seen.update(passed)
        if state not in seen:
            return None
        return Arrival(terminals, tuple(stack[-1] for stack in stacks))

    def _find_paths(self) -> dict[int, Terminals]:
        """Return LALR state → the symbols of a cheapest path to it."""
        paths: dict[int, Terminals] = {}
        pending: list[tuple[int, int, Terminals, int]] = [(0, 0, (), 0)]
        while pending:
            cost, n_symbols, path, state = heapq.heappop(pending)
            if state in paths:
                continue
            paths[state] = path
            row = self._grammar.lalr.states[state]
            for terminal, target in sorted(row.shifts.items()):
                if target not in paths and terminal != END:
                    step = (cost + 1, n_symbols + 1, (*path, terminal), target)
                    heapq.heappush(pending, step)
            for nonterminal, target in sorted(row.gotos.items()):
                if target not in paths and nonterminal in self._yields:
                    more = len(self._yields[nonterminal])
                    step = (cost + more, n_symbols + 1, (*path, -1 - nonterminal), target)
                    heapq.heappush(pending, step)
        return paths


def find_shortest_yields(bnf: Bnf) -> dict[int, Terminals]:
    """Return nonterminal → a shortest terminal sequence, of those that derive one."""
    found: dict[int, Terminals] = {}
    changed = True
    while changed:
        changed = False
        for production in bnf.productions:
            parts = [(s,) if s >= 0 else found.get(-1 - s) for s in production.rhs]
            if any(part is None for part in parts):
                continue
            terminals = tuple(t for part in parts if part is not None for t in part)
            known = found.get(production.lhs)
            if known is None or len(terminals) < len(known):
                found[production.lhs] = terminals
                changed = True
    return found


def run_parser(grammar: LalrGrammar, terminals: Sequence[int]) -> list[tuple[int, ...]] | None:
    """Return the stack of LALR states before the terminals and after each of them.

    ``None`` if the parser refuses a terminal.
    """
    driver = drive_lalr(grammar)
    stack = [0]
    stacks: list[tuple[int, ...]] = [(0,)]
    for terminal in terminals:
        if driver.take(stack, terminal) is not Outcome.TAKES:
            return None
        stacks.append(tuple(stack))
    return stacks
