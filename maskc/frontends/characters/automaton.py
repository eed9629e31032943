"""The automaton of an expression over characters, and whether ``re`` finds all of its texts.

Positions are tried in order, as ``re`` tries its paths: a state of :class:`ExpressionPositions` is
a list of positions, and position ``MATCHED`` says that a path has come to its end. ``re`` drops
what stands after it (leftmost-first); a set of texts keeps it. Where both always agree whether the
text so far is matched, every text ``x`` of the expression is its own first match, which is what
Lark's ``dynamic_complete`` asks of a terminal: it tries ``x`` alone. ``a|ab`` reads ``ab`` by its
second path, which the first has cut off after ``a``; the same set written ``ab?`` is found in full.

The minimal automaton is made as that of a pattern of JSON Schema (:mod:`maskc.jsonschema.threads`).

Source: Thompson 1968 (doi:10.1145/363347.363387).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from maskc import regular
from maskc.regular import (
    Alternation,
    Characters,
    Expression,
    Repeat,
    choice,
    is_nullable,
    repeat,
    sequence,
)
from maskc.regular.charset import CodePoints, unite
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

MAX_ORDERED, MAX_OPTIONAL, MAX_WORK = 20_000, 12, 1_000_000
MATCHED, MAX_NODES = 0, 40_000


class ExpressionTooLargeError(Exception):
    """An automaton or an expression grows beyond its bound: the caller does without it."""


def drop_empty(expression: Expression) -> Expression:
    """Return what the expression matches but for the empty text; no body may be empty either.

    Raises:
        ExpressionTooLargeError: many parts in a row may all be empty.
    """
    match expression:
        case Alternation(parts):
            return choice(*map(drop_empty, parts))
        case Repeat(body, low, high):
            inner = drop_empty(body)
            return repeat(inner, 1 if is_nullable(body) else max(low, 1), high)
        case regular.Sequence(parts):
            if not all(map(is_nullable, parts)):
                return sequence(*map(_tidy, parts))
            if len(parts) > MAX_OPTIONAL:
                raise ExpressionTooLargeError
            tails = [parts[index:] for index in range(len(parts))]
            return choice(*(sequence(drop_empty(t[0]), *map(_tidy, t[1:])) for t in tails))
    return expression


def _tidy(expression: Expression) -> Expression:
    """Return the same set with no repetition of what may be empty."""
    if is_nullable(expression):
        return repeat(drop_empty(expression), 0, 1)
    return drop_empty(expression)


class ExpressionPositions:
    """The positions of an expression that does not match the empty text."""

    def __init__(self, expression: Expression) -> None:
        self._nodes: list[tuple[CodePoints, int] | list[int]] = [[]]
        first = self._add(expression, MATCHED)
        sets = sorted({node[0] for node in self._nodes if isinstance(node, tuple)})
        self.classes = split_classes(sets)  # code points that no position tells apart, together
        self._classes_of = {
            ranges: frozenset(i for i, part in enumerate(self.classes) if overlap(part, ranges))
            for ranges in sets
        }
        self._entered: dict[int, tuple[int, ...]] = {}
        self._work = 0
        self.start = self._enter(first)  # where to begin

    def _add(self, expression: Expression, following: int) -> int:
        match expression:
            case Characters(ranges):
                return self._node((ranges, following))
            case regular.Sequence(parts):
                for part in reversed(parts):
                    following = self._add(part, following)
                return following
            case Alternation(parts):
                return self._node([self._add(part, following) for part in parts])
            case Repeat(body, low, high):
                if high is None:
                    head: list[int] = []
                    start = self._node(head)
                    head += [self._add(body, start), following]
                else:
                    start = following
                    for _ in range(high - low):
                        start = self._node([self._add(body, start), following])
                for _ in range(low):
                    start = self._add(body, start)
                return start
        raise ValueError("a regular expression names no rule")

    def _node(self, node: tuple[CodePoints, int] | list[int]) -> int:
        if len(self._nodes) > MAX_NODES:
            raise ExpressionTooLargeError
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _enter(self, start: int) -> tuple[int, ...]:
        found = self._entered.get(start)
        if found is None:
            order: dict[int, None] = {}
            seen = set()
            stack = [start]
            while stack:
                number = stack.pop()
                if number in seen:
                    continue
                seen.add(number)
                node = self._nodes[number]
                if isinstance(node, list) and number != MATCHED:
                    stack += reversed(node)
                else:
                    order[number] = None
            found = self._entered[start] = tuple(order)
        return found

    def step(self, positions: Iterable[int], in_class: int) -> Iterator[int]:
        """Yield the positions after one character, in order; a position may come twice."""
        for position in positions:
            node = self._nodes[position]
            if isinstance(node, tuple) and in_class in self._classes_of[node[0]]:
                entered = self._enter(node[1])
                self._work += len(entered)
                yield from entered
            self._work += 1
        if self._work > MAX_WORK:
            raise ExpressionTooLargeError


def examine(positions: ExpressionPositions) -> tuple[bool, bool]:
    """Return whether each text is its own first match by ``re``, and whether one has two paths.

    Raises:
        ExpressionTooLargeError: there are too many states to know.
    """
    start = (_cut(positions.start), frozenset(positions.start))
    seen, stack = {start}, [start]
    ambiguous = False
    while stack:
        ordered, together = stack.pop()
        if MATCHED in together and MATCHED not in ordered:
            return False, ambiguous
        for in_class in range(len(positions.classes)):
            paths = list(positions.step(together, in_class))
            after = (_cut(positions.step(ordered, in_class)), frozenset(paths))
            ambiguous = ambiguous or len(paths) > len(after[1])
            if after[1] and after not in seen:
                seen.add(after)
                stack.append(after)
        if len(seen) > MAX_ORDERED:
            raise ExpressionTooLargeError
    return True, ambiguous


def _cut(positions: Iterable[int]) -> tuple[int, ...]:
    kept: dict[int, None] = {}
    for position in positions:
        kept[position] = None
        if position == MATCHED:
            break
    return tuple(kept)


def split_classes(sets: Iterable[CodePoints]) -> list[CodePoints]:
    """Return the parts of the union of the sets that no set cuts."""
    known = list(sets)
    edges = sorted({edge for ranges in known for low, high in ranges for edge in (low, high + 1)})
    holders: dict[int, list[int]] = {edge: [] for edge in edges}
    index = {edge: i for i, edge in enumerate(edges)}
    for number, ranges in enumerate(known):
        for low, high in ranges:
            for edge in edges[index[low] : index[high + 1]]:
                holders[edge].append(number)
    parts: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for low, after in pairwise(edges):
        if holders[low]:
            parts.setdefault(tuple(holders[low]), []).append((low, after - 1))
    return [unite(ranges) for ranges in parts.values()]


def overlap(part: CodePoints, ranges: CodePoints) -> bool:
    """Return whether a class lies in a set; classes are never cut by one."""
    first = part[0][0]
    return any(low <= first <= high for low, high in ranges)


MAX_STATES = 1_000
_USUAL = "a0 "  # what stands for a set, if it is in it


def build_dfa(expression: Expression) -> CharDfa:
    """Return the minimal automaton of an expression without references.

    Raises:
        ExpressionTooLargeError: it has more than ``MAX_STATES`` states.
    """
    # Loading what makes automata takes longer than most grammars.
    from maskc.jsonschema.threads import build_automaton

    return _bounded(lambda: build_automaton(expression))


def subtract(left: Expression, right: Expression) -> CharDfa:
    """Return the automaton of what ``left`` matches and ``right`` does not."""
    from maskc.jsonschema.products import combine

    def label(labels: Sequence[int]) -> int:
        return 0 if labels[0] != NO_LABEL == labels[1] else NO_LABEL

    both = build_dfa(left), build_dfa(right)
    return _bounded(lambda: combine(both, label))


def _bounded(build: Callable[[], CharDfa]) -> CharDfa:
    from maskc.jsonschema.exploring import TooLargeError

    try:
        found = build()
    except TooLargeError:
        raise ExpressionTooLargeError from None
    if len(found.rows) > MAX_STATES:
        raise ExpressionTooLargeError
    return found


def list_texts(expression: Expression, most: int) -> list[str] | None:
    """Return the texts of an expression, sorted; ``None`` if they are more, or many states."""
    from maskc.jsonschema.automata import list_strings

    try:
        return list_strings(build_dfa(expression), most)
    except ExpressionTooLargeError:
        return None


def sample_texts(expression: Expression, most: int) -> list[str]:
    """Return some of the shortest texts of an expression, of characters that are good to read."""
    try:
        dfa = build_dfa(expression)
    except ExpressionTooLargeError:
        return []
    found, level = list[str](), {} if dfa.start == DEAD else {dfa.start: ""}
    while level and len(found) < most:
        found += [text for state, text in level.items() if dfa.labels[state] != NO_LABEL]
        level = {
            target: text + next((c for c in _USUAL if _has(ranges, c)), chr(ranges[0][0]))
            for state, text in level.items()
            for target, ranges in read_moves(dfa, state).items()
        }
    return found[:most]


def read_moves(dfa: CharDfa, state: int) -> dict[int, CodePoints]:
    """Return live target → the code points that lead there from a state."""
    kinds: dict[int, list[int]] = {}
    for kind in sorted(set(dfa.classes)):
        target = dfa.rows[state].get(kind, dfa.defaults[state])
        if target != DEAD:
            kinds.setdefault(target, []).append(kind)
    ranges = {target: dfa.ranges_of(of_target) for target, of_target in kinds.items()}
    return {target: unite((a, b - 1) for a, b in pairs) for target, pairs in ranges.items()}


def _has(ranges: CodePoints, character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in ranges)
