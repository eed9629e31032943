"""Witnesses: a shortest text that brings Lark's LALR parser somewhere.

To a state leads the shortest path over the table's symbols, each nonterminal on it replaced by its
shortest terminal sequence. Where Lark resolved conflicts the parser may leave that path, so what is
found is run through the table, and only what arrives counts.

A terminal sequence becomes a text by a breadth-first search over the scanner itself, so that Lark
lexes it that way: blanks stand only where they are needed. With indentation, an INDENT is four
columns.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.lalr.driver import StackOutcome, drive_lalr
from maskc.grammar import LalrGrammar, LexerSpec
from maskc.grammar.sets import find_shortest, write_shortest
from maskc.ids import DEAD, END, IGNORED, NO_LINE
from maskc.lexer import Scanner
from maskc.regular.lookbehind import LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.threads import ThreadStepper, hold_at_end

INDENT_COLUMNS = 4
MAX_NODES = 400_000

Terminals = tuple[int, ...]
_Node = tuple[int, int, int]  # lexeme, scanner state, column


class Arrival(NamedTuple):
    """What the parser reads to get somewhere, and the states on top before and after each."""

    terminals: Terminals
    tops: tuple[int, ...]


class _Lexeme(NamedTuple):
    terminal: int
    context: int  # in which it is lexed
    column: int  # at which a newline ends, ``NO_LINE`` for other terminals


class Witnesses:
    """Finds shortest terminal sequences and texts of one grammar."""

    def __init__(self, grammar: LalrGrammar, scanner: Scanner) -> None:
        self._grammar, self._scanner = grammar, scanner
        self._driver = drive_lalr(grammar)
        self._yields = find_shortest((p.lhs, p.rhs) for p in grammar.bnf.productions)
        self._paths = self._find_paths()
        self._reaching = cache(self._find_reaching)
        self._moves_of = cache(lambda state: self._list_targets(scanner.next[state]))
        self._entries_of = cache(lambda row: self._list_targets(scanner.entries[row]))
        self._classes = list_classes(scanner.byte_class)

    def find_arrival(self, state: int, lookaheads: Collection[int] = ()) -> Arrival | None:
        """Return the shortest sequence found to a LALR state, perhaps reduced on a lookahead."""
        symbols = self._paths.get(state)
        if symbols is None:
            return None
        terminals = write_shortest(symbols, self._yields)
        stacks = run_parser(self._grammar, terminals)
        if stacks is None:
            return None
        seen = {stacks[-1][-1]}
        for lookahead in lookaheads:
            passed: list[int] = []
            self._driver.reduce(list(stacks[-1]), lookahead, passed)
            seen.update(passed)
        return Arrival(terminals, tuple(s[-1] for s in stacks)) if state in seen else None

    def _find_paths(self) -> dict[int, Terminals]:
        """Return LALR state → the symbols of a cheapest path to it."""
        paths: dict[int, Terminals] = {}
        pending: list[tuple[int, int, Terminals, int]] = [(0, 0, (), 0)]
        while pending:
            cost, n_symbols, path, state = heapq.heappop(pending)
            if state in paths:
                continue
            paths[state] = path
            row = self._grammar.lalr.states[state]
            moves = [(1, t, target) for t, target in sorted(row.shifts.items()) if t != END]
            moves += [
                (len(self._yields[n]), -1 - n, target)
                for n, target in sorted(row.gotos.items())
                if n in self._yields
            ]
            for more, symbol, target in moves:
                if target not in paths:
                    heapq.heappush(pending, (cost + more, n_symbols + 1, (*path, symbol), target))
        return paths

    def find_text(self, terminals: Sequence[int]) -> str | None:
        """Return a shortest text; ``None`` if there is none, or none is found in bounds."""
        lexemes = self._list_lexemes(terminals)
        if not lexemes:
            return None if lexemes is None else ""
        first: _Node = (0, self._scanner.start, NO_LINE)
        parents: dict[_Node, tuple[_Node, int]] = {}
        pending = deque([first])
        while pending and len(parents) < MAX_NODES:
            node = pending.popleft()
            index, state, column = node
            last = lexemes[-1]
            if (
                index == len(lexemes) - 1
                and self._scanner.end_of_text[state] == last.terminal
                and last.column in (NO_LINE, column)
            ):
                return _spell(node, parents)
            for target, byte in self._step(lexemes, node):
                if target not in parents and target != first:
                    parents[target] = (node, byte)
                    pending.append(target)
        return None

    def _list_lexemes(self, terminals: Sequence[int]) -> list[_Lexeme] | None:
        stacks = run_parser(self._grammar, terminals)
        if stacks is None:
            return None
        layout = self._grammar.lexer.layout
        lexemes: list[_Lexeme] = []
        depth = 0
        for position, terminal in enumerate(terminals):
            if layout and terminal in (layout.indent, layout.dedent):
                depth += 1 if terminal == layout.indent else -1
                if not lexemes or lexemes[-1].terminal != layout.newline or depth < 0:
                    return None
                lexemes[-1] = lexemes[-1]._replace(column=depth * INDENT_COLUMNS)
                continue
            column = depth * INDENT_COLUMNS if layout and terminal == layout.newline else NO_LINE
            context = self._grammar.lalr.context_of[stacks[position][-1]]
            lexemes.append(_Lexeme(terminal, context, column))
        return lexemes

    def _step(self, lexemes: list[_Lexeme], node: _Node) -> Iterator[tuple[_Node, int]]:
        index, state, column = node
        lexeme = lexemes[index]
        useful = self._reaching(lexeme.terminal)
        for target, byte in self._moves_of(state):
            if useful[target]:
                after = _count(column, byte, lexeme)
                if after <= lexeme.column or lexeme.column == NO_LINE:
                    yield (index, target, after), byte
        for terminal, boundary in self._scanner.ends[state]:
            following = index
            if terminal != IGNORED:
                if terminal != lexeme.terminal or lexeme.column not in (NO_LINE, column):
                    continue
                following += 1
            if following == len(lexemes):
                continue
            entered = lexemes[following]
            useful_next = self._reaching(entered.terminal)
            row = int(self._scanner.enter[boundary, entered.context])
            for target, byte in self._entries_of(row):
                if useful_next[target]:
                    yield (following, target, _count(NO_LINE, byte, entered)), byte

    def _list_targets(self, row: NDArray[np.int32]) -> list[tuple[int, int]]:
        """Return each target once with its nicest byte; what moves the column counts apart."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for byte_class, byte in self._classes:
            target = int(row[byte_class])
            if target != DEAD:
                found.setdefault((target, byte if byte in b" \n" else 0), (target, byte))
        return list(found.values())

    def _find_reaching(self, terminal: int) -> NDArray[np.bool_]:
        """Return bool[n_states]: whether the lexeme may become the terminal, or be ignored."""
        found = np.array(
            [
                self._scanner.end_of_text[state] == terminal
                or any(t in (terminal, IGNORED) for t, _ in ends)
                for state, ends in enumerate(self._scanner.ends)
            ]
        )
        n_before = -1
        while n_before != (n_before := int(found.sum())):
            found |= found[self._scanner.next].any(axis=1)
        return found


