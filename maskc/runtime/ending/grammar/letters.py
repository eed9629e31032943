"""Which bytes must a lexeme have, and which does a token have?

A token that finishes a text has all the bytes that every way to finish it has: after ``f(x`` a
closing bracket. Most tokens do not have them, and nor do all that begin like them. Bytes are taken
in the letters that the machine tells apart, a set of them as bits.

What the lexemes of a terminal must have is a greatest fixed point over the scanner's states that
lead to its end: the intersection over all ways.

Example: each text that finishes ``["a`` in JSON has a quote and a closing bracket; ``"]`` has both,
and no token that begins with a letter does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.pieces import read_rows
from maskc.runtime.ending.grammar.pieces import Pieces
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.lalr.machine import LalrMachine

# uint64[…, 4]: bit i % 64 of word i // 64 is letter i.
Letters = NDArray[np.uint64]
_WORDS = 4
EVERY = (1 << 64 * _WORDS) - 1
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def as_row(letters: int) -> Letters:
    """Return a set as uint64[4]."""
    return np.frombuffer(letters.to_bytes(8 * _WORDS, "little"), dtype="<u8")


def as_bits(row: Letters) -> int:
    """Return a row as a set."""
    return int.from_bytes(row.astype("<u8").tobytes(), "little")


def _one_of(letters: NDArray[Any]) -> Letters:
    """Return uint64[n, 4], each with one letter."""
    found = np.zeros((len(letters), _WORDS), dtype=np.uint64)
    places = letters.astype(np.int64)
    found[np.arange(len(letters)), places // 64] = np.uint64(1) << (places % 64).astype(np.uint64)
    return found


class LexemeLetters:
    """The letters that lexemes must have.

    Args:
        machine: of the grammar.
        pieces: of the same, with the bytes to the ends of lexemes.
    """

    def __init__(self, machine: LalrMachine, pieces: Pieces) -> None:
        self._pieces = pieces
        arrays = machine.scanner.arrays
        firsts = np.array([group[0] for group in machine.byte_groups])
        classes = np.frombuffer(machine.scanner.byte_classes, dtype=np.uint8)[firsts]
        self._n_states = machine.scanner.n_states
        self._edges = self._list_edges(read_rows(arrays, "scanner_next")[:, classes])
        self._entries = read_rows(arrays, "scanner_entries")[:, classes]
        self._of: dict[int, dict[int, int]] = {}

    def _list_edges(self, table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], Letters]:
        """Return from which state to which, and the letter, if there is one only."""
        sources, letters = np.nonzero(table)
        keys = sources * self._n_states + table[sources, letters].astype(np.int64)
        distinct, first, counts = np.unique(keys, return_index=True, return_counts=True)
        own = _one_of(letters[first])
        own[counts > 1] = 0
        return (*np.divmod(distinct, self._n_states), own)

    def open(self, terminal: int, state: int) -> int:
        """Return the letters that an open lexeme must have yet to be a terminal."""
        known = self._of.get(terminal)
        if known is None:
            rows = self._solve(terminal)
            # Most have none, as cases are not told apart, or there is a choice.
            states = np.flatnonzero(rows.any(axis=1)).tolist()
            known = self._of[terminal] = {state: as_bits(rows[state]) for state in states}
        return known.get(state, 0)

    def _solve(self, terminal: int) -> Letters:
        """Return uint64[n_states, 4], the same; nothing where the lexeme cannot become it."""
        distance = self._pieces.distance(terminal)
        sources, targets, own = self._edges
        leads = (distance[sources] > 0) & (distance[targets] >= 0)
        sources, targets, own = sources[leads], targets[leads], own[leads]
        found: Letters = np.full((self._n_states, _WORDS), _ALL)
        found[distance <= 0] = 0
        starts = np.flatnonzero(np.diff(sources, prepend=-1))
        while len(starts):
            after = np.bitwise_and.reduceat(found[targets] | own, starts)
            if (after == found[sources[starts]]).all():
                break
            found[sources[starts]] = after
        return found

    def whole(self, terminal: int) -> int:
        """Return the letters that all lexemes of a terminal have."""
        distance, known = self._pieces.distance(terminal), self._solve(terminal)
        rows, letters = np.nonzero(self._entries)
        entered = self._entries[rows, letters].astype(np.int64)
        leads = distance[entered] >= 0
        if not leads.any():
            return 0
        rows_of = known[entered[leads]] | _one_of(letters[leads])
        return as_bits(np.bitwise_and.reduce(rows_of))


class TokenLetters:
    """The letters that tokens have.

    Args:
        paths: the tokens.

    Attributes:
        below: uint64[n_nodes, 4], the letters below each node of their trie.
    """

    def __init__(self, paths: TokenPaths) -> None:
        trie = paths.trie
        n_nodes = len(trie.byte_array)
        own = _one_of(trie.byte_array)
        self._own, self._last = _one_of(np.arange(256)), trie.byte_array
        self.below: Letters = np.zeros((n_nodes, _WORDS), dtype=np.uint64)
        sets = np.zeros((n_nodes, _WORDS), dtype=np.uint64)
        for low, high in zip(trie.levels[-2::-1], trie.levels[:0:-1], strict=True):
            first = trie.first_array[low : high + 1].astype(np.int64)
            inner = low + np.flatnonzero(np.diff(first))
            if len(inner):
                begin, end = int(first[0]), int(first[-1])
                inside = self.below[begin:end] | own[begin:end]
                starts = trie.first_array[inner].astype(np.int64) - begin
                self.below[inner] = np.bitwise_or.reduceat(inside, starts)
        # From the root down, the letters of each node's text.
        for low, high in zip(trie.levels[:-1], trie.levels[1:], strict=True):
            nodes = np.arange(low, high, dtype=np.int32)
            children, counts = paths.children(nodes)
            sets[children] = np.repeat(sets[low:high], counts, axis=0) | own[children]
        is_text = np.asarray(trie.ending_array) > 0
        self._sets: Letters = np.unique(sets[is_text], axis=0)
        self._fits: dict[int, bool] = {0: True}

    def inside(self, nodes: Ints) -> Letters:
        """Return uint64[n, 4], the letters of nodes and below them."""
        found: Letters = self.below[nodes] | self._own[self._last[nodes]]
        return found

    def fits_one(self, letters: int) -> bool:
        """Return whether one token has all of some letters."""
        known = self._fits.get(letters)
        if known is None:
            missing = as_row(letters) & ~self._sets
            known = self._fits[letters] = bool((~missing.any(axis=1)).any())
        return known
