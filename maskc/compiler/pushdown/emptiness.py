"""Bar-Hillel intersection: whether a terminal sequence S can be read on a stack after a symbol X.

:class:`Reads` says how much of S a nonterminal reads, or what a production still lacks: a set of
positions, bit *n* set if *n* terminals can have been read. It is a fixpoint over nonterminals for
each suffix of S. Suffixes are shared between all sequences that end alike, and so is what was found
for each *rest*, the symbols that a production still lacks.

:class:`Emptiness` looks down the stack. After X it holds states to return to: a production that
lacks some symbols, below it one that waits for that production's left side, and so on. Those that
lack nothing, or only what can be empty, are passed without reading. So a *climb* of X is a
production that reads, however many of these lie above it; only climbs that can begin with S's first
terminal matter. One that reads a part of S leads to its own left side, after which the rest of S is
asked in the same way: the rest is shorter, so nothing is asked in a circle.

A position of a sequence may hold a set of terminals, any of which will do there.

Source: appendix, section 2; Bar-Hillel, Perles, Shamir 1961 for the fixpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from maskc import bits
from maskc.bits import Bits
from maskc.grammar import Bnf
from maskc.grammar.sets import SymbolSets, Terminals, unite_along
from maskc.ids import END

Symbols = tuple[int, ...]
Positions = int  # bit set; ``MET`` once everything was read, 0 once nothing can be
MET = -1


class _Rest(NamedTuple):
    """What a production still lacks, by its first symbol; ``None`` if it lacks nothing."""

    symbol: int | None  # the first symbol
    after: int  # the number of what is lacking after it
    first: Terminals  # the terminals that it can begin with, as bits
    can_be_empty: bool  # whether it can generate nothing


@dataclass(slots=True, eq=False)
class Suffix:
    """A sequence as its first element and the rest, kept once: all that end with it share it."""

    element: int  # the first one; a terminal, or the number of a set of terminals
    terminals: Terminals  # what it stands for, as bits
    tails: list[Suffix]  # position → what is left of the sequence from there; the last one is empty
    # whether two positions stand side by side in no text; None: not asked yet
    has_gap: bool | None = None
    # nonterminal → how much of the sequence it reads, if anything; None: not asked yet
    read: dict[int, Positions] | None = None
    # number of a rest → where one may be once it is generated from here
    known: dict[int, Positions] = field(default_factory=dict)
    # good, bad: what was found of productions that go on with the sequence: whether the stack below
    # lets the rest be read, as bits
    good: Bits = 0
    bad: Bits = 0

    def __len__(self) -> int:
        return len(self.tails) - 1

    def elements(self) -> Symbols:
        return tuple(tail.element for tail in self.tails[:-1])


class Reads:
    """What of sequences is read; keeps what they share."""

    def __init__(
        self,
        reduced: Bnf,
        sets: SymbolSets,
        list_terminals: Callable[[int], list[int]],
        terminals_at: Callable[[int], Terminals],
    ) -> None:
        """Prepare the productions.

        Args:
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
        self.nothing = Suffix(0, 0, [], has_gap=False, read={})
        self.nothing.tails.append(self.nothing)
        self._suffixes: dict[tuple[int, Suffix], Suffix] = {}

    def suffix(self, elements: Iterable[int]) -> Suffix:
        found = self.nothing
        for element in reversed(tuple(elements)):
            found = self.prepend(element, found)
        return found

    def prepend(self, element: int, after: Suffix) -> Suffix:
        key = (element, after)
        found = self._suffixes.get(key)
        if found is None:
            found = self._suffixes[key] = Suffix(element, self._terminals_at(element), [])
            found.tails.extend((found, *after.tails))
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
        if len(suffix) == 1:
            return MET
        if rest.symbol >= 0:
            read = self.advance(rest.after, 2, suffix)
            return MET if read == MET else empty | read
        nonterminal = -1 - rest.symbol
        read_by = self._fill(suffix) if suffix.read is None else suffix.read
        here = read_by.get(nonterminal, 0) | (nonterminal in self._sets.nullable)
        if here >> len(suffix):
            return MET
        read = self.advance(rest.after, here, suffix)
        return MET if read == MET else empty | read

    def _fill(self, suffix: Suffix) -> dict[int, Positions]:
        """Return how much of a sequence each nonterminal reads, if it reads anything."""
        found: dict[int, Positions] = {}
        for tail in reversed(suffix.tails):  # the fixpoint of each needs those of its tails
            found = tail.read = self._find_read(tail) if tail.read is None else tail.read
        return found

    def _find_read(self, suffix: Suffix) -> dict[int, Positions]:
        """As ``_fill``, where the tails are filled.

        The last bit, the sequence's length, also stands for all that begins with the sequence.
        """
        last = 1 << len(suffix)
        table: dict[int, Positions] = {}
        pending: list[tuple[int, Positions]] = [
            (symbol, 2) for symbol in self._list_terminals(suffix.element)
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
    reduced: Bnf, nullable: frozenset[int]
) -> dict[int, tuple[tuple[int, Symbols], ...]]:
    """Return symbol → (left side, symbols after) where only empty symbols stand before it."""
    found: dict[int, dict[tuple[int, Symbols], None]] = {}
    for production in reduced.productions:
        for position, symbol in enumerate(production.rhs, 1):
            found.setdefault(symbol, {})[production.lhs, production.rhs[position:]] = None
            if symbol >= 0 or -1 - symbol not in nullable:
                break
    return {symbol: tuple(pairs) for symbol, pairs in found.items()}


