"""What an automaton can still do from one of its states on, told apart from all else.

The *residual* automaton of a state has the states that it leads to, and of the characters the
classes that these tell apart. Patterns that differ in what came before have the same residuals, and
so do the states of one pattern, so what a residual does to a vocabulary is found once for all.

Example: after ``a-`` and after ``bc-`` the patterns ``^a-[0-9]+$`` and ``^bc-[0-9]+$`` have one
residual of two classes of characters, digits and others.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries import Ints
from maskc.runtime.step_budget import AT_ONCE, charge_steps

_COPIES: Final = 4
_MOST_CELLS = 1 << 15  # of an automaton of which we ask what it tells apart from a state on


class Automaton:
    """An automaton as arrays. State 0 is dead.

    Attributes:
        starts: int32[n_ranges], where each range of characters starts, ascending from 0.
        classes: intp[n_ranges], of each range its class.
        delta: [n_states, n_classes], the next state.
        digest: what tells it from every other one.
        tables: what walks have made of it, by what was read of a character.
    """

    __slots__ = ("classes", "delta", "digest", "starts", "tables")

    def __init__(
        self, starts: Ints, classes: NDArray[np.intp], delta: NDArray[np.unsignedinteger]
    ) -> None:
        self.starts, self.classes, self.delta = starts, classes, delta
        self.tables: dict[object, Any] = {}
        arrays = b"".join([array.tobytes() for array in (starts, classes, delta.T)])
        sizes = f"{delta.shape} {len(starts)} ".encode()
        self.digest = hashlib.sha256(sizes + arrays).digest()


class Matrix:
    """The automaton of a string as arrays.

    Attributes:
        starts: int32[n_ranges], where each range of characters starts, ascending from 0.
        classes: intp[n_ranges], of each range its class; these are numbered in the order in which
            they begin.
        cells: int32[n_classes, n_states], the next state.
    """

    __slots__ = ("_whole", "cells", "classes", "starts")

    def __init__(self, starts: Ints, classes: NDArray[np.intp], cells: Ints) -> None:
        self.starts, self.classes, self.cells = starts, classes, cells
        self._whole: Automaton | None = None

    @property
    def n_bytes(self) -> int:
        # With what is made of all of it: the automaton, and about two tables.
        n_copies = _COPIES if self.cells.size > _MOST_CELLS else 1
        return self.starts.nbytes + self.classes.nbytes + n_copies * self.cells.nbytes

    @property
    def whole(self) -> Automaton:
        """All of it, each state with its own number."""
        if self._whole is None:
            charge_steps(self.cells.size // AT_ONCE)
            delta = self.cells.T.astype(np.min_scalar_type(self.cells.shape[1]))
            self._whole = Automaton(self.starts, self.classes, delta)
        return self._whole


class Residual(NamedTuple):
    """An automaton from one of its states on, without states that this one does not lead to."""

    automaton: Automaton
    start: int
    states: Sequence[int]  # of each state which one it is of the automaton that was given


def residual_of(dfa: CharDfa, matrix: Matrix, state: int) -> Residual:
    """Return the residual automaton of a state; that of a huge one has all states.

    Args:
        dfa: the automaton.
        matrix: the same one as arrays.
        state: a live one.
    """
    cells, n_states = matrix.cells, matrix.cells.shape[1]
    if cells.size > _MOST_CELLS:
        return Residual(matrix.whole, state, range(n_states))
    charge_steps(cells.size // AT_ONCE)
    states = [DEAD, *sorted(reachable(dfa, state))]
    narrow = np.min_scalar_type(len(states))
    number: NDArray[np.unsignedinteger] = np.zeros(n_states, dtype=narrow)
    number[states] = np.arange(len(states))
    # As classes are in the order in which they begin, those of equal residuals have equal numbers.
    numbers: dict[bytes, int] = {}
    columns = number.take(cells.take(states, axis=1))
    merged = np.array([numbers.setdefault(c.tobytes(), len(numbers)) for c in columns])
    delta = np.frombuffer(b"".join(numbers), dtype=narrow).reshape(len(numbers), -1).T
    classes = merged.take(matrix.classes)
    is_new = np.ones(len(classes), dtype=np.bool_)
    np.not_equal(classes[1:], classes[:-1], out=is_new[1:])
    automaton = Automaton(matrix.starts[is_new], classes[is_new], delta)
    return Residual(automaton, int(number[state]), states)


def reachable(dfa: CharDfa, state: int) -> set[int]:
    """Return a state and all that it leads to."""
    found = {state}
    open_ = [state]
    while open_:
        for target in dfa.successors(open_.pop()):
            if target not in found:
                found.add(target)
                open_.append(target)
    charge_steps(len(found))
    return found


def never_dies(dfa: CharDfa, state: int) -> bool:
    """Return whether each character leads on from a state, and so forth, to a live one.

    So it is where a pattern may begin anywhere, as ``[Hh]otel`` does.
    """
    kinds, rows = frozenset(dfa.classes), dfa.rows
    seen, worklist = {state}, [state]
    for here in worklist:  # it grows meanwhile
        row = rows[here]
        if DEAD in row.values() or not (dfa.defaults[here] or kinds <= row.keys()):
            return False
        new = dfa.successors(here) - seen
        seen |= new
        worklist += new
    charge_steps(len(seen))
    return True


def matrix_of(dfa: CharDfa) -> Matrix:
    """Return an automaton as arrays."""
    rows = list(dfa.rows)
    n_states, n_kinds = len(rows), max(dfa.classes) + 1
    charge_steps(n_states)
    cells = np.empty((n_kinds, n_states), dtype=np.int32)
    cells[:] = dfa.defaults
    counts = list(map(len, rows))
    kinds = _pack(chain.from_iterable(rows), sum(counts))
    targets = _pack(chain.from_iterable([row.values() for row in rows]), sum(counts))
    at = kinds * np.intp(n_states)
    at += np.arange(n_states).repeat(counts)
    is_there = kinds < n_kinds
    if not is_there.all():
        at, targets = at[is_there], targets[is_there]
    cells.reshape(-1)[at] = targets
    in_order = list(dict.fromkeys(dfa.classes))
    number = np.zeros(n_kinds, dtype=np.intp)
    number[in_order] = np.arange(len(in_order))
    starts, classes = np.array(dfa.starts, dtype=np.int32), np.array(dfa.classes, dtype=np.intp)
    return Matrix(starts, number.take(classes), cells.take(in_order, axis=0))


def _pack(numbers: Iterable[int], n: int) -> Ints:
    # Two thirds of the time of numpy.fromiter.
    return np.frombuffer(struct.pack(f"{n}i", *numbers), dtype=np.int32)
