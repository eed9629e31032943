"""Productions that are free to be rewritten: a grammar as a set of terminal sequences.

A general parser builds no trees, so only the language counts, and each rewrite in this package
keeps it: :mod:`~maskc.glr.epsilon`, :mod:`~maskc.glr.unit_cycles`,
:mod:`~maskc.glr.recursion` and :mod:`~maskc.glr.adjacency`, in this order.

The empty sequence is kept apart from the productions, so that none of them need be empty.

Example: ``S -> a S |`` becomes ``S -> a S | a`` with ``has_empty``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from maskc.grammar.model import Production
from maskc.grammar.reduce import reduce_productions


@dataclass(frozen=True, slots=True)
class Cfg:
    """A context-free grammar over numbered symbols.

    Attributes:
        start: the start nonterminal.
        n_nonterminals: nonterminals are below this.
        productions: reduced, sorted, without repetition.
        has_empty: whether the empty sequence is in the language, productions or not.
    """

    start: int
    n_nonterminals: int
    productions: tuple[Production, ...]
    has_empty: bool

    def alternatives(self) -> dict[int, list[tuple[int, ...]]]:
        """Return nonterminal → right sides, in order."""
        found: dict[int, list[tuple[int, ...]]] = {}
        for production in self.productions:
            found.setdefault(production.lhs, []).append(production.rhs)
        return found


def make_cfg(
    start: int, n_nonterminals: int, productions: Iterable[Production], *, has_empty: bool
) -> Cfg:
    """Return the grammar of the productions that take part in some sequence."""
    distinct = sorted({(p.lhs, p.rhs) for p in productions})
    reduced = reduce_productions((), (), start, (Production(lhs, rhs) for lhs, rhs in distinct))
    return Cfg(start, n_nonterminals, reduced.productions, has_empty)
