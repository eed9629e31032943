"""Which terminals does a general grammar ask for in the same places, and make them one.

Two terminals are interchangeable here if each production that holds one of them also exists with
the other in its place. Where every split of a text into lexemes counts, a text then keeps its
derivations if one stands for both, with the lexemes of both. It matters where they overlap: of a
token with n letters, k such terminals make up to k to the n sequences, and one makes n.

Example: in ``start: (A | B)+`` B becomes A; in ``start: (A | B)+ A`` neither stands for the other.

Limits: only terminals that the productions ask for and the lexer does not ignore; and only for
``dynamic`` and ``dynamic_complete``, where no terminal is tried before another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from maskc.grammar.model import Bnf, Production
from maskc.ids import TerminalId

# A production with a hole: left side, what stands before the terminal, and after it.
_Place = tuple[int, tuple[int, ...], tuple[int, ...]]


def merge_interchangeable(
    bnf: Bnf, ignored: frozenset[TerminalId]
) -> tuple[Bnf, Mapping[TerminalId, TerminalId]]:
    """Return the productions with one terminal for all that are interchangeable.

    Args:
        bnf: the productions.
        ignored: terminals that the lexer may drop: they stay as they are.

    Returns:
        The productions, and terminal → the one that stands for it, where it is another one.
    """
    stands_for: dict[TerminalId, TerminalId] = {}
    while found := _find_interchangeable(bnf, ignored):
        stands_for = {t: found.get(one, one) for t, one in stands_for.items()} | found
        productions = dict.fromkeys(
            Production(p.lhs, tuple(found.get(TerminalId(s), s) for s in p.rhs))
            for p in bnf.productions
        )
        # Merged ones stand for productions that are there already, so the order stays canonical.
        bnf = replace(bnf, productions=tuple(productions))
    return bnf, stands_for


def _find_interchangeable(bnf: Bnf, ignored: frozenset[TerminalId]) -> dict[TerminalId, TerminalId]:
    """Return terminal → the first that is asked for in the same places, if it is another one."""
    places: dict[TerminalId, set[_Place]] = {}
    for production in bnf.productions:
        for index, symbol in enumerate(production.rhs):
            if symbol >= 0 and symbol not in ignored:
                before, after = production.rhs[:index], production.rhs[index + 1 :]
                places.setdefault(TerminalId(symbol), set()).add((production.lhs, before, after))
    first: dict[frozenset[_Place], TerminalId] = {}
    return {
        terminal: one
        for terminal, asked in sorted(places.items())
        if (one := first.setdefault(frozenset(asked), terminal)) != terminal
    }
