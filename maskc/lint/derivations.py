"""Which shortest terminal sequence brings Lark's parser into a state?

The shortest path over the table's symbols, each nonterminal on it replaced by its shortest
sequence. Where Lark resolved conflicts the parser may leave that path, so what is found is run
through the table, and only what arrives counts.

Example: with ``stmt: "if" E stmt | "if" E stmt "else" stmt | "x"`` the state behind the first
``stmt`` is reached by IF E X.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from maskc.grammar.model import Bnf, LalrGrammar
from maskc.ids import END

Word = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """How the parser gets somewhere.

    Attributes:
        terminals: what it reads.
        tops: the state on top of the stack behind each terminal, the start state first.
    """

    terminals: Word
    tops: tuple[int, ...]


class Derivations:
    """Shortest terminal sequences of a grammar."""

    def __init__(self, grammar: LalrGrammar) -> None:
        self._grammar = grammar
        self._yields = find_shortest_yields(grammar.bnf)
        self._paths = self._find_paths()

    def find_arrival(self, state: int, lookaheads: Collection[int] = ()) -> Arrival | None:
        """Return the shortest sequence found behind which the parser comes by a state.

        Args:
            state: a LALR state.
            lookaheads: terminals that may come next; reductions on them count, if there are any.
        """
        symbols = self._paths.get(state)
        if symbols is None:
            return None
        word = tuple(
            t for s in symbols for t in ((s,) if s >= 0 else self._yields.get(-1 - s, (-1,)))
        )
        if -1 in word:
            return None
        stacks = run_parser(self._grammar, word)
        if stacks is None:
            return None
        seen = {stacks[-1][-1]}
        for lookahead in lookaheads:
            seen.update(reduce_stack(self._grammar, stacks[-1], lookahead)[1])
        if state not in seen:
            return None
        return Arrival(word, tuple(stack[-1] for stack in stacks))

    def _find_paths(self) -> dict[int, Word]:
        """Return LALR state → the symbols of a cheapest path to it."""
        paths: dict[int, Word] = {}
        pending: list[tuple[int, int, Word, int]] = [(0, 0, (), 0)]
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


def find_shortest_yields(bnf: Bnf) -> dict[int, Word]:
    """Return nonterminal → a shortest terminal sequence, of those that derive one."""
    found: dict[int, Word] = {}
    changed = True
    while changed:
        changed = False
        for production in bnf.productions:
            parts = [(s,) if s >= 0 else found.get(-1 - s) for s in production.rhs]
            if any(part is None for part in parts):
                continue
            word = tuple(t for part in parts if part is not None for t in part)
            known = found.get(production.lhs)
            if known is None or len(word) < len(known):
                found[production.lhs] = word
                changed = True
    return found


def run_parser(grammar: LalrGrammar, word: Sequence[int]) -> list[tuple[int, ...]] | None:
    """Return the stack of LALR states before the word and behind each terminal of it.

    ``None`` if the parser refuses a terminal.
    """
    stacks: list[tuple[int, ...]] = [(0,)]
    for terminal in word:
        stack = reduce_stack(grammar, stacks[-1], terminal)[0]
        target = grammar.lalr.states[stack[-1]].shifts.get(terminal) if stack else None
        if target is None:
            return None
        stacks.append((*stack, target))
    return stacks


def reduce_stack(
    grammar: LalrGrammar, stack: tuple[int, ...], lookahead: int
) -> tuple[tuple[int, ...], list[int]]:
    """Return the stack behind the reductions on a lookahead, and the states that it went through.

    The stack is empty if the parser refuses the lookahead.
    """
    tops = [stack[-1]]
    while True:
        row = grammar.lalr.states[stack[-1]]
        if lookahead in row.shifts or (lookahead == END and stack[-1] == grammar.lalr.end_state):
            return stack, tops
        production = row.reduces.get(lookahead)
        if production is None:
            return (), tops
        rule = grammar.bnf.productions[production]
        stack = stack[: len(stack) - len(rule.rhs)]
        target = grammar.lalr.states[stack[-1]].gotos.get(rule.lhs)
        if target is None:
            return (), tops
        stack = (*stack, target)
        tops.append(stack[-1])
