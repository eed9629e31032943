"""Is there a stack after X on which a terminal sequence S can be read?

After X the stack holds places to return to: a production that lacks some symbols, below it one that
waits for that production's left side, and so on. Places that lack nothing, or only what can be
empty, are passed without reading. So a *climb* of X is a place that reads, however many of these
lie above it; only climbs that can begin with S's first terminal matter. One that reads a part of S
leads to its own left side, after which the rest of S is asked in the same way: the rest is shorter,
so nothing is asked in a circle, and each symbol and rest is asked once.

Example: with ``E ::= T + E | T`` and ``T ::= n | ( E )``, the climbs of n are ``+ E`` of E, and
``)`` of T, which lies below as many E as one likes that lack nothing.

Source: appendix, section 2; the emptiness of :mod:`maskc.pushdown.debt_automaton`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maskc import bits
from maskc.bits import Bits
from maskc.grammar.closures import unite_along
from maskc.grammar.sets import SymbolSets, Terminals
from maskc.ids import END
from maskc.pushdown.reads import MET, Reads, Suffix, Symbols

_BOTTOM = 1  # as a set of places: the bottom of the stack is place 0


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
            sets: nullable and FIRST.
        """
        self._advance = reads.advance
        place = {pair: n for n, pair in enumerate(_list_reading(returns), 1)}
        index = {symbol: n for n, symbol in enumerate(returns)}
        can_be_empty = {pair for pair in place if sets.first_of(pair[1])[1]}
        begun, ended, passed = list[Bits](), list[list[int]](), list[list[int]]()
        for symbol, pairs in returns.items():
            begun.append(bits.from_members(place[pair] for pair in pairs if pair[1]))
            begun[-1] |= _BOTTOM if symbol == start else 0
            ended.append([index[-1 - lhs] for lhs, rest in pairs if not rest])
            passed.append([index[-1 - pair[0]] for pair in pairs if pair in can_be_empty])
            passed[-1] += ended[-1]
        climbs, _ = unite_along(passed, begun)
        # Where only what lacks nothing is passed, nothing can have been read.
        unread, _ = unite_along(ended, begun)
        must_read = ~(_BOTTOM | bits.from_members(place[pair] for pair in can_be_empty))
        self._must_read = {symbol: unread[n] & must_read for symbol, n in index.items()}
        number: dict[Bits, int] = {}
        self._number = {s: number.setdefault(climbs[n], len(number)) for s, n in index.items()}
        self._climbs = list(number)
        # By place: the number of what is climbed after its left side, and of what it lacks.
        self._places = [(0, 0)]
        self._places += ((self._number[-1 - lhs], reads.number_rest(rest)) for lhs, rest in place)
        self._by_first: dict[Terminals, Bits] = {1 << END: _BOTTOM}
        for (_, rest), n in place.items():
            first, _ = sets.first_of(rest)
            self._by_first[first] = self._by_first.get(first, 0) | 1 << n
        self._fitting: dict[Terminals, Bits] = {}

    def can_be_read(self, symbol: int, suffix: Suffix) -> bool:
        """Return whether some stack after a symbol lets a sequence, not empty, be read."""
        climb = self._number.get(symbol)
        if climb is None:
            return False
        found = suffix.met.get(climb)
        if found is not None:
            return found
        calls = [(suffix.met, climb, iter(self._list_below(climb, suffix)))]
        while calls:
            known, climb, below = calls[-1]
            for lower, rest in below:
                found = rest.met.get(lower) if rest.elements else True
                if found:
                    for known, climb, _ in calls:
                        known[climb] = True
                    return True
                if found is None:
                    calls.append((rest.met, lower, iter(self._list_below(lower, rest))))
                    break
            else:
                known[climb] = False
                calls.pop()
        return False

    def is_refused_at_once(self, symbol: int, suffix: Suffix) -> bool:
        """Return whether a place that must read something cannot begin with a sequence.

        If not, some stack after the symbol may still refuse it.
        """
        places = self._must_read.get(symbol, 0)
        return places & ~self._find_fitting(suffix.terminals) != 0

    def _list_below(self, climb: int, suffix: Suffix) -> list[tuple[int, Suffix]]:
        """Return what is climbed once a part of a sequence is read, and what is left of it then."""
        fitting = self._climbs[climb] & self._find_fitting(suffix.terminals)
        nothing = suffix.tails[-1]
        found = []
        for place in bits.iterate(fitting):
            lower, lacking = self._places[place]
            read = self._advance(lacking, 1, suffix) if place else _end(suffix)
            if read == MET:
                return [(lower, nothing)]
            # What can be empty was passed: only where something is read, something is found.
            found += [(lower, suffix.tails[n]) for n in bits.iterate(read & ~1)]
        return found

    def _find_fitting(self, terminals: Terminals) -> Bits:
        """Return the places that can begin with one of some terminals."""
        found = self._fitting.get(terminals)
        if found is None:
            fitting = (places for first, places in self._by_first.items() if first & terminals)
            found = self._fitting[terminals] = bits.unite(fitting)
        return found


def _list_reading(
    returns: Mapping[int, Sequence[tuple[int, Symbols]]],
) -> dict[tuple[int, Symbols], None]:
    """Return the places that lack something, each once."""
    return {pair: None for pairs in returns.values() for pair in pairs if pair[1]}


def _end(suffix: Suffix) -> int:
    """Return what of a sequence that begins with the end of the text is read at the bottom."""
    return MET if len(suffix.elements) == 1 else 0
