"""Paths: what a token completes, as numbers that a walk can carry in an array.

Lexemes alone allow very many paths: where ``--`` may be prefix or postfix, each of the dashes in a
long row of them could be either. The parser knows better, so a path keeps the LALR states that
can be on top of the stack after it, and one that no stack takes is dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.lalr.driver import Moves
from maskc.compiler.rows.numbering import distinguish
from maskc.compiler.rows.steps import Steps
from maskc.grammar.model import LalrGrammar
from maskc.ids import DROPPED

Ints = NDArray[np.int32]

COLUMNS = 1 << 21  # more than any column change of one token, both signs


class Opens:
    """Numbers what a token leaves open: an open lexeme and, for a newline, its column change."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}

    def number(self, open_lexeme: Ints, column: Ints) -> Ints:
        """Return int32[n], a number for each pair."""
        (lexemes, columns), place = distinguish(open_lexeme, column)
        keys = (lexemes * COLUMNS + columns + COLUMNS // 2).tolist()
        found = [self._number.setdefault(key, len(self._number)) for key in keys]
        return np.array(found, dtype=np.int32)[place]

    def list(self) -> tuple[Ints, Ints]:
        """Return the open lexemes and the column changes, by number."""
        keys = np.array(list(self._number), dtype=np.int64)
        return (keys // COLUMNS).astype(np.int32), (keys % COLUMNS - COLUMNS // 2).astype(np.int32)


class Paths:
    """Numbers paths; 0 is the empty one."""

    def __init__(self, grammar: LalrGrammar, steps: Steps) -> None:
        self._events = steps.events
        self._moves = Moves(grammar)
        states_in: dict[int, list[int]] = {}
        for state, context in enumerate(grammar.lalr.context_of):
            states_in.setdefault(context, []).append(state)
        of_context = {context: bits.from_members(some) for context, some in states_in.items()}
        self._inside = {
            mask: bits.unite(some for context, some in of_context.items() if mask >> context & 1)
            for mask in {mask for _, mask in steps.events}
        }
        self._keys = [COLUMNS // 2]
        self._possible = [self._moves.everywhere]  # the states after each path
        self._number: dict[int, int] = {}
        self._joined: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def extend(self, path: Ints, event: Ints, change: Ints) -> Ints:
        """Return int32[n], each path with one more event, or ``DROPPED``.

        Args:
            path: int32[n].
            event: int32[n], numbers of ``Steps.events``.
            change: int32[n], column changes.
        """
        (paths, events, changes), place = distinguish(path, event, change)
        keys = (paths * len(self._events) + events) * COLUMNS + changes + COLUMNS // 2
        return np.array([self._find(key) for key in keys.tolist()], dtype=np.int32)[place]

    def join(self, before: Ints, path: Ints) -> Ints:
        """Return int32[n], each path after another one, or ``DROPPED``.

        Args:
            before: int32[n], the paths that come first.
            path: int32[n].
        """
        (firsts, paths), place = distinguish(before, path)
        found = map(self._join, firsts.tolist(), paths.tolist())
        return np.fromiter(found, np.int32, len(paths))[place]

    def _join(self, before: int, path: int) -> int:
        # A path is as long as a token has terminals, which may be thousands.
        width = len(self._events) * COLUMNS
        longer: list[tuple[int, int]] = []
        rest = path
        while rest and (before, rest) not in self._joined:
            parent, last = divmod(self._keys[rest], width)
            longer.append((rest, last))
            rest = parent
        found = self._joined[before, rest] if rest else before
        for each, last in reversed(longer):
            if found != DROPPED:
                found = self._find(found * width + last)
            self._joined[before, each] = found
        return found

    def _find(self, key: int) -> int:
        number = self._number.get(key)
        if number is None:
            path, event = divmod(key // COLUMNS, len(self._events))
            terminal, contexts = self._events[event]
            possible = self._possible[path]
            if terminal >= 0:
                possible = self._moves.after(terminal, possible)
            possible &= self._inside[contexts]
            number = self._number[key] = len(self._keys) if possible else DROPPED
            if possible:
                self._keys.append(key)
                self._possible.append(possible)
        return number

    def list(self) -> tuple[Ints, Ints, Ints]:
        """Return int32[n_paths] each: the path before the last event, the event, its column."""
        keys = np.array(self._keys, dtype=np.int64)
        parent, event = np.divmod(keys // COLUMNS, max(len(self._events), 1))
        column = keys % COLUMNS - COLUMNS // 2
        return parent.astype(np.int32), event.astype(np.int32), column.astype(np.int32)
