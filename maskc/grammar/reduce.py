"""Which symbols and productions take part in some text?

A nonterminal is *productive* if it derives some terminal sequence, and a symbol is *reachable* if
some sequence derived from the start symbol holds it. The reduced grammar keeps the productions
whose symbols are all productive and reachable. It has the same language, and what it can begin it
can end: the DFT pushdown automaton of a reduced grammar has no dead ends.

Example: of ``start: "a" | x``, ``x: x "b"``, ``y: "c"`` only ``start -> A`` is left: ``x`` derives
nothing, and ``y`` is never reached.

Symbols keep their ids, so that a fact about the reduced grammar is one about the grammar.

Source: appendix, section 4.2 (Lemma 2 needs it); Hopcroft, Motwani, Ullman, section 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from maskc.grammar.closures import find_derivable
from maskc.grammar.model import Bnf, Production


@dataclass(frozen=True, slots=True)
class ReducedGrammar:
    """Productions whose symbols are all productive and reachable.

    Attributes:
        terminals: names of all terminals of the grammar, used or not; ``$END`` first.
        nonterminals: names of all nonterminals of the grammar.
        start: the start nonterminal.
        productions: those that are left, in the grammar's order; none if the language is empty.
        used_terminals: terminals that a production holds.
        used_nonterminals: nonterminals that a production holds.
    """

    terminals: tuple[str, ...]
    nonterminals: tuple[str, ...]
    start: int
    productions: tuple[Production, ...]
    used_terminals: frozenset[int]
    used_nonterminals: frozenset[int]

    def symbol_name(self, symbol: int) -> str:
        """Return the name of a symbol as it stands in a production's right side."""
        return self.terminals[symbol] if symbol >= 0 else self.nonterminals[-1 - symbol]

    def format(self) -> str:
        """Return the productions, one a line."""
        return "\n".join(
            " ".join([self.nonterminals[p.lhs], "->", *map(self.symbol_name, p.rhs)])
            for p in self.productions
        )


def reduce_grammar(bnf: Bnf) -> ReducedGrammar:
    """Return the grammar without the productions that take part in no text."""
    return reduce_productions(bnf.terminals, bnf.nonterminals, bnf.start, bnf.productions)


def reduce_productions(
    terminals: tuple[str, ...],
    nonterminals: tuple[str, ...],
    start: int,
    productions: Iterable[Production],
) -> ReducedGrammar:
    """Return the reduced grammar of productions that need not come from Lark."""
    productions = tuple(productions)
    productive = find_derivable((p.lhs, p.rhs) for p in productions)
    # Unproductive first: removing them can make others unreachable, never the reverse.
    left = [p for p in productions if all(s >= 0 or -1 - s in productive for s in p.rhs)]
    reachable = _find_reachable(start, left)
    kept = tuple(p for p in left if p.lhs in reachable)
    return ReducedGrammar(
        terminals=terminals,
        nonterminals=nonterminals,
        start=start,
        productions=kept,
        used_terminals=frozenset(s for p in kept for s in p.rhs if s >= 0),
        used_nonterminals=frozenset(p.lhs for p in kept),
    )


def _find_reachable(start: int, productions: Iterable[Production]) -> set[int]:
    by_lhs: dict[int, list[Production]] = {}
    for production in productions:
        by_lhs.setdefault(production.lhs, []).append(production)
    reachable = {start}
    pending = [start]
    while pending:
        for production in by_lhs.get(pending.pop(), ()):
            for symbol in production.rhs:
                if symbol < 0 and -1 - symbol not in reachable:
                    reachable.add(-1 - symbol)
                    pending.append(-1 - symbol)
    return reachable
