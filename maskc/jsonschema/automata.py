"""Automata over characters, put together: both, all others, those of some lengths or texts.

Strings that a reader of a format reads, too, are stepped with it: where both come to finitely many
states, as those of digits and dots do with the format regex, no reader is left. Beyond
``_MOST_READ`` states, or with characters beside ASCII that are not single ones, since others need
not be alike for the reader, there is a :class:`CustomFormatError`.

Example: the product of ``^a`` and its complement has no accepting state, and is empty.

Limits: those of :mod:`maskc.jsonschema.exploring`.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from maskc.jsonschema.exploring import (
    MAX_STATES,
    NONE,
    CustomFormatError,
    TooLargeError,
    explore,
    find_default,
    merge_starts,
)
from maskc.jsonschema.products import combine
from maskc.regular.charset import MAX_CODE_POINT
from maskc.runtime.schema.plan.custom import CustomStrings
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import TooManyStatesError, build_texts

_MOST_AT_ONCE: Final = 8  # more are intersected in groups
ALL: Final = CharDfa([0], [0], [DEAD, 1], [{}, {}], [NO_LABEL, 0], 1)


def relabel(dfa: CharDfa, label: Callable[[int], int]) -> CharDfa:
    """Return an automaton with other labels, without the states that no longer lead to one.

    It need not be minimal: it is as large as the automaton at most.
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


def with_reader(dfa: CharDfa, name: str = "") -> CharDfa:
    """Return an automaton of whose strings a reader reads the rest, or of which none does."""
    return CharDfa(dfa.starts, dfa.classes, dfa.defaults, dfa.rows, dfa.labels, dfa.start, name)


def complement(dfa: CharDfa) -> CharDfa:
    return combine([dfa], lambda labels: 0 if labels[0] == NO_LABEL else NO_LABEL)


def intersect(parts: Sequence[CharDfa]) -> CharDfa:
    """Return the automaton of the strings that all accept.

    Raises:
        TooLargeError: it has too many states.
        CustomFormatError: one leaves strings to a reader, and others take only some of them.
    """
    read = dict.fromkeys(part for part in parts if part.reader)
    if read:
        return _intersect_read(*read, others=[part for part in parts if not part.reader])
    known = [part for part in parts if not part.is_universal]
    if not known:
        return ALL
    while len(known) > _MOST_AT_ONCE:
        known = [*known[_MOST_AT_ONCE:], intersect(known[:_MOST_AT_ONCE])]
    if len(known) == 1:
        return known[0]
    return combine(known, lambda labels: NO_LABEL if NO_LABEL in labels else 0, needs_all=True)


def _intersect_read(*read: CharDfa, others: Sequence[CharDfa]) -> CharDfa:
    """Return the same where some leave strings to a reader."""
    bare = [with_reader(dfa) for dfa in read]
    both = intersect([*bare, *others])
    if both.start == DEAD:
        return NONE
    if (
        len(read) == 1
        and intersect([both, bare[0]]).digest == complement(complement(bare[0])).digest
    ):
        return read[0]
    if len(read) == 1:
        return restrict(intersect(others), read[0])
    raise CustomFormatError(read[0].reader)


def prepend(head: str, rest: CharDfa) -> CharDfa | None:
    """Return the minimal automaton of the strings of one after a head.

    Args:
        rest: minimal.

    Returns:
        ``None`` if the last state of the head were one of the rest's.

    Raises:
        TooLargeError: it has too many states.
    """
    codes = [ord(character) for character in head]
    if rest is NONE:
        return rest
    return None if _has_last(rest, codes[-1]) else _prepend(codes, rest)


def _has_last(rest: CharDfa, code: int) -> bool:
    """Return whether a state of the rest is what the head's last one is."""
    for row, default, label in zip(rest.rows, rest.defaults, rest.labels, strict=True):
        if label == NO_LABEL and default == DEAD:
            live = [kind for kind, target in row.items() if target != DEAD]
            if len(live) == 1 and row[live[0]] == rest.start:
                return rest.ranges_of(live) == [(code, code + 1)]
    return False


def _prepend(head: Sequence[int], rest: CharDfa) -> CharDfa:
    n, codes = len(head), set(head)
    if n + rest.n_states > MAX_STATES:
        raise TooLargeError
    starts = merge_starts([rest.starts, [*codes], [code + 1 for code in codes - {MAX_CODE_POINT}]])
    # Each class of the rest, without the head's characters, and each of these.
    kinds = [
        (rest.classes[bisect_right(rest.starts, low) - 1], low if low in codes else -1)
        for low in starts
    ]
    number_of = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    finer = dict[int, list[int]]()
    kind_of = dict[int, int]()
    for (own, code), number in number_of.items():
        finer.setdefault(own, []).append(number)
        kind_of[code] = number
    shifted = [DEAD, *range(n + 1, n + len(rest.labels))]
    chain = [{kind_of[code]: state} for state, code in enumerate(head, 2)]
    rows, defaults = [{}, *chain], [DEAD] * (n + 1)
    for given, other in zip(rest.rows[1:], rest.defaults[1:], strict=True):
        row = [shifted[other]] * len(number_of)
        for own, target in given.items():
            for kind in finer[own]:
                row[kind] = shifted[target]
        default = find_default(row)
        defaults.append(default)
        rows.append({kind: target for kind, target in enumerate(row) if target != default})
    return CharDfa(
        starts,
        [number_of[kind] for kind in kinds],
        defaults,
        rows,
        [*[NO_LABEL] * (n + 1), *rest.labels[1:]],
        1,
    )


