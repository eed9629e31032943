"""Which automaton reads a regular expression over characters, and which the difference of two?

A subset construction over the positions of the expression
(:mod:`maskc.frontends.characters.positions`), then minimisation. What cannot reach an end is left
out, so an automaton is partial.

Example: ``ab?`` has three states; ``a*`` without ``aa`` has four.

Source: subsets: Rabin and Scott 1959 (doi:10.1147/rd.32.0114); minimisation: Hopcroft 1971.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from maskc.automata.charset import CodePoints
from maskc.automata.partition import Predecessors, find_coaccessible, refine
from maskc.frontends.characters.expressions import NOTHING, Expression, is_nullable, unite
from maskc.frontends.characters.positions import (
    MATCHED,
    Positions,
    TooLargeError,
    drop_empty,
    overlap,
    split_classes,
)

MAX_STATES = 1_000
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Dfa:
    """A partial automaton over code points; every state is on the way to an accepting one.

    Attributes:
        moves: per state, target → the code points that lead there; none overlap.
        accepts: per state, whether the text so far is matched.
        start: the first state; ``None`` if nothing is matched.
    """

    moves: tuple[Mapping[int, CodePoints], ...]
    accepts: tuple[bool, ...]
    start: int | None


def build_dfa(expression: Expression) -> Dfa:
    """Return the minimal automaton of an expression without references.

    Raises:
        TooLargeError: it has more than ``MAX_STATES`` states.
    """
    nullable, rest = is_nullable(expression), drop_empty(expression)
    if rest == NOTHING:
        return Dfa(({},), (True,), 0) if nullable else Dfa((), (), None)
    positions = Positions(rest)
    # The start is apart from the same set met later: only it matches the empty text.
    keys: list[frozenset[int]] = [frozenset(positions.start) | ({MATCHED} if nullable else set())]
    n_classes = len(positions.classes)
    rows = _explore(keys, lambda key: [frozenset(positions.step(key, n)) for n in range(n_classes)])
    return minimise(rows, [MATCHED in key for key in keys], positions.classes)


def subtract(left: Expression, right: Expression) -> Dfa:
    """Return the automaton of what ``left`` matches and ``right`` does not.

    Raises:
        TooLargeError: it has more than ``MAX_STATES`` states.
    """
    one, other = build_dfa(left), build_dfa(right)
    if one.start is None:
        return one
    sets = {ranges for dfa in (one, other) for row in dfa.moves for ranges in row.values()}
    classes = split_classes(sorted(sets))

    def step(dfa: Dfa, state: int | None, part: CodePoints) -> int | None:
        moves = dfa.moves[state] if state is not None else {}
        return next((t for t, ranges in moves.items() if overlap(part, ranges)), None)

    keys: list[tuple[int | None, int | None]] = [(one.start, other.start)]
    rows = _explore(
        keys, lambda key: [(step(one, key[0], p), step(other, key[1], p)) for p in classes]
    )
    accepts = [
        a is not None and one.accepts[a] and not (b is not None and other.accepts[b])
        for a, b in keys
    ]
    return minimise(rows, accepts, classes)


def _explore(keys: list[Key], step: Callable[[Key], list[Key]]) -> list[list[int]]:
    """Return state → class → state, from the first key on; all keys are appended to ``keys``.

    Raises:
        TooLargeError: there are more than ``MAX_STATES`` states.
    """
    number = {keys[0]: 0}
    rows: list[list[int]] = []
    for key in keys:  # grows while we walk it
        for after in (reached := step(key)):
            if after not in number:
                number[after] = len(keys)
                keys.append(after)
        rows.append([number[after] for after in reached])
        if len(keys) > MAX_STATES:
            raise TooLargeError
    return rows


def minimise(rows: list[list[int]], accepts: list[bool], classes: list[CodePoints]) -> Dfa:
    """Return the minimal automaton of a complete table that starts in state 0."""
    table = np.array(rows, dtype=np.int32).reshape(len(rows), len(classes))
    before = Predecessors(table)
    live = find_coaccessible(before, np.array(accepts, dtype=np.bool_)).tolist()
    if not live[0]:
        return Dfa((), (), None)
    block = refine(accepts, table, before).tolist()
    # Blocks are numbered as they are met from the start; the dead one is left out.
    first: dict[int, int] = {}
    for state, number in enumerate(block):
        if live[state]:
            first.setdefault(number, state)
    new = {number: index for index, number in enumerate(first)}
    moves: list[dict[int, CodePoints]] = []
    for state in first.values():
        sets: dict[int, list[CodePoints]] = {}
        for part, target in zip(classes, rows[state], strict=True):
            if live[target]:
                sets.setdefault(new[block[target]], []).append(part)
        moves.append({target: unite(*parts) for target, parts in sets.items()})
    return Dfa(tuple(moves), tuple(accepts[state] for state in first.values()), new[block[0]])