_BOTTOM = 1  # as a set of configurations: the bottom of the stack has the number 0


class Emptiness:
    """Answers for the productions of one grammar; what was found is kept with each rest."""

    def __init__(
        self,
        returns: Mapping[int, Sequence[tuple[int, Symbols]]],
        start: int,
        reads: Reads,
        sets: SymbolSets,
    ) -> None:
        """Find the climbs of all symbols.

        Args:
            returns: symbol → the productions that it stands in: left side, and the symbols after
                it there. The start symbol has an entry, and so has each left side.
            start: the start symbol, as right sides hold it.
            reads: what of sequences is read.
        """
        self._advance = reads.advance
        # The configurations that lack something, each once.
        reading = {pair: None for pairs in returns.values() for pair in pairs if pair[1]}
        number_of = {pair: n for n, pair in enumerate(reading, 1)}
        index = {symbol: n for n, symbol in enumerate(returns)}
        can_be_empty = {pair for pair in number_of if sets.first_of(pair[1])[1]}
        begun, ended, passed = list[Bits](), list[list[int]](), list[list[int]]()
        for symbol, pairs in returns.items():
            begun.append(bits.from_members(number_of[pair] for pair in pairs if pair[1]))
            begun[-1] |= _BOTTOM if symbol == start else 0
            ended.append([index[-1 - lhs] for lhs, rest in pairs if not rest])
            passed.append([index[-1 - pair[0]] for pair in pairs if pair in can_be_empty])
            passed[-1] += ended[-1]
        climbs, _ = unite_along(passed, begun)
        # Where only what lacks nothing is passed, nothing can have been read.
        unread, _ = unite_along(ended, begun)
        must_read = ~(_BOTTOM | bits.from_members(number_of[pair] for pair in can_be_empty))
        self._must_read = {symbol: unread[n] & must_read for symbol, n in index.items()}
        self._climbs = {symbol: climbs[n] for symbol, n in index.items()}
        # By configuration: what is climbed after its left side, and the number of what it lacks.
        self._configurations = [(0, 0)]
        self._configurations += (
            (self._climbs[-1 - lhs], reads.number_rest(rest)) for lhs, rest in number_of
        )
        self._by_first: dict[Terminals, Bits] = {1 << END: _BOTTOM}
        for (_, rest), n in number_of.items():
            first, _ = sets.first_of(rest)
            self._by_first[first] = self._by_first.get(first, 0) | 1 << n
        self._fitting: dict[Terminals, Bits] = {}

    def can_be_read(self, symbol: int, suffix: Suffix) -> bool:
        """Return whether some stack after a symbol lets a sequence, not empty, be read."""
        configurations = self._climbs.get(symbol, 0) & self._find_fitting(suffix.terminals)
        if configurations & suffix.good or not configurations & ~suffix.bad:
            return bool(configurations & suffix.good)
        # A token may have many terminals: this stack is ours, not Python's.
        calls = [self._ask(configurations, suffix)]
        answer: bool | None = None
        while calls:
            try:
                calls.append(self._ask(*calls[-1].send(answer)))
                answer = None
            except StopIteration as done:
                calls.pop()
                answer = done.value
        return bool(answer)

    def is_refused_at_once(self, symbol: int, suffix: Suffix) -> bool:
        """Return whether a configuration that must read something cannot begin with a sequence.

        If not, some stack after the symbol may still refuse it.
        """
        configurations = self._must_read.get(symbol, 0)
        return configurations & ~self._find_fitting(suffix.terminals) != 0

    def _ask(
        self, configurations: Bits, suffix: Suffix
    ) -> Generator[tuple[Bits, Suffix], bool | None, bool]:
        """Return whether some configuration goes on with a sequence, and ask what lies below."""
        for number in bits.iterate(configurations & ~suffix.bad):
            lower, lacking = self._configurations[number]
            at_bottom = MET if len(suffix) == 1 else 0  # where the text ends
            read = self._advance(lacking, 1, suffix) if number else at_bottom
            # What can be empty was passed: only where something is read, something is found.
            for n in bits.iterate(0 if read == MET else read & ~1):
                tail = suffix.tails[n]
                below = lower & self._find_fitting(tail.terminals)
                if not len(tail) or below & tail.good or below & ~tail.bad and (yield below, tail):
                    read = MET
                    break
            if read == MET:
                suffix.good |= 1 << number
                return True
            suffix.bad |= 1 << number
        return False

    def _find_fitting(self, terminals: Terminals) -> Bits:
        """Return the configurations that can begin with one of some terminals."""
        found = self._fitting.get(terminals)
        if found is None:
            fitting = (some for first, some in self._by_first.items() if first & terminals)
            found = self._fitting[terminals] = bits.unite(fitting)
        return found
