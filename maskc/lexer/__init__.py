"""Bytes to terminals, exactly as Lark's lexers do it.

A scanner is the unambiguous transducer that the compiler and the runtime run. On a byte a state may
*go on* (``next``), and where the lexeme may end it may also *end*: the lexeme becomes a terminal,
the parser takes it and names the next context, and the byte is the first one of the next lexeme
(``enter``). For a given text one run survives. That a lexeme has ended is decided with the first
byte of the next one, so no state stands between two lexemes (docs/lexing.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.budget import own_name, quote_symbol
from maskc.grammar import LexerSpec
from maskc.ids import DEAD, IGNORED, BoundaryId, ScannerStateId, TerminalId
from maskc.regular.partition import Predecessors, find_coaccessible, number_by_occurrence, refine

LONGEST_NAME = 40  # of a terminal in a message


class End(NamedTuple):
    """One way in which a lexeme may end: as which terminal, or ignored, and at which boundary."""

    terminal: TerminalId
    boundary: BoundaryId


@dataclass(frozen=True, slots=True, eq=False)
class Scanner:
    """A minimal scanner. State 0 is dead and loops on every byte."""

    byte_class: NDArray[np.uint8]  # uint8[256]
    next: NDArray[np.int32]  # int32[n_states, n_classes], the lexeme goes on
    # per state, the ways in which the open lexeme may end there, sorted
    ends: tuple[tuple[End, ...], ...]
    # per state, the terminal it is if the text ends here, or None; EMPTY_TEXT at the start, which
    # no byte leads back to
    end_of_text: tuple[TerminalId | None, ...]
    enter: NDArray[np.int32]  # int32[n_boundaries, n_contexts], a row of entries
    # int32[n_entries, n_classes], the state after the first byte; row 0 is dead
    entries: NDArray[np.int32]
    closed: tuple[bool, ...]  # per boundary, whether the text may end there
    start: ScannerStateId  # the state before the first byte of the text

    @property
    def n_states(self) -> int:
        """Number of states, the dead one included."""
        return len(self.next)


def contexts_after(lexer: LexerSpec) -> dict[int, frozenset[int]]:
    """Return, for a terminal or ``IGNORED``, the contexts its follower can be lexed in.

    A newline's follower is lexed after the INDENT or DEDENTs that came with it; between
    brackets the newline is dropped and leaves the context as it was. So does what a postlex drops,
    and what waits for the next lexeme.
    """
    every = frozenset(range(len(lexer.contexts)))
    after = {**lexer.contexts_after, IGNORED: every}
    after |= {rewrite.terminal: every for rewrite in lexer.rewrites}
    if lexer.layout:
        after[lexer.layout.newline] = every
    return after


def quote_terminal(lexer: LexerSpec, terminal: int) -> str:
    """Return what a terminal is called in a message; one without a name by its pattern."""
    name, pattern = lexer.terminals[terminal], lexer.patterns[terminal] or ""
    if own_name(name) != name or (len(name) <= LONGEST_NAME and not name.startswith("__")):
        return quote_symbol("terminal", name)
    shown = pattern if len(pattern) <= LONGEST_NAME else f"{pattern[:LONGEST_NAME]}…"
    return f"terminal /{shown}/"


def describe_states(lexer: LexerSpec, n_states: int, inside: Iterable[int]) -> str:
    """Return how far the scanner is, and which terminals its last states are inside of."""
    common = Counter(inside).most_common(2)
    names = [quote_terminal(lexer, terminal) for terminal, _ in common]
    found = f"pass scanner, {n_states:,} states"
    return f"{found}, at last in {' and '.join(names)}" if names else found


def drop_useless(scanner: Scanner) -> Scanner:
    """Return the scanner with states dead from which no text can end, whatever the parser does."""
    useful = np.array([terminal is not None for terminal in scanner.end_of_text])
    open_boundary = np.array(scanner.closed, dtype=np.bool_)
    ends_of, state_of = _flatten_boundaries(scanner)
    before = Predecessors(scanner.next)
    while True:
        useful[state_of[open_boundary[ends_of]]] = True
        useful = find_coaccessible(before, useful)
        entry_useful = np.asarray(useful[scanner.entries].any(axis=1))
        opened = open_boundary | entry_useful[scanner.enter].any(axis=1)
        if np.array_equal(opened, open_boundary):
            break
        open_boundary = opened
    keep = np.where(useful, np.arange(scanner.n_states, dtype=np.int32), DEAD).astype(np.int32)
    keep[scanner.start] = scanner.start
    return Scanner(
        byte_class=scanner.byte_class,
        next=keep[scanner.next],
        ends=tuple(
            tuple(end for end in ends if open_boundary[end.boundary]) if useful[s] else ()
            for s, ends in enumerate(scanner.ends)
        ),
        end_of_text=scanner.end_of_text,
        enter=scanner.enter,
        entries=keep[scanner.entries],
        closed=scanner.closed,
        start=scanner.start,
    )


def _flatten_boundaries(scanner: Scanner) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the boundary and the state of each end, in order of the states."""
    boundaries = [b for ends in scanner.ends for _, b in ends]
    states = np.repeat(np.arange(scanner.n_states), [len(ends) for ends in scanner.ends])
    return np.array(boundaries, dtype=np.int64), states


