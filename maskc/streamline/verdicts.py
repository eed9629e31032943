"""Decides, for each refined state and word, whether every stack takes it, none does, or some do.

A refined state on top of the stack says exactly which terminal can come next, but a token may
complete several: what the second one meets depends on how deep the first one makes the parser
reduce. For a word (a sequence of events and what stays open behind them) and a refined state we
ask for all stacks with that state on top:

- *may*: some stack takes the word; otherwise no token of its rows is legal here;
- *fail*: some stack refuses it; otherwise all tokens of its rows are legal here;
- both: it depends on the stack below, or on the columns of open blocks.

Both facts are least fixpoints and go through the same equations. A word whose first terminal is
shifted asks for the shorter word in the state behind the shift. One whose first terminal is
reduced by ``X -> α`` asks for the same word where ``X`` is pushed on the item's base; so every
kernel item carries the answers of its possible bases, joined over all stacks, from the bottom up.

Words of one length are decided together, after all shorter ones. Two words with the same first
event and rests that have equal answers everywhere have equal answers: words are kept as classes
by their answers, which ends the long repetitions (a line of dashes is a hundred minus signs).

This answers ``is_never_legal`` and ``is_always_legal`` of the paper for the language that Lark's
table accepts, and for the whole past (its finite summary, a refined state) instead of one
terminal. The language is deterministic, so the second question is decidable here; what stays
open stays open for a reason, since stacks that answer differently exist.

Source: Tran-Thien, appendix, sections 2 and 4 (the questions); Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.grammar.model import Grammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.columns import Columns
from maskc.lexer.lexeme import IGNORED
from maskc.parser.items import ItemSets
from maskc.parser.refine import RefinedTable
from maskc.store.model import MaskStore
from maskc.streamline.words import Words

MAY, FAIL = 1, 2
DEPENDS = MAY | FAIL

Flags = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Answers for all refined states and words.

    Attributes:
        class_of: int32[n_words], words with equal answers share a class.
        flags: uint8[n_classes, n_states], ``MAY``, ``FAIL`` or both.
    """

    class_of: NDArray[np.int32]
    flags: Flags


def decide_words(
    grammar: Grammar,
    item_sets: ItemSets,
    table: RefinedTable,
    boundaries: Boundaries,
    columns: Columns,
    store: MaskStore,
    words: Words,
) -> Verdicts:
    """Return the answers for all words of a store."""
    facts = _Facts(grammar, table, boundaries, columns, store)
    graph = _Graph(grammar, item_sets, table)
    class_of = np.zeros(len(words.terminal), dtype=np.int32)
    rows: list[Flags] = []
    by_content: dict[bytes, int] = {}
    by_key: dict[tuple[int, int, int], int] = {}

    def intern(flags: Flags) -> int:
        number = by_content.setdefault(flags.tobytes(), len(rows))
        if number == len(rows):
            rows.append(flags)
        return number

    for length in range(int(words.length.max(initial=0)) + 1):
        here = np.flatnonzero(words.length == length)
        keys = [
            (
                int(words.terminal[w]),
                int(words.contexts[w]),
                int(class_of[words.rest[w]]) if length else 0,
            )
            for w in here
        ]
        fresh = sorted({key for key in keys if key not in by_key})
        if length == 0:
            for key in fresh:
                by_key[key] = intern(facts.final(key[1]))
        elif fresh:
            for key, flags in zip(fresh, graph.decide(fresh, rows, facts), strict=True):
                by_key[key] = intern(flags)
        class_of[here] = [by_key[key] for key in keys]
    n_states = len(table.live)
    stacked = np.array(rows, dtype=np.uint8).reshape(len(rows), n_states)
    return Verdicts(class_of, stacked)


class _Facts:
    """What is known of each refined state without looking below it, as vectors over states."""

    def __init__(
        self,
        grammar: Grammar,
        table: RefinedTable,
        boundaries: Boundaries,
        columns: Columns,
        store: MaskStore,
    ) -> None:
        self._boundaries, self._columns, self._store = boundaries, columns, store
        self.newline = grammar.layout.newline if grammar.layout else None
        n_looks = boundaries.n_lookaheads
        self._live = _bits(table.live, n_looks)
        context = np.array(grammar.context_of, dtype=np.int32)[
            np.array(table.lalr_state, dtype=np.int32)
        ]
        self.in_contexts = store.contexts[:, context]
        self.enclosed = np.array(table.enclosed, dtype=np.bool_)
        self._goes_on = [
            (_bits(row, n_looks)[context] & self._live).any(axis=1) for row in boundaries.rest
        ]
        self.takes = {
            terminal: self._live[:, list(looks)].any(axis=1)
            for terminal, looks in boundaries.of_terminal.items()
        }
        self.nothing = np.zeros(len(table.live), dtype=np.bool_)

    def final(self, opened: int) -> Flags:
        """Return the answers for a word without events."""
        final = self._boundaries.finals[int(self._store.open_final[opened])]
        direct = _bits([final.direct], self._live.shape[1])[0]
        sure = (self._live & direct).any(axis=1)
        for boundary in final.ignored:
            sure |= self._goes_on[boundary]
        maybe = self.nothing.copy()
        for boundary in final.newlines:
            sure |= self.enclosed & self._goes_on[boundary]
            look = self._boundaries.number[self.newline or 0, boundary]
            wanted = self._live[:, look] & ~self.enclosed
            if self._columns.is_free(final.columns, boundary):
                sure |= wanted
            else:
                maybe |= wanted
        return _flags(sure | maybe, ~sure)


