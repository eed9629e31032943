"""A general grammar's table → the arrays of ``GENERAL_SECTIONS``.

Symbols of the grammar are terminals with lookaheads; the runtime shifts terminals, to as many
states as they have symbols, and asks for lookaheads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.glr.adjacency import LexedSymbol
from maskc.glr.lr0 import GeneralTable


def general_sections(
    table: GeneralTable,
    symbols: Sequence[LexedSymbol],
    n_lookaheads: int,
    end: int,
    closed: Sequence[bool],
    live: Sequence[int],
    profile_of: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    """Return the arrays.

    Args:
        table: of the grammar over symbols.
        symbols: symbol → terminal and lookaheads.
        n_lookaheads: bits of a set of lookaheads.
        end: the lookahead that stands for the end of the text, as a set.
        closed: boundary → whether the text may end there.
        live: state → the lookaheads that a stack with it on top can go on with.
        profile_of: int32[n_states], of the decision graph.
    """
    taken = [
        bits.unite(symbols[s].lookaheads for s in row) | (end if accepts else 0)
        for row, accepts in zip(table.shifts, table.accepts, strict=True)
    ]
    shifts = [
        sorted((symbols[s].terminal, target) for s, target in row.items()) for row in table.shifts
    ]
    gotos = [sorted(row.items()) for row in table.gotos]
    return {
        "general_taken": bits.pack(taken, n_lookaheads),
        "general_live": bits.pack(live, n_lookaheads),
        **_pairs("shift", ("terminal", "state"), shifts),
        **_pairs("goto", ("nonterminal", "state"), gotos),
        **_pairs("reduce", ("nonterminal", "length"), table.reduces),
        "general_closed": np.array(closed, dtype=np.uint8),
        "profile_of": profile_of,
    }


def _pairs(
    table: str, names: tuple[str, str], rows: Sequence[Sequence[tuple[int, int]]]
) -> dict[str, NDArray[Any]]:
    flat = np.array([pair for row in rows for pair in row], dtype=np.int32).reshape(-1, 2)
    first = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    columns = {f"general_{table}_{name}": flat[:, i].copy() for i, name in enumerate(names)}
    return {f"general_{table}_first": first, **columns}
