r"""What do tokens do to a pattern, whatever stands before them?

A token is read from what is under way on, as if nothing were known of the groups that are open: it
closes some of them, some of which must be groups that may be repeated, and opens others. Few tokens
differ in that, so what they do is a number, an *effect*, which holds wherever the same is under
way; only whether an effect is possible is asked of the groups themselves.

Example: after an atom ``)`` and ``);`` close one group, and ``)+`` one that may be repeated.

A vocabulary is read at once, level by level over the trie of what it spells, by a table of effects
and characters that is filled where it is needed. Characters that are not ASCII are of three kinds,
but for those beside a hyphen, whose number counts in a class.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.scans.spelled import CUT, ESCAPED, Spelled, child_of
from maskc.runtime.schema.strings.ecma import Pattern, Patterns, is_between
from maskc.runtime.schema.strings.ecma_escapes import (
    ATOM,
    CLASS,
    DASH,
    NAME,
    NUMBER,
    OUT,
    START_CLASS,
    ZERO,
    ZERO_CLASS,
    Lex,
)
from maskc.runtime.schema.strings.identifiers import identifier_kinds
from maskc.runtime.schema.strings.spelling import Ranges
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

Bools = NDArray[np.bool_]
_N_ASCII = 0x80
# Signs: the ASCII characters, three kinds of others, and those whose number counts.
_OTHER, _CONTINUE, _START = 0xA0, 0x300, 0xAA
_HYPHEN, _BACKSLASH = 0x2D, 0x5C
_DIGITS = tuple(range(0x30, 0x3A))
_UNKNOWN = -1
_MOST_EFFECTS = 20_000
_QUANTIFIERS, _CARET, _BRACKET = tuple(b"*+?{"), tuple(b"^"), 0x5D
_AFTER_ATOM: Lex = (OUT, ATOM)
_EMPTY_CLASS: Lex = (CLASS, None, None)


class Possible(NamedTuple):
    """What effects ask of what stands before; each of n effects, of which the first is impossible.

    Attributes:
        outer: how many groups they close.
        repeated: int64, bits of those that must be groups that may be repeated.
        is_asked: whether tokens must be read one by one.
        is_final: whether the pattern may end, if no other group is open.
        n_groups: groups that capture.
        most: the greatest back-reference.
    """

    outer: Ints
    repeated: NDArray[np.int64]
    is_asked: Bools
    is_final: Bools
    n_groups: NDArray[np.int64]
    most: NDArray[np.int64]


class Grid(NamedTuple):
    """What a vocabulary spells, as signs.

    Attributes:
        signs: int32[n_nodes].
        parents: int32[n_nodes].
        owners: int32[n_items], of each item its node.
        is_cut: of each item whether it ends inside a character.
    """

    signs: Ints
    parents: Ints
    owners: Ints
    is_cut: Bools


class Effects:
    """The effects of a vocabulary, by number; 0 is impossible. Threads share it."""

    def __init__(self) -> None:
        self._reader = Patterns()
        self._states: list[Pattern | None] = [None]
        self._numbers: dict[Pattern, int] = {}
        self._codes = [*range(_N_ASCII), _OTHER, _CONTINUE, _START]
        self._sign_of: dict[int, int] = {}
        self._delta: Ints = np.full((256, 256), _UNKNOWN, dtype=np.int32)
        self._delta[0] = 0
        self._leads: dict[tuple[int, Ranges], bool] = {}
        self._asks: list[tuple[int, int, bool, bool, int, int]] = [(0, 0, False, False, 0, 0)]
        self._possible = _tabulate(self._asks)
        self._lock = threading.Lock()

    @property
    def is_full(self) -> bool:
        """Whether there are so many effects that it is better to begin anew."""
        return len(self._states) > _MOST_EFFECTS

    @property
    def possible(self) -> Possible:
        """What they ask."""
        found, n = self._possible, len(self._asks)
        if len(found.outer) < n:
            more = _tabulate(self._asks[len(found.outer) : n])
            found = self._possible = Possible(
                np.concatenate([found.outer, more.outer]),
                np.concatenate([found.repeated, more.repeated]),
                np.concatenate([found.is_asked, more.is_asked]),
                np.concatenate([found.is_final, more.is_final]),
                np.concatenate([found.n_groups, more.n_groups]),
                np.concatenate([found.most, more.most]),
            )
        return found

    def grid(self, spelled: Spelled) -> Grid:
        """Return what a vocabulary spells as signs."""
        chars, parents = np.asarray(spelled.tables.chars), spelled.parent_array
        is_hyphen = chars == _HYPHEN
        is_hyphen[0] = False  # the root has no character
        counts = is_hyphen[parents]
        counts[parents[is_hyphen]] = True
        others = chars >= _N_ASCII
        signs = chars.astype(np.int32)
        signs[others] = _N_ASCII + identifier_kinds(chars[others])
        counts &= others
        counts[0] = False
        with self._lock:
            for code in np.unique(chars[counts]).tolist():
                if code not in self._sign_of:
                    self._sign_of[code] = len(self._codes)
                    self._codes.append(code)
            self._grow()
        signs[counts] = [self._sign_of[code] for code in chars[counts].tolist()]
        kinds = spelled.tables.kinds
        is_cut = (kinds == ESCAPED) | (kinds == CUT)
        return Grid(signs, parents, spelled.owners, is_cut)

    def _grow(self) -> None:
        """Make room for twice as many, where it is full."""
        n, m = self._delta.shape
        if len(self._states) > n or len(self._codes) > m:
            size = (2 * n if len(self._states) > n else n, m)
            size = (size[0], max(m, 2 * len(self._codes)) if len(self._codes) > m else m)
            grown = np.full(size, _UNKNOWN, dtype=np.int32)
            grown[:n, :m] = self._delta
            grown[0] = 0
            self._delta = grown

    def number_of(self, lex: Lex) -> int:
        """Return the effect of nothing where something is under way."""
        with self._lock:
            return self._number(Pattern(lex, outer=0))

    def _number(self, state: Pattern | None) -> int:
        if state is None:
            return 0
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self._states)
            self._states.append(state)
            is_final = is_between(state) and not state.groups
            asks = (state.outer, state.repeated, state.is_asked, is_final)
            self._asks.append((*asks, state.n_groups, state.most))
            self._grow()
        return found

    def _fill(self, effects: Ints, signs: Ints) -> None:
        """Fill the table where it is not known."""
        with self._lock:
            keys = np.unique(effects.astype(np.int64) << 32 | signs)
            for key in keys.tolist():
                effect, sign = key >> 32, key & 0xFFFFFFFF
                state = self._states[effect]
                made = None if state is None else self._reader.step(state, self._codes[sign])
                number = self._number(made)
                self._delta[effect, sign] = number

    def follow(self, effects: Ints, signs: Ints) -> Ints:
        """Return the effects with one more character each."""
        found: Ints = self._delta[effects, signs]
        unknown = np.flatnonzero(found < 0)
        if len(unknown):
            self._fill(effects[unknown], signs[unknown])
            found = self._delta[effects, signs]
        return found

    def leads_on(self, effect: int, spelled: Spelled, begun: int) -> bool:
        """Return whether a character of which something was read may come next."""
        state, ranges = self._states[effect], spelled.ranges[begun]
        found = self._leads.get((effect, ranges))
        if found is None:
            found = state is not None and self._reader.leads_on(state, ranges)
            self._leads[effect, ranges] = found
        return found

    def walk(self, spelled: Spelled, grid: Grid, lex: Lex) -> Ints:
        """Return the effects of all items where something is under way that is a base.

        Returns:
            int32[n_items]; 0 of those that are no beginning.
        """
        at = np.zeros(len(grid.signs), dtype=np.int32)
        at[0] = self.number_of(lex)
        for level in range(1, len(spelled.levels) - 1):
            first, last = spelled.levels[level], spelled.levels[level + 1]
            above = at[grid.parents[first:last]]
            live = np.flatnonzero(above)
            if not len(live):
                break
            at[first + live] = self.follow(above[live], grid.signs[first:last][live])
        return self._of_items(at, spelled, grid, np.arange(spelled.n_items))

    def change(self, spelled: Spelled, grid: Grid, found: Ints, lex: Lex) -> Ints:
        """Return the same of what has the effects of its base but for some characters.

        Args:
            spelled: the texts.
            grid: what they spell as signs.
            found: the effects where the base is under way.
            lex: what is under way.
        """
        at = np.zeros(len(grid.signs), dtype=np.int32)
        at[0] = start = self.number_of(lex)
        changed, rows = found.copy(), [np.asarray(spelled.own_items(0))]
        low, high, first = spelled.low, spelled.high, spelled.first[1]
        if lex[0] == DASH:
            # All that begins with a character before the first one of the range.
            last = 1 + int(np.searchsorted(spelled.tables.chars[1:first], lex[1]))
            if last > 1:
                changed[low[1] : high[last - 1]] = 0
        for code in base_of(lex)[1]:
            child = child_of(spelled, 0, code)
            if child >= 0:
                self._walk_below(at, spelled, grid, child, start)
                rows.append(np.arange(low[child], high[child]))
        items = np.concatenate(rows).astype(np.intp)
        changed[items] = self._of_items(at, spelled, grid, items)
        return changed

    def _walk_below(self, at: Ints, spelled: Spelled, grid: Grid, child: int, start: int) -> None:
        """Find the effects at the nodes from a child of the root on."""
        open_, effects = np.array([child]), np.array([start], dtype=np.int32)
        firsts = spelled.tables.first
        while len(open_):
            effects = self.follow(effects, grid.signs[open_])
            at[open_] = effects
            open_, effects = open_[effects > 0], effects[effects > 0]
            counts = firsts[open_ + 1] - firsts[open_]
            effects = np.repeat(effects, counts)
            begin = np.repeat(firsts[open_] - np.cumsum(counts) + counts, counts)
            open_ = begin + np.arange(len(begin))

    def _of_items(self, at: Ints, spelled: Spelled, grid: Grid, items: NDArray[np.intp]) -> Ints:
        """Return the effects of some items, by those at their nodes."""
        found = at[grid.owners[items]]
        cut = np.flatnonzero(grid.is_cut[items] & (found > 0))
        keys = found[cut].astype(np.int64) << 32 | spelled.tables.begun[items[cut]]
        distinct, which = np.unique(keys, return_inverse=True)
        leads = [self.leads_on(k >> 32, spelled, k & 0xFFFFFFFF) for k in distinct.tolist()]
        found[cut[~np.array(leads, dtype=np.bool_)[which]]] = 0
        return found


def _tabulate(asks: list[tuple[int, int, bool, bool, int, int]]) -> Possible:
    outer, repeated, is_asked, is_final, n_groups, most = zip(*asks, strict=True)
    return Possible(
        np.array(outer, dtype=np.int32),
        np.array(repeated, dtype=np.int64),
        np.array(is_asked, dtype=np.bool_),
        np.array(is_final, dtype=np.bool_),
        np.array(n_groups, dtype=np.int64),
        np.array(most, dtype=np.int64),
    )


def base_of(lex: Lex) -> tuple[Lex, Iterable[int]]:
    """Return after what nearly the same may come, and the characters with which it differs.

    After the hyphen of a range it differs with those before the range's first one, too.
    """
    kind = lex[0]
    if kind in (ZERO, NUMBER):
        return _AFTER_ATOM, _DIGITS
    if kind == OUT and lex != _AFTER_ATOM:
        return _AFTER_ATOM, _QUANTIFIERS
    if kind == START_CLASS:
        return _EMPTY_CLASS, _CARET
    if kind == ZERO_CLASS:
        return _EMPTY_CLASS, (*_DIGITS, _HYPHEN)
    if kind == CLASS and lex != _EMPTY_CLASS:
        return _EMPTY_CLASS, (_HYPHEN, _BACKSLASH)
    if kind == DASH and lex[1] > 0:
        return (DASH, 0), (_BACKSLASH, _BRACKET)
    return lex, ()


def without_name(lex: Lex) -> Lex:
    """Return what is under way without the name that is, but for whether it is empty."""
    if lex[0] == NAME and lex[2]:
        return (NAME, lex[1], None)
    return tuple(without_name(part) if isinstance(part, tuple) else part for part in lex)


_SHARED = (Effects, "of a vocabulary")


def effects_of(index: TokenIndex) -> Effects:
    """Return the effects of a vocabulary."""
    found: Effects | None = index.shared.get(_SHARED)
    if found is None or found.is_full:
        found = Effects()
        index.shared.keep(_SHARED, found)
    return found
