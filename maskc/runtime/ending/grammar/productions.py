"""Which productions does an LALR table have, and how far has each state come in which of them?

An artifact has no productions' symbols, since a parser needs their lengths only. They are read back
from the table: a state that reduces a production of length n was reached over its last symbol, the
states before it over the last but one, and so on; each state on the way has come so far in it.

Example: a state that reduces ``pair: STRING ":" value`` was reached over ``value``, from a state
that was reached over ``:``, in which two symbols of the production are over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.ids import LalrStateId
from maskc.runtime.lalr.tables import LalrTables

# A terminal, or a nonterminal as -1 - its number.
Symbol = int
# A production, and how many of its symbols are over.
Item = tuple[int, int]


def as_symbol(nonterminal: int) -> Symbol:
    """Return a nonterminal as a symbol."""
    return -1 - nonterminal


class Productions:
    """The productions of a table.

    Args:
        tables: of the artifact.
        arrays: of the same.

    Attributes:
        lhs: nonterminal of each production.
        symbols: production → its symbols, ``None`` if no state reduces it.
        items: LALR state → what it has come to, without what has only begun.
    """

    def __init__(self, tables: LalrTables, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.lhs: list[int] = list(tables.production_lhs)
        self.symbols: list[tuple[Symbol, ...] | None] = [None] * len(self.lhs)
        self.items: list[list[Item]] = [[] for _ in arrays["lalr_context"]]
        reached_over, before = _list_edges(arrays)
        found: dict[int, dict[int, Symbol]] = {}
        seen: set[tuple[int, int, int]] = set()
        for state in range(len(self.items)):
            for production in sorted(set(tables.reduces(LalrStateId(state)).values())):
                length = tables.production_length[production]
                over = found.setdefault(production, {})
                todo = [(state, length)]
                while todo:
                    here, n_over = todo.pop()
                    if n_over <= 0 or (here, production, n_over) in seen:
                        continue
                    seen.add((here, production, n_over))
                    self.items[here].append((production, n_over))
                    over[n_over] = reached_over.get(here, 0)
                    todo += [(other, n_over - 1) for other in before.get(here, ())]
                if len(over) == length:
                    self.symbols[production] = tuple(over[n] for n in range(1, length + 1))


def _list_edges(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[dict[int, Symbol], dict[int, list[int]]]:
    """Return over which symbol each LALR state is reached, and from which states."""
    lalr = arrays["lalr_state"]
    edges = []
    for kind, label in (("shift", "shift_terminal"), ("goto", "goto_nonterminal")):
        sources = np.repeat(np.arange(len(lalr)), np.diff(arrays[f"{kind}_first"]))
        symbols = arrays[label].astype(np.int64)
        symbols = symbols if kind == "shift" else -1 - symbols
        edges.append(np.stack([lalr[sources], symbols, lalr[arrays[f"{kind}_state"]]], axis=1))
    reached_over: dict[int, Symbol] = {}
    before: dict[int, list[int]] = {}
    for source, symbol, target in np.unique(np.concatenate(edges), axis=0).tolist():
        reached_over[target] = symbol
        before.setdefault(target, []).append(source)
    return reached_over, before
