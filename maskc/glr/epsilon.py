"""The same language without empty productions.

A symbol that derives the empty sequence may be left out wherever it stands, so a production
stands for one alternative for each choice of what is left out. Those are exponentially many in
the number of such symbols; a production with many of them is first split into productions of two
symbols, each of which has three alternatives at most.

Example: ``S -> W a W``, ``W -> b |`` becomes ``S -> a | W a | a W | W a W``, ``W -> b``.

Source: Hopcroft, Motwani, Ullman, section 7.1.3.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from maskc.glr.cfg import Cfg, make_cfg
from maskc.grammar.model import Production
from maskc.grammar.sets import compute_nullable

_MOST_NULLABLE = 3  # symbols of one production that are left out in all combinations


def drop_empties(start: int, n_nonterminals: int, productions: Iterable[Production]) -> Cfg:
    """Return a grammar of the same language in which no production is empty."""
    given = list(productions)
    nullable = compute_nullable(given)
    split: list[Production] = []
    for production in given:
        if sum(-1 - s in nullable for s in production.rhs) <= _MOST_NULLABLE:
            split.append(production)
            continue
        # From the left, so that what has been read is one symbol of the stack.
        left = production.rhs[0]
        for symbol in production.rhs[1:-1]:
            split.append(Production(n_nonterminals, (left, symbol)))
            left, n_nonterminals = -1 - n_nonterminals, n_nonterminals + 1
        split.append(Production(production.lhs, (left, production.rhs[-1])))
    nullable = compute_nullable(split)
    found = [
        Production(production.lhs, rhs)
        for production in split
        for rhs in _choices(production.rhs, nullable)
        if rhs and rhs != (-1 - production.lhs,)
    ]
    return make_cfg(start, n_nonterminals, found, has_empty=start in nullable)


def _choices(rhs: tuple[int, ...], nullable: frozenset[int]) -> list[tuple[int, ...]]:
    """Return the right sides with nullable symbols left out, in every combination."""
    ways = [((), (s,)) if -1 - s in nullable else ((s,),) for s in rhs]
    return [tuple(itertools.chain.from_iterable(way)) for way in itertools.product(*ways)]