def of_texts(texts: Sequence[str], other: int = NO_LABEL) -> CharDfa:
    """Return the automaton that labels each of some different texts with its index.

    Raises:
        TooLargeError: it has too many states.
    """
    if not texts and other == NO_LABEL:
        return NONE
    if not texts:
        return ALL if other == 0 else CharDfa([0], [0], [DEAD, 1], [{}, {}], [NO_LABEL, other], 1)
    return _build(texts, range(len(texts)), other)


def only_texts(texts: Sequence[str]) -> CharDfa:
    """Return the automaton that accepts some different texts and nothing else.

    Raises:
        TooLargeError: it has too many states.
    """
    return _build(texts, [0] * len(texts), NO_LABEL) if texts else NONE


def _build(texts: Sequence[str], labels: Sequence[int], other: int) -> CharDfa:
    try:
        return build_texts(texts, labels, other)
    except TooManyStatesError:
        raise TooLargeError from None


def list_strings(
    dfa: CharDfa, most: int, *, label: int | None = None, low: int = 0, high: int | None = None
) -> list[str] | None:
    """Return the strings of some lengths that an automaton accepts, ``None`` if they are too many.

    Args:
        most: how many are not too many.
        label: of the strings, of which there are finitely many; ``None``: any.
    """
    if label is None and high is None and dfa.is_infinite(dfa.start):
        return None
    wanted = set(dfa.labels) - {NO_LABEL} if label is None else {label}
    ends = {state for state, own in enumerate(dfa.labels) if own in wanted}
    leading = dfa.leading_to(ends)
    found, length = list[str](), 0
    level = [(dfa.start, "")] if dfa.start in leading else []
    while level and (high is None or length <= high):
        found += [text for state, text in level if state in ends and length >= low]
        after = list[tuple[int, str]]()
        left = None if high is None else high - length - 1
        for state, text in level:
            for first, last, target in _moves(dfa, state):
                if target not in leading or not dfa.accepts_length(target, low - length - 1, left):
                    continue
                if last - first > most:
                    return None
                after += [(target, text + chr(c)) for c in range(first, last)]
        if max(len(after), len(found)) > most:
            return None
        level, length = after, length + 1
    return sorted(found)


def _moves(dfa: CharDfa, state: int) -> Iterator[tuple[int, int, int]]:
    """Yield ranges of characters without their ends, and the live states that they lead to."""
    row, default = dfa.rows[state], dfa.defaults[state]
    for kind in row if default == DEAD else dict.fromkeys(dfa.classes):
        target = row.get(kind, default)
        for low, high in dfa.ranges_of([kind]) if target != DEAD else ():
            # Halves of surrogate pairs are no characters.
            for first, last in ((low, min(high, 0xD800)), (max(low, 0xE000), high)):
                if first < last:
                    yield first, last, target


def of_length(least: int, most: int | None) -> CharDfa:
    """Return the automaton of the strings of so many characters.

    Raises:
        TooLargeError: it has too many states.
    """
    n = least if most is None else most + 1
    if n > MAX_STATES:
        raise TooLargeError

    def step(length: int, _: int) -> int:
        return min(length + 1, n)

    def label(length: int) -> int:
        return 0 if length >= least and (most is None or length <= most) else NO_LABEL

    return explore([0], 0, step, label)


_MOST_READ: Final = 1_000
_N_ASCII: Final = 0x80


def restrict(dfa: CharDfa, read: CharDfa) -> CharDfa:
    """Return the automaton of the strings of one that another one and its reader accept.

    Raises:
        CustomFormatError: there may be none.
        FormatError: there is no such reader, or it fails.
    """
    strings, seen = CustomStrings(read), set[Hashable]()
    starts = merge_starts([dfa.starts, read.starts, range(_N_ASCII + 1)])
    alone = {code for code, after in itertools.pairwise(starts) if after == code + 1}

    def step(state: tuple[int, tuple[int, Any]], character: int) -> Hashable:
        at, here = state
        target = dfa.step(at, character)
        if target == DEAD:
            return None
        if character >= _N_ASCII and character not in alone:
            raise CustomFormatError(read.reader)
        after = strings.step(*here, character)
        if after is None:
            return None
        made = (target, after)
        seen.add(made)
        if len(seen) > _MOST_READ:
            raise CustomFormatError(read.reader)
        return made

    def label(state: tuple[int, tuple[int, Any]]) -> int:
        at, here = state
        return dfa.labels[at] if strings.may_end(*here) else NO_LABEL

    return explore(starts, (dfa.start, strings.begin[:2]), step, label)
