"""Which shortest text does the lexer read as these terminals?

A breadth-first search over the scanner itself, so that the text is one that Lark lexes that way:
blanks stand only where they are needed. With indentation, an INDENT is four columns.

Example: IF NAME, in a grammar that ignores blanks, is ``if a``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maskc.grammar.model import LalrGrammar
from maskc.ids import DEAD, IGNORED, NO_LINE
from maskc.lexer.scanner import Scanner
from maskc.lint.derivations import run_parser
from maskc.lint.lexemes import byte_preference

INDENT_COLUMNS = 4
MAX_NODES = 400_000

_Node = tuple[int, int, int]  # lexeme, scanner state, column


@dataclass(frozen=True, slots=True)
class _Lexeme:
    terminal: int
    context: int  # in which it is lexed
    column: int  # at which a newline ends, ``NO_LINE`` for other terminals


class Texts:
    """Finds texts for the terminal sequences of a grammar."""

    def __init__(self, grammar: LalrGrammar, scanner: Scanner) -> None:
        self._grammar = grammar
        self._scanner = scanner
        self._reach: dict[int, NDArray[np.bool_]] = {}
        self._moves: dict[int, list[tuple[int, int]]] = {}
        self._entries: dict[int, list[tuple[int, int]]] = {}

    @cached_property
    def _classes(self) -> list[tuple[int, int]]:
        """Byte classes with the byte that stands for each, the nicest first."""
        byte_of: dict[int, int] = {}
        for byte in sorted(range(256), key=byte_preference):
            byte_of.setdefault(int(self._scanner.byte_class[byte]), byte)
        return list(byte_of.items())

    def find_text(self, terminals: Sequence[int]) -> str | None:
        """Return a shortest text; ``None`` if there is none, or none is found in bounds."""
        lexemes = self._list_lexemes(terminals)
        if lexemes is None:
            return None
        if not lexemes:
            return ""
        first: _Node = (0, self._scanner.start, NO_LINE)
        parents: dict[_Node, tuple[_Node, int]] = {}
        pending = deque([first])
        while pending and len(parents) < MAX_NODES:
            node = pending.popleft()
            index, state, column = node
            if index == len(lexemes) - 1 and self._is_done(lexemes[-1], state, column):
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
                last = lexemes.pop()
                lexemes.append(_Lexeme(last.terminal, last.context, depth * INDENT_COLUMNS))
                continue
            column = depth * INDENT_COLUMNS if layout and terminal == layout.newline else NO_LINE
            context = self._grammar.lalr.context_of[stacks[position][-1]]
            lexemes.append(_Lexeme(terminal, context, column))
        return lexemes

    def _is_done(self, lexeme: _Lexeme, state: int, column: int) -> bool:
        ended = self._scanner.end_of_text[state] == lexeme.terminal
        return ended and lexeme.column in (NO_LINE, column)

    def _step(self, lexemes: list[_Lexeme], node: _Node) -> list[tuple[_Node, int]]:
        index, state, column = node
        lexeme = lexemes[index]
        found = []
        useful = self._reaching(lexeme.terminal)
        for target, byte in self._moves_of(state):
            if useful[target]:
                after = _count(column, byte, lexeme)
                if after <= lexeme.column or lexeme.column == NO_LINE:
                    found.append(((index, target, after), byte))
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
                    found.append(((following, target, _count(NO_LINE, byte, entered)), byte))
        return found

    def _moves_of(self, state: int) -> list[tuple[int, int]]:
        if state not in self._moves:
            self._moves[state] = self._list_targets(self._scanner.next[state])
        return self._moves[state]

    def _entries_of(self, row: int) -> list[tuple[int, int]]:
        if row not in self._entries:
            self._entries[row] = self._list_targets(self._scanner.entries[row])
        return self._entries[row]

    def _list_targets(self, row: NDArray[np.int32]) -> list[tuple[int, int]]:
        """Return each target once with its nicest byte; what moves the column counts apart."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for byte_class, byte in self._classes:
            target = int(row[byte_class])
            if target != DEAD:
                found.setdefault((target, byte if byte in b" \n" else 0), (target, byte))
        return list(found.values())

    def _reaching(self, terminal: int) -> NDArray[np.bool_]:
        """Return bool[n_states]: may the lexeme still become the terminal, or be ignored?"""
        found = self._reach.get(terminal)
        if found is None:
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
            self._reach[terminal] = found
        return found


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