def _bits(masks: tuple[int, ...] | list[int], n_bits: int) -> Bools:
    n_bytes = max(1, -(-n_bits // 8))
    flat = b"".join(mask.to_bytes(n_bytes, "little") for mask in masks)
    packed = np.frombuffer(flat, dtype=np.uint8).reshape(len(masks), n_bytes)
    return np.unpackbits(packed, axis=1, bitorder="little")[:, :n_bits].astype(np.bool_)


def _flags(may: Bools, fail: Bools) -> Flags:
    return may.astype(np.uint8) * MAY | fail.astype(np.uint8) * FAIL


class _Graph:
    """Which state's answers each state asks for when it reduces.

    A production that starts in the closure of a state ends, a few pushes higher, in a state that
    reduces it, and that one asks what the state takes once the production's left side is pushed
    on it. The way between does not matter, so it is walked once.
    """

    def __init__(self, grammar: Grammar, item_sets: ItemSets, table: RefinedTable) -> None:
        self.table = table
        self.n_states = len(table.live)
        # State → (state that asks it, what the asking state reduces by).
        self.readers: list[list[tuple[int, tuple[int, int]]]] = [[] for _ in range(self.n_states)]
        self.edges: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        reduced = [set(row.reduces.values()) for row in grammar.states]
        for state, lalr_state in enumerate(table.lalr_state):
            for lhs, productions in item_sets.closures[lalr_state].items():
                base = table.gotos[state].get(lhs)
                if base is None:
                    continue
                for production in productions:
                    end = self._walk(state, item_sets.right_sides[production])
                    if end is not None and production in reduced[table.lalr_state[end]]:
                        kind = (table.lalr_state[end], production)
                        self.readers[base].append((end, kind))
        sources: dict[int, list[tuple[int, int]]] = {}
        for state, row in enumerate(table.shifts):
            for terminal, target in row.items():
                sources.setdefault(terminal, []).append((state, target))
        for terminal, pairs in sources.items():
            table_ = np.array(pairs, dtype=np.int64)
            self.edges[terminal] = (table_[:, 0], table_[:, 1])
        self.terminals_of = {
            (lalr_state, production): [
                t for t, p in grammar.states[lalr_state].reduces.items() if p == production
            ]
            for readers in self.readers
            for _, (lalr_state, production) in readers
        }

    def _walk(self, state: int, right_side: tuple[int, ...]) -> int | None:
        """Return the state behind a right side, ``None`` if no live stack gets there."""
        here: int | None = state
        for symbol in right_side:
            if here is None:
                return None
            row = self.table.shifts[here] if symbol >= 0 else self.table.gotos[here]
            here = row.get(symbol if symbol >= 0 else -1 - symbol)
        return here

    def decide(
        self, keys: list[tuple[int, int, int]], rows: list[Flags], facts: _Facts
    ) -> list[Flags]:
        """Return the answers for words given as (first terminal, contexts, class of the rest)."""
        values = np.zeros((len(keys), self.n_states), dtype=np.uint8)
        reducing: dict[int, list[int]] = {}
        for column, (terminal, contexts, rest) in enumerate(keys):
            after = np.where(facts.in_contexts[contexts], rows[rest], FAIL).astype(np.uint8)
            takes = np.asarray(facts.takes.get(terminal, facts.nothing))
            if terminal == IGNORED:
                values[column] = after
            elif terminal == facts.newline:
                values[column] = np.where(facts.enclosed, after, np.where(takes, DEPENDS, FAIL))
            else:
                reducing.setdefault(terminal, []).append(column)
                sources, targets = self.edges.get(terminal, (_NO_STATES, _NO_STATES))
                kept = np.flatnonzero(takes[sources])
                values[column, sources[kept]] = after[targets[kept]]
        self._reduce(values, reducing, facts)
        for terminal, columns in reducing.items():
            refused = ~facts.takes.get(terminal, facts.nothing)
            for column in columns:
                values[column, refused] = FAIL
        return list(values)

    def _reduce(self, values: Flags, reducing: dict[int, list[int]], facts: _Facts) -> None:
        """Pass answers from bases to the states that reduce to them, until nothing changes.

        The answers of one state are one integer, two bits a word; words whose first terminal a
        state does not take stay 0 there, so most of the table is never touched.
        """
        columns = [column for group in reducing.values() for column in group]
        place = {column: 2 * i for i, column in enumerate(columns)}
        both = {
            terminal: sum(DEPENDS << place[column] for column in group)
            for terminal, group in reducing.items()
        }
        taken = [0] * self.n_states
        here = [0] * self.n_states
        for terminal, group in reducing.items():
            for state in np.flatnonzero(facts.takes.get(terminal, facts.nothing)).tolist():
                taken[state] |= both[terminal]
            for column in group:
                shift = place[column]
                for state in np.flatnonzero(values[column]).tolist():
                    here[state] |= int(values[column, state]) << shift
        masks = {
            kind: sum(both.get(terminal, 0) for terminal in terminals)
            for kind, terminals in self.terminals_of.items()
        }
        pending = deque(state for state in range(self.n_states) if here[state])
        queued = [bool(value) for value in here]
        while pending:
            state = pending.popleft()
            queued[state] = False
            value = here[state]
            for reader, kind in self.readers[state]:
                joined = here[reader] | value & masks[kind] & taken[reader]
                if joined != here[reader]:
                    here[reader] = joined
                    if not queued[reader]:
                        queued[reader] = True
                        pending.append(reader)
        n_bytes = max(1, -(-2 * len(columns) // 8))
        packed = np.frombuffer(
            b"".join(value.to_bytes(n_bytes, "little") for value in here), dtype=np.uint8
        ).reshape(self.n_states, n_bytes)
        bits = np.unpackbits(packed, axis=1, bitorder="little")
        for column in columns:
            shift = place[column]
            values[column] = bits[:, shift] * MAY | bits[:, shift + 1] * FAIL


_NO_STATES = np.zeros(0, dtype=np.int64)
