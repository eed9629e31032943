"""Which numbers have the symbols and productions of a grammar?

They depend on the names only, so that equal grammars have equal numbers: terminals in the order of
their names after ``$END``, nonterminals in the order of their names, productions in the order of
their sides.

Example: with the terminals B and A and the nonterminal x, the symbol A is 1, B is 2 and x is -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from maskc.grammar.model import Bnf, Production
from maskc.ids import TerminalId

END_NAME = "$END"


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of names.

    Attributes:
        terminals: names, ``$END`` first.
        nonterminals: names.
        terminal_id: name → number.
        nonterminal_id: name → number.
    """

    terminals: tuple[str, ...]
    nonterminals: tuple[str, ...]
    terminal_id: Mapping[str, TerminalId]
    nonterminal_id: Mapping[str, int]

    def produce(self, lhs: str, rhs: Iterable[tuple[str, bool]]) -> Production:
        """Return a production.

        Args:
            lhs: a nonterminal's name.
            rhs: names, each with whether it is a terminal's.
        """
        side = tuple(
            self.terminal_id[name] if is_terminal else -1 - self.nonterminal_id[name]
            for name, is_terminal in rhs
        )
        return Production(self.nonterminal_id[lhs], side)

    def make_bnf(self, start: str, productions: Iterable[Production]) -> Bnf:
        """Return the productions, each once and in order."""
        in_order = sorted(set(productions), key=lambda p: (p.lhs, [_sort_key(s) for s in p.rhs]))
        return Bnf(self.terminals, self.nonterminals, self.nonterminal_id[start], tuple(in_order))


def number_names(terminals: Iterable[str], nonterminals: Iterable[str]) -> Numbering:
    """Return the numbers of the names of a grammar's symbols."""
    of_terminals = (END_NAME, *sorted({*terminals} - {END_NAME}))
    of_nonterminals = tuple(sorted(set(nonterminals)))
    return Numbering(
        of_terminals,
        of_nonterminals,
        MappingProxyType({name: TerminalId(i) for i, name in enumerate(of_terminals)}),
        MappingProxyType({name: i for i, name in enumerate(of_nonterminals)}),
    )


def _sort_key(symbol: int) -> tuple[bool, int]:
    return (symbol < 0, abs(symbol))