def minimise(scanner: Scanner) -> Scanner:
    """Return the smallest scanner with the same behaviour, byte classes included.

    States and boundaries are refined in turn: a boundary is told apart by the states it enters,
    a state by its ends and its moves (:mod:`maskc.regular.partition`).
    """
    before = Predecessors(scanner.next)
    # Few states differ in how they end; these differ at least.
    distinct = number_by_occurrence(zip(scanner.ends, scanner.end_of_text, strict=True))
    endings = list(dict.fromkeys(zip(scanner.ends, scanner.end_of_text, strict=True)))
    state_class = np.zeros(scanner.n_states, dtype=np.int64)
    boundary_class = np.zeros(len(scanner.closed), dtype=np.int64)
    while True:
        ending = number_by_occurrence(
            (at_end, frozenset((t, int(boundary_class[b])) for t, b in ends))
            for ends, at_end in endings
        )[distinct]
        # A class that was found stays: what told two states apart still does.
        state_class = refine(
            (state_class * (int(ending.max()) + 1) + ending).tolist(), scanner.next, before
        )
        entry_class = _unique_rows(state_class[scanner.entries])
        found = _unique_rows(
            np.column_stack([boundary_class, scanner.closed, entry_class[scanner.enter]])
        )
        if np.array_equal(found, boundary_class):
            break
        boundary_class = found
    return _quotient(scanner, state_class, boundary_class)


def rename_ends(scanner: Scanner, stands_for: Mapping[TerminalId, TerminalId]) -> Scanner:
    """Return the minimal scanner in which some terminals end as another one."""

    def name(terminal: TerminalId) -> TerminalId:
        return stands_for.get(terminal, terminal)

    return minimise(
        replace(
            scanner,
            ends=tuple(
                tuple(sorted({End(name(terminal), boundary) for terminal, boundary in ends}))
                for ends in scanner.ends
            ),
            end_of_text=tuple(
                None if terminal is None else name(terminal) for terminal in scanner.end_of_text
            ),
        )
    )


def _merged(ends: tuple[End, ...], boundary_class: NDArray[np.int64]) -> list[End]:
    kept = {(end.terminal, int(boundary_class[end.boundary])): end for end in reversed(ends)}
    return [kept[key] for key in sorted(kept)]


def _unique_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of each row, numbered by first occurrence."""
    return number_by_occurrence(row.tobytes() for row in np.ascontiguousarray(rows))


def _quotient(
    scanner: Scanner, state_class: NDArray[np.int64], boundary_class: NDArray[np.int64]
) -> Scanner:
    """Return the scanner over classes, reachable ones only, numbered breadth first."""
    _, first = np.unique(state_class, return_index=True)
    first_of_class = first[state_class]
    _, first_boundary = np.unique(boundary_class, return_index=True)
    state_to: dict[int, int] = {DEAD: DEAD}
    boundary_to: dict[int, int] = {}
    order: list[int] = [DEAD]

    def visit(states: NDArray[np.int32]) -> None:
        for representative in dict.fromkeys(first_of_class[states].tolist()):
            if representative not in state_to:
                state_to[representative] = len(order)
                order.append(representative)

    visit(np.array([scanner.start], dtype=np.int32))
    boundaries: list[int] = []
    for state in order:  # grows while we walk it
        visit(scanner.next[state])
        for _, boundary in _merged(scanner.ends[state], boundary_class):
            representative = int(first_boundary[boundary_class[boundary]])
            if representative not in boundary_to:
                boundary_to[representative] = len(boundaries)
                boundaries.append(representative)
                for entry in scanner.enter[representative].tolist():
                    visit(scanner.entries[entry])
    new_state = np.array(
        [state_to.get(state, DEAD) for state in first_of_class.tolist()], dtype=np.int32
    )
    new_boundary = {
        BoundaryId(b): BoundaryId(boundary_to[int(first_boundary[c])])
        for b, c in enumerate(boundary_class.tolist())
        if int(first_boundary[c]) in boundary_to
    }
    entries, entry_of = np.unique(new_state[scanner.entries], axis=0, return_inverse=True)
    dead_row = np.zeros((1, scanner.next.shape[1]), dtype=np.int32)
    following = new_state[scanner.next[order]]
    entries = np.vstack([dead_row, entries]).astype(np.int32)
    enter = np.where(scanner.enter == 0, 0, entry_of.reshape(-1)[scanner.enter] + 1)
    byte_class, columns = _join_byte_classes(scanner.byte_class, np.vstack([following, entries]))
    return Scanner(
        byte_class=byte_class,
        next=np.ascontiguousarray(following[:, columns]),
        ends=tuple(
            tuple(sorted({End(t, new_boundary[b]) for t, b in scanner.ends[s]})) for s in order
        ),
        end_of_text=tuple(scanner.end_of_text[s] for s in order),
        enter=enter[boundaries].astype(np.int32).reshape(len(boundaries), scanner.enter.shape[1]),
        entries=np.ascontiguousarray(entries[:, columns]),
        closed=tuple(scanner.closed[b] for b in boundaries),
        start=ScannerStateId(int(new_state[scanner.start])),
    )


def _join_byte_classes(
    byte_class: NDArray[np.uint8], table: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], list[int]]:
    """Return coarser byte classes, and the old class that stands for each of them."""
    _, first = np.unique(byte_class, return_index=True)
    old = byte_class[np.sort(first)]  # in order of their first bytes
    number = number_by_occurrence(column.tobytes() for column in table.T[old])
    _, chosen = np.unique(number, return_index=True)
    joined = np.zeros(256, dtype=np.uint8)
    joined[old] = number
    return joined[byte_class], old[chosen].tolist()
