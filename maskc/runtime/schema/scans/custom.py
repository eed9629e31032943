"""What tokens do to a string that a reader reads.

The characters that a vocabulary spells are walked level by level. What is read at a node is a
*pair*, a state of the automaton and one of the reader, by number; the reader steps once for each
distinct pair and character. Pairs and their moves are cached for other walks, so states that many
strings come back to cost a look-up.

Example: after ``"(a`` of the format regex, where ``b``, ``c`` and ``é`` lead to the same pair, all
letters below them are read together.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend_at_once
from maskc.runtime.schema.plan.custom import CustomRule, CustomStrings, Read
from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, Spelled
from maskc.runtime.schema.strings.spelling import Ranges

_MOST_MOVES = 200_000  # of one rule that are cached
_MOVE_BYTES = 2 * ENTRY_BYTES  # with a part of the state that it leads to
_CODE_BITS = 21


class Walked(NamedTuple):
    """What a string does to a vocabulary, as items.

    Attributes:
        inside: those that stay inside.
        ended: those that close the string.
    """

    inside: NDArray[np.intp]
    ended: NDArray[np.intp]


class CustomScans:
    """Walks vocabularies; threads share it.

    Args:
        budget: what is cached is charged to it.
    """

    def __init__(self, budget: Budget) -> None:
        self._known = Cache(budget)

    def walk(self, spelled: Spelled, rule: CustomRule, count: Read) -> Walked:
        """Return what a string of which something was read does to some texts.

        Args:
            spelled: the texts; where a character was left open they go on with it.
            rule: of the string.
            count: what was read.

        Raises:
            FormatError: the reader fails.
            LimitError: there are too many characters to be read.
        """
        key = (_Moves, id(rule))
        moves: _Moves | None = self._known.get(key)
        if moves is None or moves.is_full:
            moves = _Moves(rule.strings)
            self._known.put(key, moves)
        n_before = moves.n_moves
        try:
            return _walk(spelled, moves, moves.number(count.state, count.held))
        finally:
            self._known.budget.charge(_MOVE_BYTES * (moves.n_moves - n_before))


class _Moves:
    """Pairs by number, and where characters lead; 0 is dead."""

    def __init__(self, strings: CustomStrings) -> None:
        self._strings = strings
        self._pairs: list[tuple[int, Any]] = [(0, None)]
        self._numbers: dict[tuple[int, Any], int] = {}
        self._moves: dict[int, int] = {}
        self._leads: dict[tuple[int, Ranges], bool] = {}
        self._ends: dict[int, bool] = {}
        self._lock = threading.Lock()

    @property
    def n_moves(self) -> int:
        """How many moves are known."""
        return len(self._moves)

    @property
    def is_full(self) -> bool:
        """Whether it is better to begin anew."""
        return len(self._moves) > _MOST_MOVES

    def number(self, state: int, held: Any) -> int:
        """Return the number of a pair."""
        pair = (state, held)
        found = self._numbers.get(pair)
        if found is None:
            with self._lock:
                found = self._numbers.setdefault(pair, len(self._pairs))
                if found == len(self._pairs):
                    self._pairs.append(pair)
        return found

    def follow(self, key: int) -> int:
        """Return where a pair and a character, both in one number, lead."""
        found = self._moves.get(key)
        if found is None:
            code = key & (1 << _CODE_BITS) - 1
            after = self._strings.step(*self._pairs[key >> _CODE_BITS], code)
            found = self._moves[key] = 0 if after is None else self.number(*after)
        return found

    def may_end(self, pair: int) -> bool:
        """Return whether a string may end in a pair."""
        found = self._ends.get(pair)
        if found is None:
            found = self._ends[pair] = bool(pair) and self._strings.may_end(*self._pairs[pair])
        return found

    def leads_into(self, pair: int, ranges: Ranges) -> bool:
        """Return whether some character of some ranges may come next."""
        key = (pair, ranges)
        found = self._leads.get(key)
        if found is None:
            found = bool(pair) and self._strings.leads_into(*self._pairs[pair], ranges)
            self._leads[key] = found
        return found


def _walk(spelled: Spelled, moves: _Moves, start: int) -> Walked:
    chars, parents = spelled.tables.chars.astype(np.int64), spelled.parent_array
    at = np.zeros(len(chars), dtype=np.int64)
    at[0] = start
    for level in range(1, len(spelled.levels) - 1):
        first, last = spelled.levels[level], spelled.levels[level + 1]
        above = at[parents[first:last]]
        live = np.flatnonzero(above)
        if not len(live):
            break
        spend_at_once(len(live))
        keys = above[live] << _CODE_BITS | chars[first + live]
        distinct, which = np.unique(keys, return_inverse=True)
        after = np.array([moves.follow(key) for key in distinct.tolist()], dtype=np.int64)
        at[first + live] = after[which]
    found, kinds = at[spelled.owners], spelled.tables.kinds
    live_items = np.flatnonzero(found)
    closing = live_items[kinds[live_items] == CLOSES]
    ends = _ask(found[closing], moves.may_end)
    inside = kinds == BETWEEN
    cut = live_items[(kinds[live_items] != CLOSES) & ~inside[live_items]]
    inside &= found > 0
    ranges, begun = spelled.ranges, spelled.tables.begun
    keys = found[cut] << _CODE_BITS | begun[cut]

    def is_open(key: int) -> bool:
        return moves.leads_into(key >> _CODE_BITS, ranges[key & (1 << _CODE_BITS) - 1])

    inside[cut] = _ask(keys, is_open)
    return Walked(np.flatnonzero(inside), closing[ends])


def _ask(keys: NDArray[np.int64], ask: Any) -> NDArray[np.bool_]:
    """Return what a function says of each key; it is called once for equal ones."""
    distinct, which = np.unique(keys, return_inverse=True)
    return np.array([ask(key) for key in distinct.tolist()], dtype=np.bool_)[which]