def run_parser(grammar: LalrGrammar, terminals: Sequence[int]) -> list[tuple[int, ...]] | None:
    """Return the stacks of LALR states before and after each terminal; ``None``: one is refused."""
    driver, stack = drive_lalr(grammar), [0]
    stacks: list[tuple[int, ...]] = [(0,)]
    for terminal in terminals:
        if driver.take(stack, terminal) is not StackOutcome.TAKES:
            return None
        stacks.append(tuple(stack))
    return stacks


def _count(column: int, byte: int, lexeme: _Lexeme) -> int:
    """Return the column after a byte; only newlines are measured."""
    if lexeme.column == NO_LINE:
        return NO_LINE
    if byte == 10:
        return 0
    # A tab would be worth more than one column.
    return column + 1 if column != NO_LINE and byte == 32 else column


def _spell(node: _Node, parents: dict[_Node, tuple[_Node, int]]) -> str:
    text = bytearray()
    while node in parents:
        node, byte = parents[node]
        text.append(byte)
    return bytes(reversed(text)).decode(errors="backslashreplace")


MAX_PRODUCT_STATES = 20_000


def byte_preference(byte: int) -> tuple[int, int]:
    """Return a key by which the bytes that read best come first."""
    character = chr(byte)
    if byte in b" \n\t":
        return 3, b" \n\t".index(byte)
    kinds = (character.islower(), character.isdigit(), 32 < byte < 127)
    return next((i for i, is_kind in enumerate(kinds) if is_kind and byte < 128), 4), byte


def list_classes(byte_class: Sequence[int] | NDArray[Any]) -> list[tuple[int, int]]:
    """Return the classes of bytes, each with the byte of it that reads best."""
    byte_of: dict[int, int] = {}
    for byte in sorted(range(256), key=byte_preference):
        byte_of.setdefault(int(byte_class[byte]), byte)
    return list(byte_of.items())


def find_common_lexeme(lexer: LexerSpec, terminals: Sequence[int]) -> bytes | None:
    """Return a shortest lexeme of all the terminals, each tried alone; ``None`` if none is found.

    Their own automata run side by side, with ``re``'s leftmost-first meaning, look-arounds
    included. The search goes by length, over states of the product, so it ends.
    The search gives up after ``MAX_PRODUCT_STATES`` states of the product.
    """
    nfa = Nfa(use_bytes=lexer.use_bytes)
    starts = [
        nfa.add_pattern(lexer.terminals[t], lexer.patterns[t] or "", lexer.re_flags, t)
        for t in terminals
    ]
    stepper = ThreadStepper(nfa)
    look_behinds = LookBehindStepper(stepper)
    classes = list_classes(stepper.byte_class)
    before = look_behinds.start()
    first = (before, tuple(stepper.enter(start, before.matched) for start in starts))
    text = {first: b""}
    pending = deque([first])
    while pending and len(text) < MAX_PRODUCT_STATES:
        here = pending.popleft()
        before, product = here
        for byte_class, byte in classes:
            after = look_behinds.step(before, byte_class)
            moved = tuple(
                stepper.step_all(threads, byte_class, after.matched) for threads in product
            )
            target = (after, moved)
            if not all(moved) or target in text:
                continue
            text[target] = text[here] + bytes([byte])
            if all(any(at < 0 and hold_at_end(left) for at, left in threads) for threads in moved):
                return text[target]
            pending.append(target)
    return None
