"""Which automaton reads a regular expression over characters, and which the difference of two?

A subset construction over the positions of the expression
(:mod:`maskc.frontends.characters.positions`), then minimisation. What cannot reach an end is left
out, so an automaton is partial.

Example: ``ab?`` has three states; ``a*`` without ``aa`` has four.

Source: subsets: Rabin and Scott 1959 (doi:10.1147/rd.32.0114); minimisation: Moore 1956.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.automata.charset import CodePoints
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


@dataclass(frozen=True, slots=True)
class Dfa:
    """A partial automaton over code points; every state is on the way to an accepting one.

    Attributes:
        moves: per state, target → the code points that lead there; none overlap.
        accepts: per state, whether the text so far is matched.
        start: the first state; ``None`` if nothing is matched.
    """

    moves: tuple[dict[int, CodePoints], ...]
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
    number = {keys[0]: 0}
    rows: list[list[int]] = []
    while len(rows) < len(keys):
        row = []
        for in_class in range(len(positions.classes)):
            after = frozenset(positions.step(keys[len(rows)], in_class))
            if after not in number:
                number[after] = len(keys)
                keys.append(after)
            row.append(number[after])
        rows.append(row)
        if len(keys) > MAX_STATES:
            raise TooLargeError
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
    number = {keys[0]: 0}
    rows: list[list[int]] = []
    while len(rows) < len(keys):
        a, b = keys[len(rows)]
        row = []
        for part in classes:
            after = (step(one, a, part), step(other, b, part))
            if after not in number:
                number[after] = len(keys)
                keys.append(after)
            row.append(number[after])
        rows.append(row)
        if len(keys) > MAX_STATES:
            raise TooLargeError
    accepts = [
        a is not None and one.accepts[a] and not (b is not None and other.accepts[b])
        for a, b in keys
    ]
    return minimise(rows, accepts, classes)


def minimise(rows: list[list[int]], accepts: list[bool], classes: list[CodePoints]) -> Dfa:
    """Return the minimal automaton of a complete table that starts in state 0."""
    block = [int(accept) for accept in accepts]
    n_blocks = len(set(block))
    while True:
        number: dict[tuple[int, ...], int] = {}
        block = [
            number.setdefault((block[state], *(block[target] for target in row)), len(number))
            for state, row in enumerate(rows)
        ]
        if len(number) == n_blocks:
            break
        n_blocks = len(number)
    first = {b: state for state, b in reversed(list(enumerate(block)))}
    quotient = [[block[target] for target in rows[first[b]]] for b in range(n_blocks)]
    accepting = [accepts[first[b]] for b in range(n_blocks)]
    live = _live(quotient, accepting)
    if block[0] not in live:
        return Dfa((), (), None)
    # Blocks are numbered as they are met from the start, the dead one left out.
    new = {old: index for index, old in enumerate(sorted(live))}
    moves: list[dict[int, CodePoints]] = []
    for old in sorted(live):
        sets: dict[int, list[CodePoints]] = {}
        for part, target in zip(classes, quotient[old], strict=True):
            if target in live:
                sets.setdefault(new[target], []).append(part)
        moves.append({target: unite(*parts) for target, parts in sets.items()})
    return Dfa(tuple(moves), tuple(accepting[old] for old in sorted(live)), new[block[0]])


def _live(rows: list[list[int]], accepts: list[bool]) -> set[int]:
    into: list[set[int]] = [set() for _ in rows]
    for state, row in enumerate(rows):
        for target in row:
            into[target].add(state)
    live = {state for state, accept in enumerate(accepts) if accept}
    stack = sorted(live)
    while stack:
        for state in into[stack.pop()] - live:
            live.add(state)
            stack.append(state)
    return live
