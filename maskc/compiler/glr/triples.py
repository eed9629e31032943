"""Which terminals may come after two others, in some text of a general grammar?

Where lexemes overlap, the same bytes can be cut in very many ways, and the walk
(:mod:`maskc.compiler.glr.walk`) follows those that a text may have. Two terminals side by side rule
out little: with ``edge: NAME "-" "-" NAME`` and edges one after the other, each of NAME and ``-``
may stand after each, so 80 dashes that may be names were 2^80 paths. After two terminals the next
one is mostly known.

*Never legal* decides it (:mod:`maskc.compiler.pushdown.production_debts`): what is left out here
would be dropped by the streamlining, so no mask depends on it. Pairs are asked for as the walk
meets them.

Example: with ``start: (A B C)+``, A B is followed by C alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from maskc import bits
from maskc.compiler.pushdown.production_verdicts import AskedProductions
from maskc.grammar.sets import Terminals

ANY_PAIR = 0  # nothing is known of what stands before
_ANY = -1


class Triples:
    """Answers for pairs of terminals, which have numbers.

    Attributes:
        rows: bool[pairs or more, n_terminals], whether a terminal may come after a pair; valid
            for the pairs that :meth:`find` was called for.
    """

    def __init__(
        self,
        n_terminals: int,
        follow: Mapping[int, Terminals],
        ask: Callable[[int, int, int], bool],
    ) -> None:
        """Prepare an answer.

        Args:
            n_terminals: the columns.
            follow: terminal that some text holds → the terminals that may come right after it.
            ask: whether some text has three terminals side by side, of which ``follow`` has both
                pairs.
        """
        self._follow, self._ask = follow, ask
        self._pairs = [(_ANY, _ANY)]
        self._number = {(_ANY, _ANY): ANY_PAIR}
        self._is_found = [False]
        self.rows = np.zeros((64, n_terminals), dtype=np.bool_)

    def extend(self, pair: int, terminal: int) -> int:
        """Return the number of the pair whose second terminal this is, after another pair."""
        key = (self._pairs[pair][1], max(terminal, _ANY))
        number = self._number.setdefault(key, len(self._pairs))
        if number == len(self._pairs):
            self._pairs.append(key)
            self._is_found.append(False)
            if number == len(self.rows):
                self.rows = np.concatenate((self.rows, np.zeros_like(self.rows)))
        return number

    def find(self, pair: int) -> None:
        """Fill the row of a pair."""
        if self._is_found[pair]:
            return
        self._is_found[pair] = True
        one, other = self._pairs[pair]
        if other == _ANY:
            self.rows[pair, list(self._follow)] = True
            return
        for terminal in bits.iterate(self._follow.get(other, 0)):
            self.rows[pair, terminal] = one == _ANY or self._ask(one, other, terminal)


def find_follow(asked: AskedProductions) -> dict[int, Terminals]:
    """Return terminal → the terminals, as bits, that come right after it in some text."""
    found: dict[int, Terminals] = {}
    for symbol, after in asked.debts.adjacent.items():
        terminal, names = asked.symbols[symbol][0], 0
        for other in bits.iterate(after):
            names |= 1 << asked.symbols[other][0]
        if names:
            found[terminal] = found.get(terminal, 0) | names
    return found


def ask_productions(asked: AskedProductions) -> Callable[[int, int, int], bool]:
    """Return whether some text of the productions has three terminals side by side."""
    debts = asked.debts
    symbols: dict[int, Terminals] = {}
    for symbol, (terminal, _) in enumerate(asked.symbols):
        symbols[terminal] = symbols.get(terminal, 0) | 1 << symbol
    element = {terminal: debts.number_set(found) for terminal, found in symbols.items()}

    def ask(one: int, other: int, third: int) -> bool:
        if not {one, other, third} <= element.keys():
            return False
        before = debts.list_terminals(element[one])
        return not debts.is_empty(before, (element[other], element[third]))

    return ask
