"""Is there no text that holds X and right behind it S?

``is_never_legal(X, S)`` is true iff no P has PXS ∈ L_p, where L_p holds the prefixes of the
grammar's terminal language L: iff L ∩ Σ*XSΣ* is empty. Decided exactly, for S of any length.

The nonterminals of the Bar-Hillel intersection are triples (position, nonterminal, position) in XS.
Of these we keep two kinds, and only as far as they are asked for: how much of a suffix of S a
nonterminal reads (:mod:`maskc.pushdown.debts`, shared by all sequences that end alike), and whether
below a symbol, with so much of S read, the rest can be read: a search through at most (number of
symbols) × |S| pairs. Pairs of terminals are decided by a table, and most never-legal sequences hold
a never-legal pair.

Example: with ``S ::= aSb | ε``, (b, a) is never-legal; (a, bb) is not.

The LALR language is contained in L, so what is never-legal here is never-legal there, conflicts or
not. The reverse does not hold.

Bound: none is needed; the search is finite. Refused alternatives and times: docs/analysis.md.

Source: appendix, section 2, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from maskc.grammar.sets import compute_adjacent
from maskc.ids import END
from maskc.pushdown.debts import Debts, Symbols


class NeverLegal:
    """Answers for one grammar; remembers every sequence that it was asked for.

    Terminals are given by id; ``$END`` may stand last in a sequence: the text ends there.
    """

    def __init__(self, debts: Debts) -> None:
        self._debts = debts
        self.adjacent = compute_adjacent(debts.reduced, debts.sets)
        self._known: dict[Symbols, bool] = {}

    def is_never_legal(self, x: int, sequence: Sequence[int]) -> bool:
        """Return whether no text of the grammar has the sequence right behind ``x``."""
        return self._is_never((x, *sequence))

    def _is_never(self, word: Symbols) -> bool:
        if len(word) == 1:
            return not self.adjacent.get(word[0], 0)
        if any(not self.adjacent.get(x, 0) >> y & 1 for x, y in pairwise(word)):
            return True
        if len(word) == 2:
            return False
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._search(word)
        return known

    def _search(self, word: Symbols) -> bool:
        """Return whether no stack below the first terminal lets the others be read."""
        rest = word[1:]
        seen = {(word[0], 0)}
        pending = [(word[0], 0)]
        while pending:
            symbol, at = pending.pop()
            returns = self._debts.returns(symbol)
            if returns.is_bottom and rest[at:] == (END,):
                return False
            found = [(-1 - lhs, at) for lhs in returns.ends]
            for lhs, behind in returns.rests:
                read = self._debts.advance(behind, 1, rest[at:])
                if read < 0:
                    return False
                while read:
                    low = read & -read
                    read ^= low
                    found.append((-1 - lhs, at + low.bit_length() - 1))
            for pair in found:
                if pair not in seen:
                    seen.add(pair)
                    pending.append(pair)
        return True
