"""Compiler values → artifact: flattens tables into the arrays of ``SECTIONS``.

Sets of lookaheads become rows of 64-bit words, and lists of lists become offsets and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.artifact.model import Contents, narrow
from maskc.emit.graph import DecisionGraph
from maskc.emit.mask_differences import Unions
from maskc.errors import LimitError
from maskc.grammar.lalr import list_reductions
from maskc.grammar.model import Bnf, Grammar, LalrGrammar
from maskc.ids import AT_END, EMPTY_TEXT, END, NOT_AN_END, BoundaryId, TerminalId
from maskc.lexer.boundaries import Boundaries, OpenLexeme
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import End, Scanner
from maskc.parser.refine import RefinedTable
from maskc.wording import Phrase

Ints = NDArray[np.int32]


def assemble(
    header: dict[str, Any],
    tokens: Sequence[bytes | None],
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    open_lexemes: Sequence[OpenLexeme],
    graph: DecisionGraph,
    unions: Unions,
) -> Contents:
    """Return the contents; ``header`` gets the entries that the arrays are read with."""
    n_tokens, n_lookaheads = len(tokens), boundaries.n_lookaheads
    layout = grammar.lexer.layout
    header = {
        **header,
        "sizes": {
            "V": n_tokens,
            "C": len(grammar.lexer.contexts),
            "T": len(grammar.bnf.terminals),
            "N": len(grammar.bnf.nonterminals),
            "M": n_lookaheads,
        },
        "scanner_start": scanner.start,
        "end_state": grammar.lalr.end_state if isinstance(grammar, LalrGrammar) else 0,
        "end_lookahead": boundaries.number[End(END, AT_END)],
        "terminals": list(grammar.bnf.terminals),
        "nonterminals": list(grammar.bnf.nonterminals),
        "layout": None
        if layout is None
        else {
            "newline": layout.newline,
            "indent": layout.indent,
            "dedent": layout.dedent,
            "opens": sorted(layout.opens),
            "closes": sorted(layout.closes),
            "tab_len": layout.tab_len,
            "dedent_at_end": boundaries.number[End(layout.dedent, AT_END)],
        },
    }
    arrays: dict[str, NDArray[Any]] = {
        **_token_sections(tokens),
        **_scanner_sections(scanner, boundaries),
        **_boundary_sections(grammar, boundaries, open_lexemes, len(scanner.closed)),
        **_table_sections(table, n_lookaheads),
        **_action_sections(grammar),
        **_production_sections(grammar.bnf),
        **_graph_sections(graph, unions),
        **_column_sections(columns, len(scanner.closed)),
    }
    return Contents(header, arrays)


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)


def _offsets(lengths: Iterable[int]) -> Ints:
    ends = np.cumsum([0, *lengths], dtype=np.int64)
    if ends[-1] > np.iinfo(np.int32).max:
        raise LimitError("entries in one table", np.iinfo(np.int32).max, Phrase.SMALLER_GRAMMAR)
    return ends.astype(np.int32)


def _token_sections(tokens: Sequence[bytes | None]) -> dict[str, NDArray[Any]]:
    texts = [token or b"" for token in tokens]
    return {
        "token_first": _offsets(map(len, texts)),
        "token_bytes": np.frombuffer(b"".join(texts), dtype=np.uint8),
    }


def _scanner_sections(scanner: Scanner, boundaries: Boundaries) -> dict[str, NDArray[Any]]:
    ends = [end for state in scanner.ends for end in state]
    return {
        "byte_class": scanner.byte_class,
        "scanner_next": narrow(scanner.next),
        "scanner_entries": narrow(scanner.entries),
        "scanner_enter": narrow(scanner.enter),
        "scanner_end_of_text": _ints(
            NOT_AN_END if t is None else EMPTY_TEXT if t == EMPTY_TEXT else t
            for t in scanner.end_of_text
        ),
        "scanner_final": _ints(boundaries.open_lexeme_of),
        "end_first": _offsets(map(len, scanner.ends)),
        "end_terminal": _ints(terminal for terminal, _ in ends),
        "end_boundary": _ints(boundary for _, boundary in ends),
    }


def _boundary_sections(
    grammar: Grammar, boundaries: Boundaries, open_lexemes: Sequence[OpenLexeme], n_boundaries: int
) -> dict[str, NDArray[Any]]:
    n_lookaheads = boundaries.n_lookaheads
    layout = grammar.lexer.layout

    def of(terminal: TerminalId | None) -> Ints:
        return _ints(
            -1 if terminal is None else boundaries.number.get(End(terminal, BoundaryId(b)), -1)
            for b in range(n_boundaries)
        )

    rest = bits.pack([mask for row in boundaries.rest for mask in row], n_lookaheads)
    return {
        "final_direct": bits.pack(
            [open_lexeme.direct for open_lexeme in open_lexemes], n_lookaheads
        ),
        "final_ignored_first": _offsets(len(open_lexeme.ignored) for open_lexeme in open_lexemes),
        "final_ignored": _ints(b for open_lexeme in open_lexemes for b in open_lexeme.ignored),
        "final_newline_first": _offsets(len(open_lexeme.newlines) for open_lexeme in open_lexemes),
        "final_newline": _ints(b for open_lexeme in open_lexemes for b in open_lexeme.newlines),
        "final_columns": _ints(open_lexeme.columns for open_lexeme in open_lexemes),
        "rest": rest.reshape(n_boundaries, boundaries.n_places, rest.shape[1]),
        "terminal_lookaheads": bits.pack(
            [boundaries.set_of(terminal) for terminal in range(len(grammar.bnf.terminals))],
            n_lookaheads,
        ),
        "indent_lookahead": of(layout.indent if layout else None),
        "dedent_lookahead": of(layout.dedent if layout else None),
    }


def _table_sections(table: RefinedTable, n_lookaheads: int) -> dict[str, NDArray[Any]]:
    return {
        "lalr_state": _ints(table.lalr_state),
        "live": bits.pack(table.live, n_lookaheads),
        "enclosed": np.array(table.enclosed, dtype=np.uint8),
        "shift_first": _offsets(map(len, table.shifts)),
        "shift_terminal": _ints(t for row in table.shifts for t in row),
        "shift_state": _ints(s for row in table.shifts for s in row.values()),
        "goto_first": _offsets(map(len, table.gotos)),
        "goto_nonterminal": _ints(n for row in table.gotos for n in row),
        "goto_state": _ints(s for row in table.gotos for s in row.values()),
    }


def _action_sections(grammar: Grammar) -> dict[str, NDArray[Any]]:
    """Return what LALR states reduce on; a general grammar has one state here, which does not."""
    if isinstance(grammar, LalrGrammar):
        context_of = grammar.lalr.context_of
        reductions = [list_reductions(row.reduces) for row in grammar.lalr.states]
    else:
        context_of, reductions = (grammar.lexer.first_context,), [[]]
    sets: dict[tuple[int, ...], int] = {}
    set_of = [sets.setdefault(reduced, len(sets)) for row in reductions for _, reduced in row]
    return {
        "lalr_context": _ints(context_of),
        "reduce_first": _offsets(map(len, reductions)),
        "reduce_production": _ints(production for row in reductions for production, _ in row),
        "reduce_set": _ints(set_of),
        "reduce_set_first": _offsets(map(len, sets)),
        "reduce_set_terminal": _ints(terminal for reduced in sets for terminal in reduced),
    }


def _production_sections(bnf: Bnf) -> dict[str, NDArray[Any]]:
    return {
        "production_lhs": _ints(p.lhs for p in bnf.productions),
        "production_length": _ints(len(p.rhs) for p in bnf.productions),
    }


def _graph_sections(graph: DecisionGraph, unions: Unions) -> dict[str, NDArray[Any]]:
    roots = [question for root in graph.roots for question in root]
    questions = [question for answer in graph.answers for question in answer.questions]
    trials = [trial for answer in graph.answers for trial in answer.trials]
    pairs = [pair for node in graph.nodes for pair in sorted(node.items())]
    return {
        "root_first": _offsets(map(len, graph.roots)),
        "root_terminal": _ints(question.terminal for question in roots),
        "root_column": _ints(question.column for question in roots),
        "root_node": _ints(question.node for question in roots),
        "profile_of": graph.profile_of,
        "node_first": _offsets(map(len, graph.nodes)),
        "node_profile": _ints(profile for profile, _ in pairs),
        "node_answer": _ints(answer for _, answer in pairs),
        "answer_union": unions.number_of[[answer.union for answer in graph.answers]],
        "question_first": _offsets(len(answer.questions) for answer in graph.answers),
        "question_terminal": _ints(question.terminal for question in questions),
        "question_column": _ints(question.column for question in questions),
        "question_node": _ints(question.node for question in questions),
        "trial_first": _offsets(len(answer.trials) for answer in graph.answers),
        "trial_final": _ints(trial.open_lexeme for trial in trials),
        "trial_column": _ints(trial.column for trial in trials),
        "trial_union": unions.number_of[[trial.union for trial in trials]],
        "union_base": unions.base,
        "union_first": unions.first,
        "union_word": unions.word,
        "union_bits": unions.bits,
        "masks": unions.masks,
    }


def _column_sections(columns: Columns, n_boundaries: int) -> dict[str, NDArray[Any]]:
    lengths = [max(len(sets.reset), len(sets.more)) for sets in columns.distinct]
    first = _offsets(lengths)
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
