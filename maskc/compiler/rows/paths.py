"""Paths: what a token completes, as numbers that a walk carries in an array; those of LALR.

Lexemes alone allow very many paths: where ``--`` may be prefix or postfix, each of the dashes in a
long row of them could be either. The parser knows better, so a path keeps the LALR states that
can be on top of the stack after it, and one that no stack takes is dropped.

To sort millions of lines that agree in nearly everything is most of the work of numbering them.
Numbers that lie close together are marked in an array of flags instead, and counted: first each
column by itself, then what the columns are together.

A walk numbers what it meets as it comes, which depends on how it batches its work. The numbers of
rows do not: shorter paths come first, and paths of a length are in order of what they go on from,
of their last event, and of its column. Paths that no row has, nor goes on from, are left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.lalr.driver import StateMoves
from maskc.compiler.rows.steps import LexemeSteps
from maskc.errors import LimitError
from maskc.grammar import LalrGrammar
from maskc.ids import DROPPED
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

if TYPE_CHECKING:
    from maskc.compiler.rows.walk import Frontier


Longs = NDArray[np.int64]
Indices = NDArray[np.intp]

COLUMNS = 1 << 21  # more than any column change of one token, both signs

_SPARSE = 4  # flags a line, beyond which lines are sorted
_FEW = 1 << 16  # flags that cost nothing

Ints = NDArray[np.int32]

MAX_LALR_FRONTIER = 60_000_000


def distinguish(*columns: NDArray[Any]) -> tuple[tuple[Longs, ...], Indices]:
    """Return the distinct lines of some columns, in order, and which of them each line is.

    Returns:
        Of each column int64[n_distinct]; intp[n].

    >>> distinguish(np.array([3, 1, 3]), np.array([7, 7, 7]))
    ((array([1, 3]), array([7, 7])), array([1, 0, 1]))
    """
    values, together = _rank(columns[0])
    kept = [values]
    for column in columns[1:]:
        values, index = _rank(column)
        if len(values) > 1:
            together = together * len(values) + index
        kept.append(values)
    distinct, index = _rank(together)
    found = []
    for values in reversed(kept):
        distinct, rest = np.divmod(distinct, max(len(values), 1))
        found.append(values[rest])
    return tuple(reversed(found)), index


def _rank(numbers: NDArray[Any]) -> tuple[Longs, Indices]:
    """Return the distinct numbers, ascending, and the index of each among them."""
    if not len(numbers):
        return np.zeros(0, np.int64), np.zeros(0, np.intp)
    low, high = int(numbers.min()), int(numbers.max())
    if low == high:
        return np.array([low], np.int64), np.zeros(len(numbers), np.intp)
    if high - low >= max(_FEW, _SPARSE * len(numbers)):
        distinct, index = np.unique(numbers, return_inverse=True)
        return distinct.astype(np.int64), index.reshape(-1)
    at = numbers.astype(np.intp)
    at -= low
    occurs = np.zeros(high - low + 1, np.bool_)
    occurs[at] = True
    rank = np.cumsum(occurs, dtype=np.intp)
    rank -= 1
    return np.flatnonzero(occurs).astype(np.int64) + low, rank[at]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPaths:
    """Paths in order; path 0 is the empty one, its own parent."""

    number_of: Ints  # int32[n_found], of each path that was found; -1 if it is left out
    parent: Ints  # int32[n_paths], the path before its last event
    event: Ints  # int32[n_paths], that event
    column: Ints  # int32[n_paths], its column change


def order_paths(parent: Ints, event: Ints, column: Ints, used: Ints) -> OrderedPaths:
    """Return paths in order.

    Args:
        parent: int32[n_found], smaller than the path itself; 0 for the empty path, which is 0.
        event: int32[n_found].
        column: int32[n_found].
        used: int32[n], the paths of rows.
    """
    kept = np.zeros(len(parent), np.bool_)
    kept[0] = True
    here = np.unique(used)
    while not kept[here].all():
        here = here[~kept[here]]
        kept[here] = True
        here = np.unique(parent[here])
    number_of = np.full(len(parent), -1, np.int32)
    number_of[0] = 0
    ordered, n_ordered = [np.zeros(1, np.intp)], 1
    waiting = np.flatnonzero(kept)[1:]
    while len(waiting):
        ready = number_of[parent[waiting]] >= 0
        level, waiting = waiting[ready], waiting[~ready]
        level = level[np.lexsort((column[level], event[level], number_of[parent[level]]))]
        number_of[level] = np.arange(n_ordered, n_ordered + len(level), dtype=np.int32)
        n_ordered += len(level)
        ordered.append(level)
    order = np.concatenate(ordered)
    return OrderedPaths(number_of, number_of[parent[order]], event[order], column[order])


def order_opens(lexeme: Ints, column: Ints, used: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the number of each open lexeme with a column, and those that are used, in order.

    Args:
        lexeme: int32[n_found], the open lexemes.
        column: int32[n_found], their column changes.
        used: int32[n], those of rows.

    Returns:
        int32[n_found], -1 if it is left out; int32[n_opens] lexemes; int32[n_opens] columns.
    """
    kept = np.unique(used)
    kept = kept[np.lexsort((column[kept], lexeme[kept]))]
    number_of = np.full(len(lexeme), -1, np.int32)
    number_of[kept] = np.arange(len(kept), dtype=np.int32)
    return number_of, lexeme[kept], column[kept]


