"""Is there no text that holds X and right after it S?

``is_never_legal(X, S)`` is true iff no P has PXS ∈ L_p, where L_p holds the prefixes of the
grammar's terminal language L: iff L ∩ Σ*XSΣ* is empty. Decided exactly, for S of any length.

The nonterminals of the Bar-Hillel intersection are triples (position, nonterminal, position) in XS.
Of these we keep two kinds, and only as far as they are asked for: how much of a suffix of S a
nonterminal reads, shared by all sequences that end alike, and whether below a symbol, with so much
of S read, the rest can be read (:mod:`maskc.pushdown.reads`, :mod:`maskc.pushdown.emptiness`).
Pairs of terminals are decided by a table, and most never-legal sequences hold a never-legal pair.

Example: with ``S ::= aSb | ε``, (b, a) is never-legal; (a, bb) is not.

The LALR language is contained in L, so what is never-legal here is never-legal there, conflicts or
not. The reverse does not hold.

Bound: none is needed; the search is finite. Refused alternatives and times: docs/measured.md.

Source: appendix, section 2, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from maskc.grammar.sets import Terminals, compute_adjacent
from maskc.pushdown.production_debts import ProductionDebts
from maskc.pushdown.reads import Symbols


class NeverLegal:
    """Answers for one grammar; remembers what sequences share.

    Terminals are given by id; ``$END`` may stand last in a sequence: the text ends there. In the
    place of a terminal a set of them may stand, numbered by the debts.

    Attributes:
        adjacent: terminal → the terminals, as bits, that stand right after it in some text.
    """

    def __init__(self, debts: ProductionDebts) -> None:
        self._debts = debts
        self.adjacent = compute_adjacent(debts.reduced, debts.sets)
        self._after: dict[int, Terminals] = {}
        self._gaps: dict[Symbols, bool] = {}

    def is_never_legal(self, x: int, sequence: Sequence[int]) -> bool:
        """Return whether no text of the grammar has the sequence right after ``x``."""
        elements, debts, after = tuple(sequence), self._debts, self.list_after(x)
        if not elements:
            return not after
        if not after & debts.terminals_at(elements[0]) or self._has_gap(elements):
            return True
        return len(elements) > 1 and debts.is_empty(debts.list_terminals(x), elements)

    def _has_gap(self, elements: Symbols) -> bool:
        """Return whether two places of a sequence stand side by side in no text."""
        found = self._gaps.get(elements)
        if found is None:
            at = self._debts.terminals_at
            found = not all(self.list_after(one) & at(other) for one, other in pairwise(elements))
            self._gaps[elements] = found
        return found

    def list_after(self, element: int) -> Terminals:
        """Return the terminals, as bits, that stand right after a terminal, or one of a set."""
        found = self._after.get(element)
        if found is None:
            found = 0
            for terminal in self._debts.list_terminals(element):
                found |= self.adjacent[terminal]
            self._after[element] = found
        return found
