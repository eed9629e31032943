"""Paths of an LALR grammar: what a token completes, as numbers that a walk can carry in an array.

Lexemes alone allow very many paths: where ``--`` may be prefix or postfix, each of the dashes in a
long row of them could be either. The parser knows better, so a path keeps the LALR states that
can be on top of the stack after it, and one that no stack takes is dropped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.lalr.driver import StateMoves
from maskc.compiler.rows.numbering import COLUMNS, OrderedPaths, distinguish, order_paths
from maskc.compiler.rows.steps import LexemeSteps
from maskc.compiler.rows.walk import Frontier
from maskc.errors import LimitError
from maskc.grammar.model import LalrGrammar
from maskc.ids import DROPPED
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

Ints = NDArray[np.int32]

MAX_LALR_FRONTIER = 60_000_000


class LalrRule:
    """Paths that some stack of the table takes."""

    lines = 500_000
    seed_order: tuple[str, ...] = ("state", "node", "column")
    joins_boundaries = True

    def __init__(self, grammar: LalrGrammar, steps: LexemeSteps) -> None:
        self._events = steps.events
        self._moves = StateMoves(grammar)
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
        """Return int32[n], each path with one more event, or ``DROPPED``."""
        (paths, events, changes), inverse = distinguish(path, event, change)
        keys = (paths * len(self._events) + events) * COLUMNS + changes + COLUMNS // 2
        return np.array([self._find(key) for key in keys.tolist()], dtype=np.int32)[inverse]

    def join(self, before: Ints, path: Ints) -> Ints:
        """Return int32[n], each path after another one, or ``DROPPED``."""
        (firsts, paths), inverse = distinguish(before, path)
        found = map(self._join, firsts.tolist(), paths.tolist())
        return np.fromiter(found, np.int32, len(paths))[inverse]

    def prune(self, frontier: Frontier, n_origins: int, trie: TokenTrie) -> Frontier:
        """Return all lines: no two agree, as the scanner reads a beginning in one way."""
        del n_origins, trie
        return frontier

    def check(self, n_lines: int) -> None:
        """Raise a ``LimitError`` if a single seed's level may not have so many lines."""
        if n_lines > MAX_LALR_FRONTIER:
            raise LimitError("paths of tokens", MAX_LALR_FRONTIER, Phrase.SIMPLER_TERMINALS)

    def order(self, used: Ints) -> OrderedPaths:
        """Return the paths of rows in their canonical order."""
        keys = np.array(self._keys, dtype=np.int64)
        parent, event = np.divmod(keys // COLUMNS, max(len(self._events), 1))
        column = keys % COLUMNS - COLUMNS // 2
        return order_paths(
            parent.astype(np.int32), event.astype(np.int32), column.astype(np.int32), used
        )

    def list_tokens_without_rows(self, trie: TokenTrie) -> Ints:
        """Return nothing: all tokens have rows."""
        del trie
        return np.zeros(0, dtype=np.int32)

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
