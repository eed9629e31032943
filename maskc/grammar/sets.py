"""Which nonterminals derive nothing, and with which terminals can a symbol begin, end, go on?

*Nullable* nonterminals derive the empty sequence. FIRST(A) holds the terminals that a sequence
derived from A can begin with, LAST(A) those it can end with. Two terminals are *adjacent* if some
terminal sequence of the language holds one right after the other; FOLLOW, over terminals.

Example: for ``S -> a S b |``: S is nullable, FIRST(S) = {a}, LAST(S) = {b}; a is followed by a and
b, b by b and by the end.

Sets of terminals are bit sets, bit ``t`` for terminal ``t``.

Source: Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.), section 4.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from maskc import bits
from maskc.grammar.closures import find_derivable, unite_along
from maskc.grammar.model import Production
from maskc.grammar.reduce import ReducedGrammar
from maskc.ids import END

Terminals = int


@dataclass(frozen=True, slots=True)
class SymbolSets:
    """Nullable, FIRST and LAST of a reduced grammar's nonterminals.

    Attributes:
        nullable: nonterminals that derive the empty sequence.
        first: nonterminal → the terminals it can begin with.
        last: nonterminal → the terminals it can end with.
    """

    nullable: frozenset[int]
    first: Mapping[int, Terminals]
    last: Mapping[int, Terminals]

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
    place = {lhs: n for n, lhs in enumerate(sorted({lhs for lhs, _ in rules}))}
    edges: list[list[int]] = [[] for _ in place]
    values = [0] * len(place)
    for lhs, rhs in rules:
        here = place[lhs]
        for symbol in rhs:
            if symbol >= 0:
                values[here] |= 1 << symbol
                break
            if -1 - symbol in place:
                edges[here].append(place[-1 - symbol])
            if -1 - symbol not in nullable:
                break
    return dict(zip(place, unite_along(edges, values)[0], strict=True))


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
