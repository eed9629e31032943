"""How much of a terminal sequence S does a nonterminal read, or what a production still lacks?

Where one may be in S once a symbol is generated is a set of positions: bit *n* is set if *n*
terminals can have been read. It is a fixpoint over nonterminals for each suffix of S. Suffixes are
shared between all sequences that end alike, and so is what was found for each *rest*, the symbols
that a production still lacks: a set of positions is answered one position at a time, each by
looking it up.

Example: with ``E ::= E + n | n``, E reads one or three terminals of ``n + n``, and the rest ``+ n``
reads two of ``+ n + n``.

A place of a sequence may hold a set of terminals, any of which will do there
(:meth:`maskc.pushdown.production_debts.ProductionDebts.number_set`).

Source: Bar-Hillel, Perles, Shamir 1961 for the fixpoint over nonterminals and positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from maskc.grammar.reduce import ReducedGrammar
from maskc.grammar.sets import SymbolSets, Terminals

Symbols = tuple[int, ...]
Positions = int  # bit set; ``MET`` once everything was read, 0 once nothing can be
MET = -1


class _Rest(NamedTuple):
    """What a production still lacks, by its first symbol; ``None`` if it lacks nothing.

    Attributes:
        symbol: the first symbol.
        after: the number of what is lacking after it.
        first: the terminals that it can begin with, as bits.
        can_be_empty: whether it can generate nothing.
    """

    symbol: int | None
    after: int
    first: Terminals
    can_be_empty: bool


@dataclass(frozen=True, slots=True, eq=False)
class Suffix:
    """What is known of a sequence; all sequences that end with it share it.

    Attributes:
        elements: the sequence.
        terminals: what its first element stands for, as bits.
        read: nonterminal → how much of it the nonterminal reads, if it reads anything.
        known: number of a rest → where one may be once it is generated from here.
        tails: position → what is left of the sequence from there.
        met: climb → whether it lets the sequence be read (:mod:`maskc.pushdown.emptiness`).
    """

    elements: Symbols
    terminals: Terminals
    read: dict[int, Positions]
    known: dict[int, Positions]
    tails: list[Suffix]
    met: dict[int, bool]


class Reads:
    """What of sequences is read; keeps what they share."""

    def __init__(
        self,
        reduced: ReducedGrammar,
        sets: SymbolSets,
        list_terminals: Callable[[int], list[int]],
        terminals_at: Callable[[int], Terminals],
    ) -> None:
        """Prepare the productions.

        Args:
            reduced: the grammar.
            sets: its nullable and FIRST.
            list_terminals: element of a sequence → the used terminals that it stands for.
            terminals_at: the same as a set.
        """
        self._sets, self._list_terminals, self._terminals_at = sets, list_terminals, terminals_at
        self._rest_number: dict[Symbols, int] = {}
        self._rests: list[_Rest] = []
        self._corners = {
            symbol: tuple((lhs, self.number_rest(rest)) for lhs, rest in pairs)
            for symbol, pairs in _list_corners(reduced, sets.nullable).items()
        }
        nothing_left = Suffix((), 0, {}, {}, [], {})
        nothing_left.tails.append(nothing_left)
        self._nothing_left = nothing_left
        self._suffixes: dict[Symbols, Suffix] = {(): nothing_left}

    def suffix(self, elements: Symbols) -> Suffix:
        """Return what is known of a sequence, and of all that it ends with."""
        found = self._suffixes.get(elements)
        if found is None:
            found = self._nothing_left
            for start in range(len(elements) - 1, -1, -1):
                found = self._prepend(elements[start:], found)
        return found

    def _prepend(self, elements: Symbols, after: Suffix) -> Suffix:
        """Return what is known of a sequence of which all but the first element is ``after``."""
        found = self._suffixes.get(elements)
        if found is None:
            found = Suffix(elements, self._terminals_at(elements[0]), {}, {}, [], {})
            found.tails.extend((found, *after.tails))
            found.read.update(self._fill(found))  # what is left of it was filled before
            self._suffixes[elements] = found
        return found

    def advance(self, rest: int, positions: Positions, suffix: Suffix) -> Positions:
        """Return where in the sequence one may be once the symbols of ``rest`` are generated.

        ``MET`` if the sequence may be read to its end on the way.
        """
        found = 0
        tails = suffix.tails
        while positions:
            low = positions & -positions
            positions ^= low
            at = low.bit_length() - 1
            tail = tails[at]
            read = tail.known.get(rest)
            if read is None:
                read = tail.known[rest] = self._advance_from(rest, tail)
            if read == MET:
                return MET
            found |= read << at
        return found

    def _advance_from(self, number: int, suffix: Suffix) -> Positions:
        """As ``advance`` from position 0 of a sequence that is not empty."""
        rest = self._rests[number]
        if rest.symbol is None:
            return 1
        empty = int(rest.can_be_empty)
        if not rest.first & suffix.terminals:
            return empty
        if len(suffix.elements) == 1:
            return MET
        if rest.symbol >= 0:
            read = self.advance(rest.after, 2, suffix)
            return MET if read == MET else empty | read
        nonterminal = -1 - rest.symbol
        here = suffix.read.get(nonterminal, 0) | (nonterminal in self._sets.nullable)
        if here >> len(suffix.elements):
            return MET
        read = self.advance(rest.after, here, suffix)
        return MET if read == MET else empty | read

    def _fill(self, suffix: Suffix) -> dict[int, Positions]:
        """Return how much of a sequence each nonterminal reads, if it reads anything.

        The last bit, the sequence's length, also stands for all that begins with the sequence.
        """
        last = 1 << len(suffix.elements)
        table: dict[int, Positions] = {}
        pending: list[tuple[int, Positions]] = [
            (symbol, 2) for symbol in self._list_terminals(suffix.elements[0])
        ]
        while pending:
            symbol, positions = pending.pop()
            # Invariant: positions are after the first element, so what is asked is known.
            for lhs, rest in self._corners.get(symbol, ()):
                known = table.get(lhs, 0)
                # Once everything can be read, how else it could be read does not matter.
                if known & last:
                    continue
                read = last if positions & last else self.advance(rest, positions, suffix)
                if read == MET:
                    read = last
                if read & ~known:
                    table[lhs] = known | read
                    pending.append((-1 - lhs, read & ~known))
        return table

    def number_rest(self, symbols: Symbols) -> int:
        """Return the number of what a production still lacks; what ends it is numbered too."""
        found = self._rest_number.get(symbols)
        if found is None:
            after = self.number_rest(symbols[1:]) if symbols else 0
            first, can_be_empty = self._sets.first_of(symbols) if symbols else (0, True)
            found = self._rest_number[symbols] = len(self._rests)
            self._rests.append(_Rest(symbols[0] if symbols else None, after, first, can_be_empty))
        return found


def _list_corners(
    reduced: ReducedGrammar, nullable: frozenset[int]
) -> dict[int, tuple[tuple[int, Symbols], ...]]:
    """Return symbol → (left side, symbols after) where only empty symbols stand before it."""
    found: dict[int, dict[tuple[int, Symbols], None]] = {}
    for production in reduced.productions:
        for position, symbol in enumerate(production.rhs, 1):
            found.setdefault(symbol, {})[production.lhs, production.rhs[position:]] = None
            if symbol >= 0 or -1 - symbol not in nullable:
                break
    return {symbol: tuple(pairs) for symbol, pairs in found.items()}
