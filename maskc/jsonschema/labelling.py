"""The automaton that labels each string by what several automata say of it.

A state is the tuple of the *live* states, those that some rest of the string leads from to an
accepting one. Of an object's names and the patterns of its keys a key soon has one left, and what
leads on from there is what the automaton of that one says: the product takes a fifth of the work
that :func:`maskc.jsonschema.automata.combine` does for every tuple.

Example: of the names ``a`` and ``b`` and the pattern ``^x-``, the key ``x-1`` has the pattern left,
and the key ``c`` nothing.

Limits: those of :mod:`maskc.jsonschema.exploring`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from maskc.budget import poll
from maskc.jsonschema.automata import CustomFormatError
from maskc.jsonschema.exploring import (
    MAX_STATES,
    MAX_WORK,
    POLL_EVERY,
    StateNumbers,
    refine_classes,
)
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa


def label_strings(parts: Sequence[CharDfa], label: Callable[[tuple[int, ...]], int]) -> CharDfa:
    """Return the automaton that gives every string a label.

    Two of its states differ in a state of one automaton, and where that is minimal some rest of a
    string tells them apart; so it is minimal, too, where ``label`` keeps all tuples apart.

    Args:
        parts: one or more.
        label: what they say at the end of a string, ``NO_LABEL`` where one does not accept it →
            its label.

    Raises:
        CustomFormatError: one leaves strings to a reader.
        TooLargeError: it has too many states.
    """
    for part in parts:
        if part.reader:
            raise CustomFormatError(part.reader)
    starts, kinds = refine_classes(parts)
    number_of = {kind: n for n, kind in enumerate(dict.fromkeys(kinds))}
    live = _LiveStates(parts, list(number_of))
    most = min(MAX_STATES, MAX_WORK // (len(parts) * len(number_of)))
    states = StateNumbers(live.begin, most)
    known: dict[tuple[int, ...], int] = {}
    rows, defaults, labels = [dict[int, int]()], [DEAD], [NO_LABEL]
    for state in states.order:  # it grows meanwhile
        if not len(rows) % POLL_EVERY:
            poll()
        own = live.labels(state)
        if own not in known:
            known[own] = label(own)
        labels.append(known[own])
        numbered, targets = live.follow(state)
        default, *others = states.row(targets)
        row = zip(numbered, others, strict=True)
        rows.append({kind: target for kind, target in row if target != default})
        defaults.append(default)
    return CharDfa(starts, [number_of[kind] for kind in kinds], defaults, rows, labels, 1)


# Live states, each by a number of its own: the state times the number of automata, and which.
_Live = tuple[int, ...]


class _LiveStates:
    """Tuples of live states, and those that they lead to.

    Args:
        kinds: the class of each automaton for each common class of characters.

    Attributes:
        begin: the tuple before a string.
    """

    def __init__(self, parts: Sequence[CharDfa], kinds: Sequence[tuple[int, ...]]) -> None:
        self._parts, self._n_parts, self._n_kinds = parts, len(parts), len(kinds)
        self._finer: list[dict[int, list[int]]] = []
        for n in range(len(parts)):
            finer = dict[int, list[int]]()
            for number, kind in enumerate(kinds):
                finer.setdefault(kind[n], []).append(number)
            self._finer.append(finer)
        self._rows: dict[int, tuple[dict[int, int], int]] = {}
        self.begin: _Live = tuple(
            [part.start * len(parts) + n for n, part in enumerate(parts) if part.start != DEAD]
        )

    def labels(self, state: _Live) -> tuple[int, ...]:
        """Return what the automata say of a string that ends here."""
        found = [NO_LABEL] * self._n_parts
        for number in state:
            at, n = divmod(number, self._n_parts)
            found[n] = self._parts[n].labels[at]
        return tuple(found)

    def follow(self, state: _Live) -> tuple[list[int], list[_Live]]:
        """Return classes that may lead elsewhere than others do, and where: the others, then each.

        Of all classes the first is left out, and stands for the others.
        """
        if len(state) == 1:
            row, default = self._row(state[0])
            kinds, others = list(row), _one(default)
            found = [_one(target) for target in row.values()]
        else:
            rows = [self._row(number) for number in state]
            kinds = sorted({kind for row, _ in rows for kind in row})
            found = [_meet(rows, kind) for kind in kinds]
            others = tuple([default for _, default in rows if default])
        if len(kinds) == self._n_kinds:
            return kinds[1:], found
        return kinds, [others, *found]

    def _row(self, number: int) -> tuple[dict[int, int], int]:
        """Return the number that each class leads to, and the one that others do; 0 is dead."""
        found = self._rows.get(number)
        if found is None:
            state, n = divmod(number, self._n_parts)
            dfa, finer = self._parts[n], self._finer[n]
            row = dict[int, int]()
            for own, target in dfa.rows[state].items():
                reached = _number(target, n, self._n_parts)
                for kind in finer[own]:
                    row[kind] = reached
            found = self._rows[number] = row, _number(dfa.defaults[state], n, self._n_parts)
        return found


def _number(state: int, n: int, n_parts: int) -> int:
    return state * n_parts + n if state != DEAD else 0


def _one(number: int) -> _Live:
    return (number,) if number else ()


def _meet(rows: list[tuple[dict[int, int], int]], kind: int) -> _Live:
    return tuple([target for row, default in rows if (target := row.get(kind, default))])
