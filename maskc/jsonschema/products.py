"""Products of automata: the automaton that labels each string by what several say of it.

A state is the tuple of the *live* states, those that some rest of the string leads from to an
accepting one. Of an object's names and the patterns of its keys a key soon has one left, and what
leads on from there is what the automaton of that one says.

Example: of the names ``a`` and ``b`` and the pattern ``^x-``, the key ``x-1`` has the pattern left,
and the key ``c`` nothing.

Limits: those of :mod:`maskc.jsonschema.exploring`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from maskc.budget import poll
from maskc.jsonschema.exploring import (
    MAX_STATES,
    MAX_WORK,
    NONE,
    POLL_EVERY,
    CustomFormatError,
    TooLargeError,
    minimise,
    refine_classes,
)
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

# What automata say at the end of a string, ``NO_LABEL`` where one does not accept it → its label.
Label = Callable[[tuple[int, ...]], int]


def label_strings(parts: Sequence[CharDfa], label: Label, *, needs_all: bool = False) -> CharDfa:
    """Return an automaton that gives every string a label.

    Two of its states differ in a state of one automaton, and where that is minimal some rest of a
    string tells them apart; so it is minimal, too, where ``label`` keeps all tuples apart.

    Args:
        parts: one or more.
        needs_all: whether a string that one of them has no use for has no label.

    Raises:
        CustomFormatError: one leaves strings to a reader.
        TooLargeError: it has too many states.
    """
    for part in parts:
        if part.reader:
            raise CustomFormatError(part.reader)
    starts, kinds = refine_classes(parts)
    number_of = {kind: n for n, kind in enumerate(dict.fromkeys(kinds))}
    most = min(MAX_STATES, MAX_WORK // (len(parts) * len(number_of)))
    product = _Product(parts, list(number_of), most, needs_all=needs_all)
    known: dict[tuple[int, ...], int] = {}
    rows, defaults, labels = [dict[int, int]()], [DEAD], [NO_LABEL]
    for live in product.order:  # it grows meanwhile
        if not len(rows) % POLL_EVERY:
            poll()
        own = product.labels(live)
        if own not in known:
            known[own] = label(own)
        labels.append(known[own])
        row, default = product.follow(live)
        rows.append(row)
        defaults.append(default)
    if len(rows) == 1:
        return NONE
    return CharDfa(starts, [number_of[kind] for kind in kinds], defaults, rows, labels, 1)


def combine(parts: Sequence[CharDfa], label: Label, *, needs_all: bool = False) -> CharDfa:
    """Return the minimal automaton of :func:`label_strings`, where labels may be alike."""
    found = label_strings(parts, label, needs_all=needs_all)
    columns = range(max(found.classes) + 1)
    pairs = zip(found.rows, found.defaults, strict=True)
    table = [[row.get(kind, default) for kind in columns] for row, default in pairs]
    return NONE if found is NONE else minimise(found.starts, found.classes, table, [*found.labels])


# Live states, each by a number of its own: the state times the number of automata, and which.
_Live = tuple[int, ...]
# What each class leads to, and what the others do.
_Row = tuple[dict[int, int], int]


class _Product:
    """Tuples of live states, numbered as they are met, and those that they lead to.

    Where one is live, what leads on from it is its automaton's row, with finer classes.

    Args:
        kinds: the class of each automaton for each common class of characters.
        most: how many tuples there may be.
        needs_all: whether a tuple without a state of each is dead.

    Attributes:
        order: the tuples, by number less 1; the first one is that before a string.
    """

    def __init__(
        self,
        parts: Sequence[CharDfa],
        kinds: Sequence[tuple[int, ...]],
        most: int,
        *,
        needs_all: bool,
    ) -> None:
        self._parts, self._n_parts, self._n_kinds = list(parts), len(parts), len(kinds)
        self._most, self._needs_all = most, needs_all
        self._finer: list[dict[int, list[int]]] = []
        for n in range(len(parts)):
            finer = dict[int, list[int]]()
            for number, kind in enumerate(kinds):
                finer.setdefault(kind[n], []).append(number)
            self._finer.append(finer)
        self._rows: dict[int, _Row] = {}
        self._none: tuple[int, ...] = (NO_LABEL,) * len(parts)
        self.order: list[_Live] = []
        self._numbers: dict[_Live, int] = {}
        # The same of one live state; 0: not met yet.
        self._number_of = [0] * (len(parts) * max([part.n_states for part in parts]))
        self._find(
            tuple(
                [part.start * len(parts) + n for n, part in enumerate(parts) if part.start != DEAD]
            )
        )

    def labels(self, live: _Live) -> tuple[int, ...]:
        """Return what the automata say of a string that ends here."""
        found: list[int] | None = None
        for number in live:
            n = number % self._n_parts
            own = self._parts[n].labels[number // self._n_parts]
            if own != NO_LABEL:
                found = found or list(self._none)
                found[n] = own
        return self._none if found is None else tuple(found)

    def follow(self, live: _Live) -> _Row:
        """Return the numbers of the tuples that classes lead to, but for most of them, and of that.

        Raises:
            TooLargeError: there are too many tuples.
        """
        if len(live) == 1:
            return self._follow_one(live[0])
        rows = [self._row(number) for number in live]
        kinds = sorted({kind for row, _ in rows for kind in row})
        if len(kinds) == self._n_kinds:
            default = self._find(_meet(rows, kinds.pop(0)))
        else:
            default = self._find(tuple([other for _, other in rows if other]))
        found = dict[int, int]()
        for kind in kinds:
            target = self._find(_meet(rows, kind))
            if target != default:
                found[kind] = target
        return found, default

    def _follow_one(self, number: int) -> _Row:
        """Return the same of a tuple of one."""
        n = number % self._n_parts
        part, finer, at = self._parts[n], self._finer[n], number // self._n_parts
        row = part.rows[at]
        default = -1
        if len(row) < len(finer):
            default = self._find_one(part.defaults[at], n)
        found = dict[int, int]()
        for own, after in row.items():
            target = self._find_one(after, n)
            if default < 0:  # there are no others
                default = target
            if target != default:
                for kind in finer[own]:
                    found[kind] = target
        return found, default

    def _find(self, live: _Live) -> int:
        """Return the number of a tuple."""
        if self._needs_all and len(live) < self._n_parts:
            return DEAD
        if len(live) == 1:
            n = live[0] % self._n_parts
            return self._find_one(live[0] // self._n_parts, n)
        number = self._numbers.get(live, 0)
        if not number:
            number = self._numbers[live] = self._add(live)
        return number

    def _find_one(self, state: int, n: int) -> int:
        """Return the number of a tuple of one automaton's state, or of none."""
        if state == DEAD:
            return self._find(())
        live = state * self._n_parts + n
        number = self._number_of[live]
        if not number:
            number = self._number_of[live] = self._add((live,))
        return number

    def _add(self, live: _Live) -> int:
        if len(self.order) >= self._most:
            raise TooLargeError
        self.order.append(live)
        return len(self.order)

    def _row(self, number: int) -> _Row:
        """Return the live state that each class leads to, and the one that others do; 0 is dead."""
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


def _meet(rows: list[_Row], kind: int) -> _Live:
    return tuple([target for row, default in rows if (target := row.get(kind, default))])
