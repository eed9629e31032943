"""The reduced grammar, and which terminals its symbols begin with, end with and stand beside.

A nonterminal is *productive* if it derives some terminal sequence, and a symbol is *reachable* if
some sequence derived from the start symbol holds it. The reduced grammar keeps the productions
whose symbols are all productive and reachable. It has the same language, and what it can begin it
can end: the DFT pushdown automaton of a reduced grammar has no dead ends. Symbols keep their ids,
so that a fact about the reduced grammar is one about the grammar.

*Nullable* nonterminals derive the empty sequence. FIRST(A) holds the terminals that a sequence
derived from A can begin with, LAST(A) those it can end with. Two terminals are *adjacent* if some
terminal sequence of the language holds one right after the other; FOLLOW, over terminals. Sets of
terminals are bit sets, bit ``t`` for terminal ``t``.

Source: appendix, section 4.2 (Lemma 2 needs it); Hopcroft, Motwani, Ullman, section 7.1; Aho, Lam,
Sethi, Ullman, *Compilers* (2nd ed.), section 4.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from maskc import bits
from maskc.grammar.closures import find_derivable, find_reachable, unite_along
from maskc.grammar.model import Bnf, Production
from maskc.ids import END


@dataclass(frozen=True, slots=True)
class ReducedGrammar:
    """Productions whose symbols are all productive and reachable."""

    terminals: tuple[str, ...]  # names of all terminals of the grammar, used or not; `$END` first
    nonterminals: tuple[str, ...]  # names of all nonterminals of the grammar
    start: int  # the start nonterminal
    # those that are left, in the grammar's order; none if the language is empty
    productions: tuple[Production, ...]
    used_terminals: frozenset[int]  # terminals that a production holds
    used_nonterminals: frozenset[int]  # nonterminals that a production holds

    def symbol_name(self, symbol: int) -> str:
        """Return the name of a symbol as it stands in a production's right side."""
        return self.terminals[symbol] if symbol >= 0 else self.nonterminals[-1 - symbol]

    def format(self) -> str:
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
    used: dict[int, list[int]] = {}
    for production in left:
        used.setdefault(production.lhs, []).extend(-1 - s for s in production.rhs if s < 0)
    reachable = find_reachable([start], lambda nonterminal: used.get(nonterminal, ()))
    kept = tuple(p for p in left if p.lhs in reachable)
    return ReducedGrammar(
        terminals=terminals,
        nonterminals=nonterminals,
        start=start,
        productions=kept,
        used_terminals=frozenset(s for p in kept for s in p.rhs if s >= 0),
        used_nonterminals=frozenset(p.lhs for p in kept),
    )


Terminals = int


@dataclass(frozen=True, slots=True)
class SymbolSets:
    """Nullable, FIRST and LAST of a reduced grammar's nonterminals."""

    nullable: frozenset[int]  # nonterminals that derive the empty sequence
    first: Mapping[int, Terminals]  # nonterminal → the terminals it can begin with
    last: Mapping[int, Terminals]  # nonterminal → the terminals it can end with

    def first_of(self, symbols: Iterable[int]) -> tuple[Terminals, bool]:
        """Return what a sequence of symbols can begin with, and whether it can be empty."""
        return _begin(symbols, self.first, self.nullable)

    def last_of(self, symbols: Sequence[int]) -> tuple[Terminals, bool]:
        """Return what a sequence of symbols can end with, and whether it can be empty."""
        return _begin(reversed(symbols), self.last, self.nullable)


def compute_sets(reduced: ReducedGrammar) -> SymbolSets:
    """Return nullable, FIRST and LAST."""
    nullable = compute_nullable(reduced.productions)
    forward = [(p.lhs, p.rhs) for p in reduced.productions]
    backward = [(lhs, rhs[::-1]) for lhs, rhs in forward]
    return SymbolSets(nullable, _close(forward, nullable), _close(backward, nullable))


def compute_nullable(productions: Iterable[Production]) -> frozenset[int]:
    """Return the nonterminals that derive the empty sequence."""
    return frozenset(
        find_derivable((p.lhs, p.rhs) for p in productions if all(s < 0 for s in p.rhs))
    )


def compute_adjacent(reduced: ReducedGrammar, sets: SymbolSets) -> dict[int, Terminals]:
    """Return terminal → the terminals, or the end, that come right after it in some text."""
    adjacent = dict.fromkeys(sorted(reduced.used_terminals), 0)
    rules = [p.rhs for p in reduced.productions]
    if reduced.productions:
        rules.append((-1 - reduced.start, END))
    for rhs in rules:
        for position in range(1, len(rhs)):
            begins, _ = sets.first_of(rhs[position:])
            # Only the symbol next to the gap: what reaches it through empty symbols is found
            # at the gap before those, where it is next.
            ends, _ = sets.last_of(rhs[position - 1 : position])
            for terminal in bits.iterate(ends):
                adjacent[terminal] |= begins
    return adjacent


def _close(
    rules: Sequence[tuple[int, tuple[int, ...]]], nullable: frozenset[int]
) -> dict[int, Terminals]:
    """Return nonterminal → the terminals that a sequence derived from it can begin with."""
    number_of = {lhs: n for n, lhs in enumerate(sorted({lhs for lhs, _ in rules}))}
    edges: list[list[int]] = [[] for _ in number_of]
    values = [0] * len(number_of)
    for lhs, rhs in rules:
        here = number_of[lhs]
        for symbol in rhs:
            if symbol >= 0:
                values[here] |= 1 << symbol
                break
            if -1 - symbol in number_of:
                edges[here].append(number_of[-1 - symbol])
            if -1 - symbol not in nullable:
                break
    return dict(zip(number_of, unite_along(edges, values)[0], strict=True))


def _begin(
    symbols: Iterable[int], known: Mapping[int, Terminals], nullable: frozenset[int]
) -> tuple[Terminals, bool]:
    begins = 0
    for symbol in symbols:
        if symbol >= 0:
            return begins | 1 << symbol, False
        begins |= known.get(-1 - symbol, 0)
        if -1 - symbol not in nullable:
            return begins, False
    return begins, True
