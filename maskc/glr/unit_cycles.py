"""The same language without cycles of unit productions.

Nonterminals that derive each other alone, ``A -> B`` and ``B -> A``, derive the same sequences.
They become one, and a production of it to itself says nothing. Without empty productions these are
the only derivations that can go on for ever and read nothing.

Example: ``A -> B | a``, ``B -> A | b`` becomes ``A -> a | b``.
"""

from __future__ import annotations

from maskc.glr.cfg import Cfg, make_cfg
from maskc.grammar.components import find_components
from maskc.grammar.model import Production


def merge_unit_cycles(cfg: Cfg) -> Cfg:
    """Return a grammar of the same language in which no nonterminal derives itself alone."""
    edges: dict[int, list[int]] = {n: [] for n in range(cfg.n_nonterminals)}
    for production in cfg.productions:
        if len(production.rhs) == 1 and production.rhs[0] < 0:
            edges[production.lhs].append(-1 - production.rhs[0])
    stands_for = {n: min(group) for group in find_components(edges) for n in group}

    def rename(symbol: int) -> int:
        return symbol if symbol >= 0 else -1 - stands_for[-1 - symbol]

    renamed = (Production(stands_for[p.lhs], tuple(map(rename, p.rhs))) for p in cfg.productions)
    kept = [p for p in renamed if p.rhs != (-1 - p.lhs,)]
    return make_cfg(stands_for[cfg.start], cfg.n_nonterminals, kept, has_empty=cfg.has_empty)
