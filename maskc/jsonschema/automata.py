"""Automata over characters: made from a stepping function, trimmed, minimised, and put together.

Everything here ends in one place, :func:`explore`: the states that a function reaches, over a
partition of the characters into classes, become a minimal :class:`CharDfa`.

Example: the product of ``^a`` and its complement has no accepting state, and is empty.

Limits: more states than ``MAX_STATES``, or more than ``MAX_WORK`` steps of single automata to find
them, are refused (``TooLargeError``, which the caller turns into a
:class:`maskc.errors.SchemaError` with the place).
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from maskc.budget import poll
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import TooManyStatesError, build_texts

MAX_STATES = 20_000
MAX_WORK = 40_000_000
_MOST_AT_ONCE = 8  # more are intersected in groups
_POLL_EVERY = 64  # states
LAST = 0x10FFFF


class TooLargeError(Exception):
    """An automaton has more states than the bound."""


class HostedError(Exception):
    """Host names of a kind would have to be combined with something else."""


ALL = CharDfa([0], [0], [DEAD, 1], [{}, {}], [NO_LABEL, 0], 1)
NONE = CharDfa([0], [0], [DEAD], [{}], [NO_LABEL], DEAD)


def explore(
    starts: Sequence[int],
    begin: Hashable,
    step: Callable[[Hashable, int], Hashable],
    label: Callable[[Hashable], int],
    kinds: Sequence[Hashable] | None = None,
    *,
    n_parts: int = 1,
) -> CharDfa:
    """Return the minimal automaton of a stepping function.

    Args:
        starts: where each range of characters starts; all of a range are stepped alike.
        begin: the first state.
        step: state and the first character of a range → state; ``None`` is dead.
        label: state → its label, ``NO_LABEL`` if it does not accept.
        kinds: of each range; those with an equal kind are stepped alike, too.
        n_parts: how many automata one step moves.

    Raises:
        TooLargeError: it has too many states, or finding them takes too many steps.
    """
    first_of: dict[Hashable, int] = {}
    for n, low in enumerate(starts):
        first_of.setdefault(n if kinds is None else kinds[n], low)
    column_of = {kind: n for n, kind in enumerate(first_of)}
    columns = [column_of[n if kinds is None else kinds[n]] for n in range(len(starts))]
    characters = list(first_of.values())

    def follow(state: Hashable) -> Iterable[Hashable]:
        return [step(state, character) for character in characters]

    return explore_rows(starts, columns, len(characters), begin, follow, label, n_parts)


def explore_rows(
    starts: Sequence[int],
    columns: Sequence[int],
    n_columns: int,
    begin: Hashable,
    follow: Callable[[Hashable], Iterable[Hashable]],
    label: Callable[[Hashable], int],
    n_parts: int,
) -> CharDfa:
    """Return the minimal automaton of a function from a state to those after each column.

    Args:
        starts: where each range of characters starts.
        columns: of each range; those of one are stepped alike.
        n_columns: how many there are.
        begin: the first state.
        follow: state → those after each column; ``None`` is dead.
        label: state → its label, ``NO_LABEL`` if it does not accept.
        n_parts: how many automata one step moves.

    Raises:
        TooLargeError: it has too many states, or finding them takes too many steps.
    """
    number: dict[Hashable, int] = {None: DEAD, begin: 1}
    order: list[Hashable] = [begin]
    table: list[list[int]] = []
    most = min(MAX_STATES, MAX_WORK // max(n_parts * n_columns, 1))
    for state in order:
        if not len(table) % _POLL_EVERY:
            poll()
        row = []
        for after in follow(state):
            target = number.get(after)
            if target is None:
                target = number[after] = len(order) + 1
                order.append(after)
                if len(order) > most:
                    raise TooLargeError
            row.append(target)
        table.append(row)
    labels = [label(state) for state in order]
    return _minimise(starts, columns, [[DEAD] * n_columns, *table], [NO_LABEL, *labels])


def _minimise(
    starts: Sequence[int], columns: Sequence[int], table: list[list[int]], labels: list[int]
) -> CharDfa:
    """Return the minimal automaton; state 0 is dead, 1 the start."""
    before: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for target in set(row):
            before[target].append(state)
    live = _find_live(before, labels)
    if not live[1]:
        return NONE
    block = [labels[s] + 2 if live[s] else 0 for s in range(len(table))]
    _refine(table, before, block)
    return _number(starts, columns, table, labels, block)


def _refine(table: list[list[int]], before: list[list[int]], block: list[int]) -> None:
    """Split blocks of states until those of one block lead to the same blocks.

    A part of each block keeps its number, and only states that lead to one with another number
    are looked at again: a chain of a thousand states takes a thousand steps, not a million.

    Args:
        table: state → the states after it.
        before: state → those that lead to it.
        block: state → the number of its block, 0 for the dead ones; it is written to.
    """
    size = Counter(block)
    n_numbers = max(block) + 1
    changed: Iterable[int] = range(len(table))
    while changed:
        poll()
        parts: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for state in changed:
            if block[state]:
                signature = tuple(map(block.__getitem__, table[state]))
                parts.setdefault(block[state], {}).setdefault(signature, []).append(state)
        moved: list[int] = []
        for number, found in parts.items():
            leaving = sorted(found.values(), key=len)
            # Those that were not looked at lead elsewhere than all that were, and stay.
            if sum(map(len, leaving)) == size[number]:
                leaving.pop()
            for part in leaving:
                size[number] -= len(part)
                size[n_numbers] = len(part)
                for state in part:
                    block[state] = n_numbers
                n_numbers += 1
                moved += part
        changed = {earlier for state in moved for earlier in before[state]}


def _find_live(before: list[list[int]], labels: list[int]) -> list[bool]:
    """Return for each state whether it leads to one that accepts."""
    live = [False] * len(before)
    open_ = [state for state, label in enumerate(labels) if label != NO_LABEL]
    while open_:
        state = open_.pop()
        if not live[state]:
            live[state] = True
            open_ += before[state]
    return live


def _number(
    starts: Sequence[int],
    columns: Sequence[int],
    table: list[list[int]],
    labels: list[int],
    block: list[int],
) -> CharDfa:
    """Return the automaton of blocks, numbered as they are reached, its classes merged."""
    member: dict[int, int] = {}
    for state, number in enumerate(block):
        member.setdefault(number, state)
    order, number_of = [block[1]], {0: 0, block[1]: 1}
    rows: list[list[int]] = []
    for here in order:
        row = []
        for target in table[member[here]]:
            after = block[target]
            if after not in number_of:
                number_of[after] = len(order) + 1
                order.append(after)
            row.append(number_of[after])
        rows.append(row)
    distinct: dict[tuple[int, ...], int] = {}
    merged = [
        distinct.setdefault(tuple(row[i] for row in rows), len(distinct))
        for i in range(len(table[0]))
    ]
    kinds = [merged[column] for column in columns]
    merged_starts, merged_kinds = [], list[int]()
    for low, kind in zip(starts, kinds, strict=True):
        if not merged_kinds or merged_kinds[-1] != kind:
            merged_starts.append(low)
            merged_kinds.append(kind)
    by_kind = list(distinct)
    defaults, sparse = [DEAD], [dict[int, int]()]
    for i in range(len(rows)):
        row = [column[i] for column in by_kind]
        default = max(sorted(set(row)), key=row.count)
        defaults.append(default)
        sparse.append({kind: target for kind, target in enumerate(row) if target != default})
    final = [NO_LABEL, *(labels[member[here]] for here in order)]
    return CharDfa(merged_starts, merged_kinds, defaults, sparse, final, 1)


def merge_starts(parts: Iterable[Sequence[int]]) -> list[int]:
    """Return a partition as fine as all of several.

    >>> merge_starts([[0, 97, 98], [0, 98]])
    [0, 97, 98]
    """
    return sorted({0}.union(*parts))


def combine(
    parts: Sequence[CharDfa],
    label: Callable[[tuple[int, ...]], int],
    *,
    needs_all: bool = False,
) -> CharDfa:
    """Return the product of automata.

    Args:
        parts: run side by side.
        label: their labels at the end of a string → the label of the product.
        needs_all: whether a string that one of them has no use for has no label.

    Raises:
        TooLargeError: it has too many states.
        HostedError: one leaves host names free.
    """
    if any(part.hosts for part in parts):
        raise HostedError
    starts = merge_starts(part.starts for part in parts)
    kinds = [
        tuple(part.classes[bisect_right(part.starts, low) - 1] for part in parts) for low in starts
    ]
    column_of = {kind: n for n, kind in enumerate(dict.fromkeys(kinds))}
    columns = [column_of[kind] for kind in kinds]
    rows = [
        _Rows(part, list(own))
        for part, own in zip(parts, zip(*column_of, strict=True), strict=True)
    ]

    def follow(state: Hashable) -> Iterable[Hashable]:
        if not isinstance(state, tuple):
            raise TypeError
        found = zip(*(part[s] for part, s in zip(rows, state, strict=True)), strict=True)
        return (None if DEAD in after else after for after in found) if needs_all else found

    def of(state: Hashable) -> int:
        if not isinstance(state, tuple):
            raise TypeError
        return label(tuple(part.labels[s] for part, s in zip(parts, state, strict=True)))

    begin = tuple(part.start for part in parts)
    return explore_rows(starts, columns, len(column_of), begin, follow, of, len(parts))


class _Rows(dict[int, list[int]]):
    """The states after each column, made when they are asked for.

    Args:
        dfa: whose they are.
        kinds: of each column, the class.
    """

    def __init__(self, dfa: CharDfa, kinds: list[int]) -> None:
        self._dfa, self._kinds = dfa, kinds

    def __missing__(self, state: int) -> list[int]:
        row, default = self._dfa.rows[state], self._dfa.defaults[state]
        found = self[state] = [row.get(kind, default) for kind in self._kinds]
        return found


def relabel(dfa: CharDfa, label: Callable[[int], int]) -> CharDfa:
    """Return an automaton with other labels, without the states that no longer lead to one.

    It need not be minimal: it is as large as the automaton at most.

    Args:
        dfa: the automaton.
        label: a label → another one, or ``NO_LABEL``.
    """
    labels = [label(old) if old != NO_LABEL else NO_LABEL for old in dfa.labels]
    live = dfa.leading_to(state for state, kept in enumerate(labels) if kept != NO_LABEL)
    if dfa.start not in live:
        return NONE
    order, number = [DEAD, dfa.start], {DEAD: DEAD, dfa.start: 1}
    rows, defaults = [dict[int, int]()], [DEAD]

    def enter(state: int) -> int:
        if state not in live:
            return DEAD
        if state not in number:
            number[state] = len(order)
            order.append(state)
        return number[state]

    for state in itertools.islice(order, 1, None):  # it grows meanwhile
        default = enter(dfa.defaults[state])
        entered = ((kind, enter(target)) for kind, target in sorted(dfa.rows[state].items()))
        defaults.append(default)
        rows.append({kind: target for kind, target in entered if target != default})
    return CharDfa(dfa.starts, dfa.classes, defaults, rows, [labels[s] for s in order], 1)


def complement(dfa: CharDfa) -> CharDfa:
    """Return the automaton of all other strings."""
    return combine([dfa], lambda labels: 0 if labels[0] == NO_LABEL else NO_LABEL)


def intersect(parts: Sequence[CharDfa]) -> CharDfa:
    """Return the automaton of the strings that all accept.

    Raises:
        TooLargeError: it has too many states.
        HostedError: one leaves host names free, and others take only some of them.
    """
    hosted = dict.fromkeys(part for part in parts if part.hosts)
    if hosted:
        return _intersect_hosted(*hosted, others=[part for part in parts if not part.hosts])
    known = [part for part in parts if not part.is_universal]
    if not known:
        return ALL
    while len(known) > _MOST_AT_ONCE:
        known = [*known[_MOST_AT_ONCE:], intersect(known[:_MOST_AT_ONCE])]
    if len(known) == 1:
        return known[0]
    return combine(known, lambda labels: NO_LABEL if NO_LABEL in labels else 0, needs_all=True)


def _intersect_hosted(*hosted: CharDfa, others: Sequence[CharDfa]) -> CharDfa:
    """Return the same where some leave host names free, if it is one of them, or nothing."""
    bare = [CharDfa(d.starts, d.classes, d.defaults, d.rows, d.labels, d.start) for d in hosted]
    both = intersect([*bare, *others])
    if both.start == DEAD:
        return NONE
    if (
        len(hosted) == 1
        and intersect([both, bare[0]]).digest == complement(complement(bare[0])).digest
    ):
        return hosted[0]
    raise HostedError


def of_texts(texts: Sequence[str], other: int = NO_LABEL) -> CharDfa:
    """Return the automaton that labels each of some different texts with its place.

    Args:
        texts: accepted, each with its own label.
        other: the label of every other text.

    Raises:
        TooLargeError: it has too many states.
    """
    if not texts and other == NO_LABEL:
        return NONE
    if not texts:
        return ALL if other == 0 else CharDfa([0], [0], [DEAD, 1], [{}, {}], [NO_LABEL, other], 1)
    try:
        return build_texts(texts, range(len(texts)), other)
    except TooManyStatesError:
        raise TooLargeError from None


def list_strings(dfa: CharDfa, most: int) -> list[str] | None:
    """Return the strings that an automaton accepts, ``None`` if they are more than ``most``."""
    n_strings = dfa.n_strings(dfa.start)
    if n_strings is None or n_strings > most:
        return None
    found, open_ = list[str](), [(dfa.start, "")]
    every = set(dfa.classes)
    while open_:
        state, text = open_.pop()
        if dfa.labels[state] != NO_LABEL:
            found.append(text)
        row, default = dfa.rows[state], dfa.defaults[state]
        for kind in every:
            target = row.get(kind, default)
            if target == DEAD:
                continue
            for low, high in dfa.ranges_of({kind}):
                open_ += [
                    (target, text + chr(c)) for c in range(low, high) if not 0xD800 <= c < 0xE000
                ]
    return sorted(found)


def of_length(least: int, most: int | None) -> CharDfa:
    """Return the automaton of the strings of so many characters.

    Raises:
        TooLargeError: it has too many states.
    """
    n = least if most is None else most + 1
    if n > MAX_STATES:
        raise TooLargeError

    def step(state: Hashable, _: int) -> Hashable:
        length = state if isinstance(state, int) else 0
        return min(length + 1, n)

    def label(state: Hashable) -> int:
        length = state if isinstance(state, int) else 0
        return 0 if length >= least and (most is None or length <= most) else NO_LABEL

    return explore([0], 0, step, label)


class CharSet:
    """A set of characters as ascending, disjoint, inclusive ranges."""

    __slots__ = ("_lows", "ranges")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        self.ranges = tuple(merged)
        self._lows = [low for low, _ in merged]

    def __contains__(self, character: int) -> bool:
        place = bisect_right(self._lows, character) - 1
        return place >= 0 and character <= self.ranges[place][1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharSet) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return hash(self.ranges)

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet((*self.ranges, *other.ranges))

    def negate(self) -> CharSet:
        """Return all other characters."""
        found, start = [], 0
        for low, high in self.ranges:
            if start < low:
                found.append((start, low - 1))
            start = high + 1
        if start <= LAST:
            found.append((start, LAST))
        return CharSet(found)

    @property
    def starts(self) -> list[int]:
        """Where a character is in the set and the one before is not, or the other way round."""
        cuts = {0}
        for low, high in self.ranges:
            cuts.add(low)
            if high < LAST:
                cuts.add(high + 1)
        return sorted(cuts)
