"""Partition refinement: the states of a deterministic automaton that nothing tells apart.

The coarsest partition that refines a given one and that all moves respect: two states of one class
go, on each letter, to states of one class. Moore's refinement (1956) looks at every state again in
every round, and a chain of n states takes n rounds. Here only those are looked at that move to a
state whose class has just changed its number, and of the parts of a class the largest keeps the
number (Hopcroft 1971), so that a state changes its number at most log n times.

Example: a literal of 6,000 characters is 6,000 rounds in each of which one state is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_AT_ONCE = 65_536  # rows


class Predecessors:
    """Who moves to a state, on any letter."""

    def __init__(self, moves: Ints) -> None:
        """Take ``moves``, int32[n_states, n_letters]."""
        n_states = len(moves)
        targets, sources = [], []
        for first in range(0, n_states, _AT_ONCE):
            # Most states move to few others: what is left of a sorted row is a tenth of it.
            rows = np.sort(moves[first : first + _AT_ONCE], axis=1)
            is_new = np.ones(rows.shape, dtype=np.bool_)
            is_new[:, 1:] = rows[:, 1:] != rows[:, :-1]
            targets.append(rows[is_new])
            sources.append((first + np.nonzero(is_new)[0]).astype(np.int32))
        target = np.concatenate(targets) if targets else np.zeros(0, dtype=np.int32)
        order = np.argsort(target, kind="stable")
        self._source = np.concatenate(sources)[order] if sources else target
        self._first = np.searchsorted(target[order], np.arange(n_states + 1))

    def of(self, states: Longs) -> Longs:
        """Return the sources of moves to the states, ascending and each once."""
        _, moves = spread(self._first[states], self._first[states + 1])
        return np.unique(self._source[moves]).astype(np.int64)


def find_coaccessible(before: Predecessors, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return bool[n_states]: the states from which some letters lead to one that was found."""
    found = found.copy()
    pending = np.flatnonzero(found)
    while len(pending):
        earlier = before.of(pending)
        pending = earlier[~found[earlier]]
        found[pending] = True
    return found


def refine(
    class_of: Iterable[int], moves: Ints, before: Predecessors | None = None
) -> NDArray[np.int64]:
    """Return int64[n_states], the class of each state, numbered by first occurrence.

    Args:
        moves: int32[n_states, n_letters].
    """
    classes = number_by_occurrence(class_of)
    for classes in refine_in_rounds(class_of, moves, before):  # noqa: B007
        pass
    return number_by_occurrence(classes.tolist())


def refine_in_rounds(
    class_of: Iterable[int], moves: Ints, before: Predecessors | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield the classes of states that no text of 0, 1, 2, … letters tells apart, while they split.

    What is yielded is one array, int64[n_states], that is written in place; the numbers of its
    classes say nothing.
    """
    before = before or Predecessors(moves)
    classes = number_by_occurrence(class_of)
    members: list[set[int]] = [set() for _ in range(int(classes.max(initial=-1)) + 1)]
    for state, group in enumerate(classes.tolist()):
        members[group].add(state)
    # Invariant: states of one class that are not pending move to equal classes.
    pending = np.arange(len(classes))
    while len(pending):
        yield classes
        renumbered: list[int] = []
        for group, parts in _split(pending, classes, members, moves).items():
            rest = members[group].difference(*parts)
            keeps = max((rest, *parts), key=len)
            for part in (rest, *parts):
                if part and part is not keeps:
                    classes[list(part)] = len(members)
                    members.append(part)
                    renumbered += part
            members[group] = keeps
        pending = before.of(np.array(sorted(renumbered), dtype=np.int64))
    yield classes


def _split(
    pending: Longs, classes: Longs, members: list[set[int]], moves: Ints
) -> dict[int, list[set[int]]]:
    """Return class → the pending states in it by where they move, if that tells any apart."""
    groups = classes[pending]
    rows = classes[moves[pending]].astype(np.int32)
    width = rows.shape[1] * rows.itemsize
    data = rows.tobytes()
    found: dict[int, dict[bytes, set[int]]] = {}
    for index, (state, group) in enumerate(zip(pending.tolist(), groups.tolist(), strict=True)):
        if len(members[group]) > 1:
            row = data[index * width : index * width + width]
            found.setdefault(group, {}).setdefault(row, set()).add(state)
    return {
        group: list(parts.values())
        for group, parts in found.items()
        if len(parts) > 1 or len(next(iter(parts.values()))) < len(members[group])
    }


def number_by_occurrence(keys: Iterable[object]) -> NDArray[np.int64]:
    """Return int64[n], equal numbers for equal keys, in the order in which they come first."""
    number: dict[object, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)


def refine_by_signature(
    class_of: Sequence[int], sign: Callable[[Sequence[int]], Iterable[Hashable]]
) -> list[int]:
    """Return the class of each node, numbered by first occurrence: :func:`refine` without a table.

    Where a node's moves are no row of a table, ``sign`` says what tells nodes apart, given the
    classes so far: one value for each node. It is asked until no class splits (Moore 1956), so
    nodes that it tells apart once it must tell apart when it is given finer classes.
    """
    classes: Sequence[int] = number_by_occurrence(class_of).tolist()
    n_before = -1
    while (n_classes := len(set(classes))) != n_before:
        n_before = n_classes
        signatures = zip(class_of, sign(classes), strict=True)
        classes = number_by_occurrence(signatures).tolist()
    return list(classes)
