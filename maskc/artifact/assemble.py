"""Compiler values → artifact: flattens tables into the arrays of ``SECTIONS``.

Sets of lookaheads become rows of 64-bit words, lists of lists become offsets and values, and a
token set is kept as token ids where it is small and as a bitmask where that is smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import A_FINAL, EMPTY_TEXT, NOT_AN_END, Contents
from maskc.grammar.model import END, Grammar
from maskc.lexer.boundaries import AT_END, Boundaries, Final
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import Scanner
from maskc.parser.refine import RefinedTable
from maskc.streamline.lalr_state import Verdicts
from maskc.streamline.model import Rows
from maskc.streamline.words import Event

Ints = NDArray[np.int32]


def assemble(
    header: dict[str, Any],
    tokens: Sequence[bytes | None],
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    rows: Rows,
    verdicts: Verdicts,
) -> Contents:
    """Return the contents; ``header`` gets the entries that the arrays are read with."""
    n_tokens, n_looks = len(tokens), boundaries.n_lookaheads
    layout = grammar.layout
    header = {
        **header,
        "sizes": {
            "V": n_tokens,
            "C": len(grammar.contexts),
            "T": len(grammar.terminals),
            "N": len(grammar.nonterminals),
            "M": n_looks,
        },
        "scanner_start": scanner.start,
        "end_state": grammar.end_state,
        "end_lookahead": boundaries.number[END, AT_END],
        "terminals": list(grammar.terminals),
        "nonterminals": list(grammar.nonterminals),
        "layout": None
        if layout is None
        else {
            "newline": layout.newline,
            "indent": layout.indent,
            "dedent": layout.dedent,
            "opens": sorted(layout.opens),
            "closes": sorted(layout.closes),
            "tab_len": layout.tab_len,
            "dedent_at_end": boundaries.number[layout.dedent, AT_END],
        },
    }
    arrays: dict[str, NDArray[Any]] = {
        **_token_sections(tokens),
        **_scanner_sections(scanner, boundaries),
        **_boundary_sections(grammar, boundaries, rows.words.finals, len(scanner.closed)),
        **_parser_sections(grammar, table, n_looks),
        **_row_sections(rows, verdicts, len(grammar.contexts)),
        **_set_sections(rows, n_tokens),
        **_verdict_sections(verdicts),
        **_column_sections(columns, len(scanner.closed)),
    }
    return Contents(header, arrays)


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int32)


def _offsets(lengths: Iterable[int]) -> Ints:
    return np.cumsum([0, *lengths]).astype(np.int32)


def _words(masks: Sequence[int], n_bits: int) -> NDArray[np.uint64]:
    """Return bit sets as uint64[len(masks), words]."""
    n_words = max(1, -(-n_bits // 64))
    flat = b"".join(mask.to_bytes(n_words * 8, "little") for mask in masks)
    return np.frombuffer(flat, dtype="<u8").reshape(len(masks), n_words).astype(np.uint64)


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
        "scanner_next": scanner.next.astype(np.uint16),
        "scanner_entries": scanner.entries.astype(np.uint16),
        "scanner_enter": scanner.enter.astype(np.uint16),
        "scanner_end_of_text": _ints(
            NOT_AN_END if t is None else EMPTY_TEXT if t == EMPTY_TEXT else t
            for t in scanner.end_of_text
        ),
        "scanner_final": _ints(boundaries.final_of),
        "end_first": _offsets(map(len, scanner.ends)),
        "end_terminal": _ints(terminal for terminal, _ in ends),
        "end_boundary": _ints(boundary for _, boundary in ends),
    }


def _boundary_sections(
    grammar: Grammar, boundaries: Boundaries, finals: Sequence[Final], n_boundaries: int
) -> dict[str, NDArray[Any]]:
    n_looks, n_contexts = boundaries.n_lookaheads, len(grammar.contexts)
    layout = grammar.layout

    def of(terminal: int | None) -> Ints:
        return _ints(
            -1 if terminal is None else boundaries.number.get((terminal, b), -1)
            for b in range(n_boundaries)
        )

    rest = _words([mask for row in boundaries.rest for mask in row], n_looks)
    return {
        "final_direct": _words([final.direct for final in finals], n_looks),
        "final_ignored_first": _offsets(len(final.ignored) for final in finals),
        "final_ignored": _ints(b for final in finals for b in final.ignored),
        "final_newline_first": _offsets(len(final.newlines) for final in finals),
        "final_newline": _ints(b for final in finals for b in final.newlines),
        "final_columns": _ints(final.columns for final in finals),
        "rest": rest.reshape(n_boundaries, n_contexts, rest.shape[1]),
        "terminal_lookaheads": _words(
            [
                sum(1 << look for look in boundaries.of_terminal.get(terminal, ()))
                for terminal in range(len(grammar.terminals))
            ],
            n_looks,
        ),
        "indent_lookahead": of(layout.indent if layout else None),
        "dedent_lookahead": of(layout.dedent if layout else None),
    }


def _parser_sections(
    grammar: Grammar, table: RefinedTable, n_looks: int
) -> dict[str, NDArray[Any]]:
    return {
        "lalr_state": _ints(table.lalr_state),
        "lalr_context": _ints(grammar.context_of),
        "live": _words(table.live, n_looks),
        "enclosed": np.array(table.enclosed, dtype=np.uint8),
        "shift_first": _offsets(map(len, table.shifts)),
        "shift_terminal": _ints(t for row in table.shifts for t in row),
        "shift_state": _ints(s for row in table.shifts for s in row.values()),
        "goto_first": _offsets(map(len, table.gotos)),
        "goto_nonterminal": _ints(n for row in table.gotos for n in row),
        "goto_state": _ints(s for row in table.gotos for s in row.values()),
        "reduce_first": _offsets(len(row.reduces) for row in grammar.states),
        "reduce_terminal": _ints(t for row in grammar.states for t in row.reduces),
        "reduce_production": _ints(p for row in grammar.states for p in row.reduces.values()),
        "production_lhs": _ints(p.lhs for p in grammar.productions),
        "production_length": _ints(len(p.rhs) for p in grammar.productions),
    }


def _row_sections(rows: Rows, verdicts: Verdicts, n_contexts: int) -> dict[str, NDArray[Any]]:
    words = rows.words
    place = {word: i for i, word in enumerate(verdicts.words)}
    events: dict[Event, int] = {}
    row_event = [
        events.setdefault(rows.events[first], len(events)) for first in rows.first.tolist()
    ]
    word_event = [
        events.setdefault(words.event[word], len(events)) if words.length[word] else A_FINAL
        for word in verdicts.words
    ]
    groups = sorted({event.contexts for event in events})
    group_of = {mask: i for i, mask in enumerate(groups)}
    opened = [words.event[word] for word in verdicts.words]
    is_final = [words.length[word] == 0 for word in verdicts.words]
    return {
        "source_terminal": _ints(terminal for terminal, _ in rows.ends),
        "source_first": np.searchsorted(rows.source, np.arange(rows.n_sources + 1)).astype(
            np.int32
        ),
        "end_source": _ints(end - rows.n_states for ends in rows.ends_of for end in ends),
        "row_event": _ints(row_event),
        "row_word": _ints(place[word] for word in rows.word.tolist()),
        "event_terminal": _ints(event.terminal for event in events),
        "event_contexts": _ints(group_of[event.contexts] for event in events),
        "event_column": _ints(event.column for event in events),
        "word_event": _ints(word_event),
        "word_rest": _ints(
            place[words.rest[word]] if words.length[word] else 0 for word in verdicts.words
        ),
        "word_final": _ints(
            event.contexts if final else 0 for event, final in zip(opened, is_final, strict=True)
        ),
        "word_column": _ints(
            event.column if final else 0 for event, final in zip(opened, is_final, strict=True)
        ),
        "word_class": verdicts.class_of,
        "context_group": _words(groups or [0], n_contexts),
    }


def _set_sections(rows: Rows, n_tokens: int) -> dict[str, NDArray[Any]]:
    n_words = -(-n_tokens // 32)
    used, row_set = np.unique(rows.token_set, return_inverse=True)
    sets = [rows.tokens.sets[number] for number in used.tolist()]
    masks = [pack_tokens(tokens, n_tokens) for tokens in sets if len(tokens) > n_words]
    sparse = [tokens if len(tokens) <= n_words else tokens[:0] for tokens in sets]
    dense = np.array([len(tokens) > n_words for tokens in sets], dtype=np.bool_)
    return {
        "row_set": row_set.reshape(-1).astype(np.int32),
        "set_first": _offsets(map(len, sparse)),
        "set_tokens": np.concatenate([*sparse, np.zeros(0, dtype=np.int32)]).astype(np.int32),
        "set_mask": np.where(dense, np.cumsum(dense) - 1, -1).astype(np.int32),
        "masks": np.array(masks, dtype=np.int32).reshape(len(masks), n_words),
    }


def pack_tokens(tokens: Ints, n_tokens: int) -> Ints:
    """Return a token set as the bitmask that engines read.

    Token ``t`` is bit ``t % 32``, least significant first, of word ``t // 32``.

    >>> pack_tokens(np.array([0, 2], dtype=np.int32), 3)
    array([5], dtype=int32)
    """
    legal = np.zeros(-(-n_tokens // 32) * 32, dtype=np.bool_)
    legal[tokens] = True
    return np.packbits(legal, bitorder="little").view("<i4").astype(np.int32)


def _verdict_sections(verdicts: Verdicts) -> dict[str, NDArray[Any]]:
    kinds, kind_of = np.unique(verdicts.flags.T, axis=0, return_inverse=True)
    return {
        "verdicts": np.ascontiguousarray(kinds),
        "verdict_of": kind_of.reshape(-1).astype(np.int32),
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
