"""What an automaton can still do from one of its states on, told apart from all else.

The *residual* automaton of a state has the states that it leads to, and of the characters the
classes that these tell apart. Patterns that differ in what came before have the same residuals, and
so do the states of one pattern, so what a residual does to a vocabulary is found once for all.

Example: after ``a-`` and after ``bc-`` the patterns ``^a-[0-9]+$`` and ``^bc-[0-9]+$`` have one
residual of two classes of characters, digits and others.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.characters import DEAD, CharDfa
from maskc.runtime.schema.tries.trie import Ints
from maskc.runtime.step_budget import AT_ONCE, charge_steps

_MOST_CELLS = 1 << 15  # of an automaton of which we ask what it tells apart from a state on


class Residual(NamedTuple):
    """An automaton from one of its states on. State 0 is dead."""

    starts: Ints  # int32[n_ranges], where each range of characters starts, ascending from 0
    classes: NDArray[np.intp]  # of each range its class
    delta: NDArray[np.unsignedinteger]  # [n_states, n_classes], the next state
    start: int
    states: list[int]  # of each state which one it is of the automaton

    @property
    def digest(self) -> bytes:
        """What tells it from every other residual, whatever automaton it is of."""
        sizes = f"{self.start} {self.delta.shape} {len(self.starts)} ".encode()
        arrays = (self.starts, self.classes, self.delta)
        return hashlib.sha256(sizes + b"".join([array.tobytes() for array in arrays])).digest()


def residual_of(dfa: CharDfa, matrix: Ints, state: int) -> Residual:
    """Return the residual automaton of a state.

    Args:
        dfa: the automaton.
        matrix: of it, as :func:`matrix_of` has it.
        state: a live one.
    """
    charge_steps(matrix.size // AT_ONCE)
    starts, classes = np.array(dfa.starts, dtype=np.int32), np.array(dfa.classes, dtype=np.intp)
    if matrix.size > _MOST_CELLS:
        every = list(range(matrix.shape[1]))
        delta = matrix.T.astype(np.min_scalar_type(len(every)))
        return Residual(starts, classes, delta, state, every)
    states = [DEAD, *sorted(reachable(dfa, state))]
    narrow = np.min_scalar_type(len(states))
    number: NDArray[np.unsignedinteger] = np.zeros(matrix.shape[1], dtype=narrow)
    number[states] = np.arange(len(states))
    columns = number.take(matrix.take(states, axis=1))
    # Classes are numbered in the order in which they begin, so that equal ones have one number.
    numbers: dict[bytes, int] = {}
    merged = np.zeros(len(columns), dtype=np.intp)
    for kind in dict.fromkeys(dfa.classes):
        merged[kind] = numbers.setdefault(columns[kind].tobytes(), len(numbers))
    delta = np.frombuffer(b"".join(numbers), dtype=narrow).reshape(len(numbers), -1).T
    classes = merged.take(classes)
    is_new = np.ones(len(classes), dtype=np.bool_)
    np.not_equal(classes[1:], classes[:-1], out=is_new[1:])
    return Residual(starts[is_new], classes[is_new], delta, int(number[state]), states)


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


def matrix_of(dfa: CharDfa) -> Ints:
    """Return an automaton as an array: int32[n_classes, n_states]."""
    n_kinds = max(dfa.classes) + 1
    charge_steps(dfa.n_states)
    matrix = np.repeat(np.array(dfa.defaults, dtype=np.int32)[None], n_kinds, axis=0)
    rows = list(dfa.rows)
    counts = list(map(len, rows))
    n_cells = sum(counts)
    kinds = np.fromiter(chain.from_iterable(rows), np.int32, n_cells)
    targets = np.fromiter(chain.from_iterable(row.values() for row in rows), np.int32, n_cells)
    states = np.arange(len(rows), dtype=np.int32).repeat(counts)
    is_there = kinds < n_kinds
    matrix[kinds[is_there], states[is_there]] = targets[is_there]
    return matrix
