"""An LALR grammar's refined table and indentation → the arrays that only ``LALR_SECTIONS`` has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.artifact.model import fit
from maskc.emit.assemble import Ints, ints, offsets
from maskc.grammar.lalr import LalrTable, list_reductions
from maskc.grammar.model import Bnf, LalrGrammar, Layout
from maskc.ids import AT_END, NO_LOOKAHEAD, BoundaryId, TerminalId
from maskc.lexer.boundaries import Boundaries, OpenLexeme
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import End
from maskc.parser.refine import RefinedTable


def describe_layout(layout: Layout | None, boundaries: Boundaries) -> dict[str, Any] | None:
    """Return the header's entry about indentation, ``None`` without it."""
    if layout is None:
        return None
    return {
        "newline": layout.newline,
        "indent": layout.indent,
        "dedent": layout.dedent,
        "opens": sorted(layout.opens),
        "closes": sorted(layout.closes),
        "tab_len": layout.tab_len,
        "dedent_at_end": boundaries.number[End(layout.dedent, AT_END)],
    }


def lalr_sections(
    grammar: LalrGrammar,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    open_lexemes: Sequence[OpenLexeme],
    profile_of: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    """Return the arrays.

    Args:
        grammar: with Lark's table.
        boundaries: its boundaries.
        columns: where newlines may end.
        table: its refined table.
        open_lexemes: by the numbers that the rows have.
        profile_of: int32[n_refined_states], of the decision graph.
    """
    arrays = {
        **_newline_sections(grammar.lexer.layout, boundaries, open_lexemes),
        **_table_sections(table, boundaries.n_lookaheads),
        **_action_sections(grammar.lalr),
        **_production_sections(grammar.bnf),
        **_column_sections(columns, len(boundaries.rest)),
        "profile_of": profile_of,
    }
    return fit(arrays)


def _newline_sections(
    layout: Layout | None, boundaries: Boundaries, open_lexemes: Sequence[OpenLexeme]
) -> dict[str, NDArray[Any]]:
    def of(terminal: TerminalId | None) -> Ints:
        return ints(
            NO_LOOKAHEAD
            if terminal is None
            else boundaries.number.get(End(terminal, BoundaryId(b)), NO_LOOKAHEAD)
            for b in range(len(boundaries.rest))
        )

    return {
        "final_newline_first": offsets(len(open_lexeme.newlines) for open_lexeme in open_lexemes),
        "final_newline": ints(b for open_lexeme in open_lexemes for b in open_lexeme.newlines),
        "final_columns": ints(open_lexeme.columns for open_lexeme in open_lexemes),
        "indent_lookahead": of(layout.indent if layout else None),
        "dedent_lookahead": of(layout.dedent if layout else None),
    }


def _table_sections(table: RefinedTable, n_lookaheads: int) -> dict[str, NDArray[Any]]:
    return {
        "lalr_state": ints(table.lalr_state),
        "live": bits.pack(table.live, n_lookaheads),
        "enclosed": np.array(table.enclosed, dtype=np.uint8),
        "shift_first": offsets(map(len, table.shifts)),
        "shift_terminal": ints(t for row in table.shifts for t in row),
        "shift_state": ints(s for row in table.shifts for s in row.values()),
        "goto_first": offsets(map(len, table.gotos)),
        "goto_nonterminal": ints(n for row in table.gotos for n in row),
        "goto_state": ints(s for row in table.gotos for s in row.values()),
    }


def _action_sections(lalr: LalrTable) -> dict[str, NDArray[Any]]:
    """Return what LALR states reduce on."""
    reductions = [list_reductions(row.reduces) for row in lalr.states]
    sets: dict[tuple[int, ...], int] = {}
    set_of = [sets.setdefault(reduced, len(sets)) for row in reductions for _, reduced in row]
    return {
        "lalr_context": ints(lalr.context_of),
        "reduce_first": offsets(map(len, reductions)),
        "reduce_production": ints(production for row in reductions for production, _ in row),
        "reduce_set": ints(set_of),
        "reduce_set_first": offsets(map(len, sets)),
        "reduce_set_terminal": ints(terminal for reduced in sets for terminal in reduced),
    }


def _production_sections(bnf: Bnf) -> dict[str, NDArray[Any]]:
    return {
        "production_lhs": ints(p.lhs for p in bnf.productions),
        "production_length": ints(len(p.rhs) for p in bnf.productions),
    }


def _column_sections(columns: Columns, n_boundaries: int) -> dict[str, NDArray[Any]]:
    lengths = [max(len(sets.reset), len(sets.more)) for sets in columns.distinct]
    first = offsets(lengths)
    reset = np.zeros((sum(lengths), n_boundaries), dtype=np.uint8)
    more = np.zeros((sum(lengths), n_boundaries), dtype=np.uint8)
    for low, length, sets in zip(first.tolist(), lengths, columns.distinct, strict=False):
        _fill_columns(reset[low : low + length], sets.reset, sets.reset_period)
        _fill_columns(more[low : low + length], sets.more, sets.more_period)
    periods = [(sets.reset_period, sets.more_period) for sets in columns.distinct]
    return {
        "column_first": first,
        "column_reset": reset,
        "column_more": more,
        "column_period": np.array(periods, dtype=np.int32).reshape(len(periods), 2),
    }


def _fill_columns(target: NDArray[np.uint8], rows: tuple[frozenset[int], ...], period: int) -> None:
    """Write the rows, and continue them by their period to the end of ``target``."""
    for k in range(len(target)):
        source = k if k < len(rows) else len(rows) - period + (k - len(rows)) % period
        target[k, sorted(rows[source])] = 1
