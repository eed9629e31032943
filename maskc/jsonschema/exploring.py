"""The minimal automaton of a stepping function, over a partition of the characters into classes.

The states that the function reaches are found, those that lead nowhere go, and those that cannot be
told apart become one :class:`CharDfa`. Whatever makes an automaton of strings ends here.

Example: stepping by *is it an a?* has two classes, a and all others.

Limits: more states than ``MAX_STATES``, or more than ``MAX_WORK`` steps to find them, are refused
(``TooLargeError``, which the caller turns into a :class:`maskc.errors.SchemaError` with the JSON
pointer).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Final

from maskc.budget import poll
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa, find_nearest

MAX_STATES = 20_000
MAX_WORK = 40_000_000
POLL_EVERY: Final = 64  # states


class TooLargeError(Exception):
    """An automaton has more states than the bound."""


class CustomFormatError(Exception):
    """What a reader reads would have to be combined with something else."""

    def __init__(self, format: str) -> None:  # noqa: A002  # the keyword
        super().__init__(format)
        self.format = format


NONE: Final = CharDfa([0], [0], [DEAD], [{}], [NO_LABEL], DEAD)


def explore(
    starts: Sequence[int],
    begin: Hashable,
    step: Callable[[Any, int], Hashable],
    label: Callable[[Any], int],
    kinds: Sequence[Hashable] | None = None,
) -> CharDfa:
    """Return the minimal automaton of a stepping function.

    Args:
        starts: where each range of characters starts; all of a range are stepped alike.
        step: state and the first character of a range → state; ``None`` is dead.
        label: state → its label, ``NO_LABEL`` if it does not accept.
        kinds: of each range; those with an equal kind are stepped alike, too.

    Raises:
        TooLargeError: it has too many states, or finding them takes too many steps.
    """
    first_of: dict[Hashable, int] = {}
    for n, low in enumerate(starts):
        first_of.setdefault(n if kinds is None else kinds[n], low)
    column_of = {kind: n for n, kind in enumerate(first_of)}
    columns = [column_of[n if kinds is None else kinds[n]] for n in range(len(starts))]
    characters = list(first_of.values())

    def follow(state: Any, numbers: StateNumbers) -> list[int]:
        return numbers.row([step(state, character) for character in characters])

    return explore_rows(starts, columns, len(characters), begin, follow, label)


def explore_rows(
    starts: Sequence[int],
    columns: Sequence[int],
    n_columns: int,
    begin: Hashable,
    follow: Callable[[Any, StateNumbers], list[int]],
    label: Callable[[Any], int],
) -> CharDfa:
    """Return the minimal automaton of a function from a state to those after each column.

    Args:
        columns: of each range; those of one are stepped alike.
        follow: state, numbers of states → the numbers of those after each column.

    Raises:
        TooLargeError: it has too many states, or finding them takes too many steps.
    """
    states = StateNumbers(begin, min(MAX_STATES, MAX_WORK // max(n_columns, 1)))
    states.of[None] = DEAD
    table = [[DEAD] * n_columns]
    for state in states.order:
        if not len(table) % POLL_EVERY:
            poll()
        table.append(follow(state, states))
    return minimise(starts, columns, table, [NO_LABEL, *map(label, states.order)])


class StateNumbers:
    """Numbers states in the order in which they are met, from 1 on; ``None`` is dead."""

    def __init__(self, begin: Hashable, most: int) -> None:
        self.of: dict[Hashable, int] = {begin: 1}
        self.order: list[Any] = [begin]
        self._most = most

    def row(self, states: Sequence[Hashable]) -> list[int]:
        """Return the numbers of some states.

        Raises:
            TooLargeError: there are too many.
        """
        numbers = self.of
        for state in states:
            if state not in numbers:
                if len(self.order) >= self._most:
                    raise TooLargeError
                self.order.append(state)
                numbers[state] = len(self.order)
        return [numbers[state] for state in states]


def minimise(
    starts: Sequence[int], columns: Sequence[int], table: list[list[int]], labels: list[int]
) -> CharDfa:
    """Return the minimal automaton; state 0 is dead, 1 the start."""
    before: list[list[int]] = [[] for _ in table]
    for state, row in enumerate(table):
        for target in set(row):
            before[target].append(state)
    distance = find_nearest(before, labels)
    if distance[1] < 0:
        return NONE
    # By their labels, and by how far the next states are that accept and that are dead, states are
    # told apart at once: passes of a count differ in what is left of them.
    dying = find_nearest(before, [0 if far < 0 else NO_LABEL for far in distance])
    numbers: dict[tuple[int, int, int], int] = {}
    block = [
        0 if far < 0 else numbers.setdefault((far, end, label), len(numbers) + 1)
        for far, end, label in zip(distance, dying, labels, strict=True)
    ]
    _refine(table, before, block)
    return _number(starts, columns, table, labels, block)


def _refine(table: list[list[int]], before: list[list[int]], block: list[int]) -> None:
    """Split blocks of states until those of one block lead to the same blocks.

    A part of each block keeps its number, and only states that lead to one with another number
    are looked at again: a chain of a thousand states takes a thousand steps, not a million.

    Args:
        block: state → the number of its block, 0 for the dead ones; it is written to.
    """
    size = Counter(block)
    n_numbers = max(block) + 1
    changed: Iterable[int] = [state for state, number in enumerate(block) if size[number] > 1]
    signature_of = [itemgetter(*row) for row in table] if changed else []
    while changed:
        poll()
        parts: dict[int, dict[Hashable, list[int]]] = {}
        for state in changed:
            if block[state]:
                signature = signature_of[state](block)
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


def _number(
    starts: Sequence[int],
    columns: Sequence[int],
    table: list[list[int]],
    labels: list[int],
    block: list[int],
) -> CharDfa:
    """Return the automaton of blocks, numbered as they are reached, its classes merged."""
    member: dict[Hashable, int] = {}
    for state, number in enumerate(block):
        member.setdefault(number, state)
    numbers = StateNumbers(block[1], len(member))
    numbers.of[0] = DEAD
    rows: list[list[int]] = []
    for kept in numbers.order:  # it grows meanwhile
        rows.append(numbers.row([block[target] for target in table[member[kept]]]))
    distinct: dict[tuple[int, ...], int] = {}
    merged = [distinct.setdefault(column, len(distinct)) for column in zip(*rows, strict=True)]
    kinds = [merged[column] for column in columns]
    merged_starts, merged_kinds = [], list[int]()
    for low, kind in zip(starts, kinds, strict=True):
        if not merged_kinds or merged_kinds[-1] != kind:
            merged_starts.append(low)
            merged_kinds.append(kind)
    defaults, sparse = [DEAD], [dict[int, int]()]
    for row in zip(*distinct, strict=True):
        default = find_default(row)
        defaults.append(default)
        sparse.append({kind: target for kind, target in enumerate(row) if target != default})
    final = [NO_LABEL, *(labels[member[number]] for number in numbers.order)]
    return CharDfa(merged_starts, merged_kinds, defaults, sparse, final, 1)


def find_default(row: Iterable[int]) -> int:
    """Return what is most often in a row; of several the least."""
    counts: dict[int, int] = {}
    for target in row:
        counts[target] = counts.get(target, 0) + 1
    found, most = DEAD, 0
    for target, count in counts.items():
        if count > most or count == most and target < found:
            found, most = target, count
    return found


def merge_starts(parts: Iterable[Sequence[int]]) -> list[int]:
    """Return a partition as fine as all of several.

    >>> merge_starts([[0, 97, 98], [0, 98]])
    [0, 97, 98]
    """
    return sorted({0}.union(*parts))


def refine_classes(parts: Sequence[CharDfa]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return where ranges of characters start that no automaton cuts, and their class in each."""
    starts = merge_starts(part.starts for part in parts)
    columns = []
    for part in parts:
        known, classes = list(part.starts), list(part.classes)
        n, n_last, column = 0, len(known) - 1, list[int]()
        for low in starts:
            while n < n_last and known[n + 1] <= low:
                n += 1
            column.append(classes[n])
        columns.append(column)
    return starts, list(zip(*columns, strict=True))