class Opens:
    """Numbers what a token leaves open: an open lexeme and, for a newline, its column change."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}

    def number(self, open_lexeme: Ints, column: Ints) -> Ints:
        """Return int32[n], a number for each pair."""
        (lexemes, columns), inverse = distinguish(open_lexeme, column)
        keys = (lexemes * COLUMNS + columns + COLUMNS // 2).tolist()
        found = [self._number.setdefault(key, len(self._number)) for key in keys]
        return np.array(found, dtype=np.int32)[inverse]

    def list(self) -> tuple[Ints, Ints]:
        """Return the open lexemes and the column changes, by number."""
        keys = np.array(list(self._number), dtype=np.int64)
        return (keys // COLUMNS).astype(np.int32), (keys % COLUMNS - COLUMNS // 2).astype(np.int32)


class PathRule(ABC):
    """Numbers the paths that a parser may take; path 0 is empty."""

    lines: int  # aimed at in a batch's widest level
    seed_order: tuple[str, ...]  # by which columns seeds are ordered
    # whether the walk after a boundary is one for all boundaries, and paths are joined in the end
    joins_boundaries: bool

    @abstractmethod
    def extend(self, path: Ints, event: Ints, change: Ints) -> Ints:
        """Return int32[n], each path with one more event, or ``DROPPED``."""

    @abstractmethod
    def check(self, n_lines: int) -> None:
        """Raise a ``LimitError`` if a single seed's level may not have so many lines."""

    @abstractmethod
    def order(self, used: Ints) -> OrderedPaths:
        """Return the paths with the numbers that rows have, given those of rows."""

    def join(self, before: Ints, path: Ints) -> Ints:  # noqa: ARG002
        """Return int32[n], each path after another one, or ``DROPPED``; here a seed has both."""
        return path

    def prune(self, frontier: Frontier, n_origins: int, trie: TokenTrie) -> Frontier:  # noqa: ARG002
        """Return the lines of a level that are gone on with; here no two agree."""
        return frontier

    def list_tokens_without_rows(self, trie: TokenTrie) -> Ints:  # noqa: ARG002
        """Return the tokens that lack rows, ascending; here all have some."""
        return np.zeros(0, dtype=np.int32)


class LalrRule(PathRule):
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
            for mask in {event.contexts for event in steps.events}
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
            terminal, contexts, _ = self._events[event]
            possible = self._possible[path]
            if terminal >= 0:
                possible = self._moves.after(terminal, possible)
            possible &= self._inside[contexts]
            number = self._number[key] = len(self._keys) if possible else DROPPED
            if possible:
                self._keys.append(key)
                self._possible.append(possible)
        return number
