"""What tokens do to a string that a reader reads.

The characters that a vocabulary spells are walked level by level. What is read at a node is a
*pair*, a state of the automaton and one of the reader, by number; the reader steps once for each
distinct pair and character. Pairs and their moves are cached for other walks, so states that many
strings come back to cost a look-up. Where all characters that are not ASCII lead to one state, the
reader steps once for all of them.

Example: after ``"(a`` of the format regex, where ``b``, ``c`` and ``é`` lead to the same pair, all
letters below them are read together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.schema.plan.custom import CustomRule, CustomStrings, Read
from maskc.runtime.schema.scans.character_trie import BETWEEN, CLOSES, CharacterTrie, owners_of
from maskc.runtime.schema.strings import Ranges
from maskc.runtime.schema.tries import parents_of
from maskc.runtime.step_budget import charge_vector_steps

_MOST_MOVES: Final = 200_000  # of one rule that are cached
_MOVE_BYTES: Final = 2 * ENTRY_BYTES  # with a part of the state that it leads to
_CODE_BITS: Final = 21
_CODES: Final = (1 << _CODE_BITS) - 1
_LAST_ASCII, _OTHER = 0x7F, 0x80  # the second one stands for all after the first, if they are alike


class StringScan(NamedTuple):
    """The items of a vocabulary that stay inside a string, and those that close it."""

    inside: NDArray[np.intp]
    ended: NDArray[np.intp]


class CustomScans:
    """Walks vocabularies; threads share it."""

    def __init__(self, budget: Budget) -> None:
        self._known = Cache(budget, _measure)

    def walk(self, trie: CharacterTrie, rule: CustomRule, count: Read) -> StringScan:
        """Return what a string of which something was read does to some texts.

        Raises:
            FormatError: the reader fails.
            LimitError: there are too many characters to be read.
        """
        key = (_Moves, id(rule))
        moves: _Moves | None = self._known.get(key)
        if moves is None or len(moves.known) > _MOST_MOVES:
            moves = _Moves(rule.strings)
            self._known.put(key, moves)
        n_before = len(moves.known)
        try:
            return _walk(trie, moves, moves.number(count.state, count.held))
        finally:  # they have grown
            self._known.budget.charge(_MOVE_BYTES * (len(moves.known) - n_before))


class _Moves:
    """Pairs by number, and where characters lead; 0 is dead.

    The number of a pair is odd if all characters that are not ASCII are known to be alike there.
    """

    def __init__(self, strings: CustomStrings) -> None:
        self._strings = strings
        self._pairs: list[tuple[int, Any]] = [(0, None)]
        self._numbers: dict[tuple[int, Any], int] = {}
        self._leads: dict[tuple[int, Ranges], bool] = {}
        self._ends: dict[int, bool] = {}
        self._lock = threading.Lock()
        self.known: dict[int, int] = {}

    def number(self, state: int, held: Any) -> int:
        pair = (state, held)
        found = self._numbers.get(pair)
        if found is None:
            with self._lock:
                new = len(self._pairs) << 1 | self._strings.is_uniform(state, held)
                found = self._numbers.setdefault(pair, new)
                if found == new:
                    self._pairs.append(pair)
        return found

    def follow(self, key: int) -> int:
        """Return where a pair and a character, both in one number, lead."""
        found = self.known.get(key)
        if found is None:
            after = self._strings.step(*self._pair(key >> _CODE_BITS), key & _CODES)
            found = self.known[key] = 0 if after is None else self.number(*after)
        return found

    def may_end(self, pair: int) -> bool:
        found = self._ends.get(pair)
        if found is None:
            found = self._ends[pair] = self._strings.may_end(*self._pair(pair))
        return found

    def leads_into(self, pair: int, ranges: Ranges) -> bool:
        key = (pair, ranges)
        found = self._leads.get(key)
        if found is None:
            if pair & 1 and all(low > _LAST_ASCII for low, _ in ranges):
                found = bool(ranges) and self.follow(pair << _CODE_BITS | _OTHER) > 0
            else:
                found = self._strings.leads_into(*self._pair(pair), ranges)
            self._leads[key] = found
        return found

    def _pair(self, number: int) -> tuple[int, Any]:
        return self._pairs[number >> 1]


def _measure(_: object, moves: _Moves) -> int:
    return 4 * ENTRY_BYTES + _MOVE_BYTES * len(moves.known)


def _walk(trie: CharacterTrie, moves: _Moves, start: int) -> StringScan:
    tables = trie.tables
    chars, parents = tables.chars.astype(np.int64), parents_of(tables.first)
    at = np.zeros(len(chars), dtype=np.int64)
    at[0] = start
    for level in range(1, len(trie.levels) - 1):
        first, last = trie.levels[level], trie.levels[level + 1]
        above = at[parents[first:last]]
        live = np.flatnonzero(above)
        if not len(live):
            break
        charge_vector_steps(len(live))
        pairs, codes = above[live], chars[first + live]
        codes[(codes > _LAST_ASCII) & (pairs & 1 > 0)] = _OTHER
        keys = pairs << _CODE_BITS | codes
        at[first + live] = _ask(keys, moves.follow)
    found, kinds = at[owners_of(tables)], tables.kinds
    live_items = np.flatnonzero(found)
    closing = live_items[kinds[live_items] == CLOSES]
    ends = _ask(found[closing], moves.may_end)
    inside = (kinds == BETWEEN) & (found > 0)
    cut = live_items[(kinds[live_items] != CLOSES) & (kinds[live_items] != BETWEEN)]

    def is_open(key: int) -> bool:
        return moves.leads_into(key >> _CODE_BITS, trie.ranges[key & _CODES])

    inside[cut] = _ask(found[cut] << _CODE_BITS | tables.begun[cut], is_open)
    return StringScan(np.flatnonzero(inside), closing[ends > 0])


def _ask(keys: NDArray[np.int64], ask: Callable[[int], int]) -> NDArray[np.int64]:
    """Return what a function says of each key; it is called once for equal ones."""
    distinct, which = np.unique(keys, return_inverse=True)
    return np.array([ask(key) for key in distinct.tolist()], dtype=np.int64)[which]
