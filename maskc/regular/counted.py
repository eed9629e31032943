r"""The positions of a regular expression, with a counter for each loop that is counted.

A *position* is one character of the pattern. After it follow others, by edges that say how many of
the counted loops around it stay open, and whether the innermost of these begins one more pass. A
loop counts its passes (:mod:`maskc.runtime.link.counts`) and is never written out, unless it
is so small that copies are cheaper.

A pass that reads nothing counts for nothing: ``(?:a?){3}`` is ``a{0,3}``.

Only whether a text matches as a whole counts, not how. So ``^`` and ``\A`` at its beginning, and
``$`` and ``\Z`` at its end, ask for nothing. Other look-arounds, atomic groups and conditionals are
not followed here, but in :mod:`maskc.regular.threads`.

Example: ``[a-z]{1,1000};`` has two positions and one loop; after a letter follows the letter, with
one more pass, or the semicolon, with the loop left.

Source: the automaton of positions (Glushkov 1961, doi:10.1070/RM1961v016n05ABEH004112), with
counters as in Turoňová et al. 2020 (doi:10.1145/3428286).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import NamedTuple

from maskc import regular
from maskc.regular import (
    Alternation,
    Anchor,
    CapturingGroup,
    Characters,
    Expression,
    Reference,
    Repeat,
)
from maskc.regular.charset import CodePoints
from maskc.regular.nodes import Utf8Nodes
from maskc.regular.python import read_python
from maskc.runtime.link.counts import START, Bounds, CountedPattern, Edge

MAX_POSITIONS, MAX_PARTS = 50_000, 20_000
# A loop that has no more positions when it is written out is written out.
MOST_COPIES = 16
_MOST_NESTED = 200


def count_loops(pattern: str) -> CountedPattern | None:
    """Return the positions of a pattern of ``re``; as :func:`count_expression`."""
    return count_expression(read_python(pattern))


def count_expression(
    expression: Expression, rules: Mapping[str, Expression] = MappingProxyType({})
) -> CountedPattern | None:
    """Return the positions of an expression, ``None`` if it is followed better in another way.

    That is if it has no loop that is worth a counter, looks around, has a rule that comes back to
    itself, or is too large even so: of more than ``MAX_PARTS`` parts when rules are put in.
    """
    positions = _Positions(rules)
    try:
        return positions.finish(positions.read(_strip(expression, begins=True, ends=True), (), 0))
    except _UnfitError:
        return None


class _UnfitError(Exception):
    """The pattern is not for counters."""


class _Part(NamedTuple):
    """A part of a pattern."""

    may_be_empty: bool
    first: tuple[int, ...]
    last: tuple[int, ...]


_NO_POSITION = _Part(True, (), ())


class _Positions:
    """Makes positions; rules that are named are put in.

    ``around`` is always the numbers of the counted loops around a part.
    """

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._open: set[str] = set()
        self._n_parts = 0
        self._sizes: dict[str, int] = {}
        self._utf8 = Utf8Nodes()
        self._roots: list[int] = [-1]
        self._loops: list[tuple[int, ...]] = [()]
        self._edges: list[list[Edge]] = [[]]
        self._bounds: list[Bounds] = []

    def finish(self, whole: _Part) -> CountedPattern | None:
        """Return the positions of a whole pattern, ``None`` if no loop of it is counted."""
        if not self._bounds:
            return None
        self._edges[START].append(Edge(whole.first, 0, False))
        return CountedPattern(
            tuple(self._utf8.edges),
            tuple(self._roots),
            tuple(self._loops),
            tuple(map(tuple, self._edges)),
            frozenset(whole.last) | (frozenset([START]) if whole.may_be_empty else frozenset()),
            tuple(self._bounds),
        )

    def read(self, node: Expression, around: tuple[int, ...], depth: int) -> _Part:
        """Return the positions of a part; with rules there may be parts without end."""
        self._n_parts += 1
        if self._rules and (self._n_parts > MAX_PARTS or depth > _MOST_NESTED):
            raise _UnfitError
        match node:
            case Characters(ranges):
                return self._character(ranges, around)
            case regular.Sequence(parts):
                found = _NO_POSITION
                for part in parts:
                    found = self._append(found, self.read(part, around, depth + 1), around)
                return found
            case Alternation(parts) if parts:
                read = [self.read(part, around, depth + 1) for part in parts]
                return _Part(
                    any(part.may_be_empty for part in read),
                    tuple(position for part in read for position in part.first),
                    tuple(position for part in read for position in part.last),
                )
            case CapturingGroup(body):
                return self.read(body, around, depth + 1)
            case Repeat(mode=mode) if mode != regular.POSSESSIVE:
                return self._repeat(node, around, depth)
            case Reference(name) if name not in self._open:
                self._open.add(name)
                found = self.read(self._rules[name], around, depth + 1)
                self._open.discard(name)
                return found
        raise _UnfitError

    def _character(self, code_points: CodePoints, around: tuple[int, ...]) -> _Part:
        if not code_points or len(self._roots) > MAX_POSITIONS:
            raise _UnfitError
        position = len(self._roots)
        self._roots.append(self._utf8.root(code_points))
        self._loops.append(around)
        self._edges.append([])
        return _Part(False, (position,), (position,))

    def _append(self, one: _Part, other: _Part, around: tuple[int, ...]) -> _Part:
        if not one.first or not other.first:
            return one if one.first else other
        self._connect(one.last, Edge(other.first, len(around), False))
        return _Part(
            one.may_be_empty and other.may_be_empty,
            one.first + other.first if one.may_be_empty else one.first,
            one.last + other.last if other.may_be_empty else other.last,
        )

    def _repeat(self, node: Repeat, around: tuple[int, ...], depth: int) -> _Part:
        """Return a loop: counted, or written out if it is small."""
        low, most = node.low, node.high
        if most == 0:
            return _NO_POSITION
        size = self._measure(node.body, depth)
        n_copies = low if most is None else most
        loop = len(self._bounds)
        is_counted = n_copies > 1 and n_copies * size > MOST_COPIES
        if is_counted:
            self._bounds.append((1, most))
            around, n_copies = (*around, loop), 1
        n_copies = max(n_copies, 1) if size else 1
        parts = [self.read(node.body, around, depth + 1) for _ in range(n_copies)]
        low = 0 if parts[0].may_be_empty else low
        if is_counted:
            self._bounds[loop] = (max(low, 1), most)
        if is_counted or most is None:
            self._connect(parts[-1].last, Edge(parts[-1].first, len(around), is_counted))
        for one, other in pairwise(parts):
            self._connect(one.last, Edge(other.first, len(around), False))
        ends = (part.last for part in parts[min(max(low, 1), len(parts)) - 1 :])
        return _Part(not low, parts[0].first, tuple(chain.from_iterable(ends)))

    def _connect(self, positions: Sequence[int], edge: Edge) -> None:
        for position in positions:
            self._edges[position].append(edge)

    def _measure(self, node: Expression, depth: int) -> int:
        """Return about how many positions a part has, at most one more than are written out.

        Loops that are counted are so once.
        """
        if self._rules and depth > _MOST_NESTED:
            raise _UnfitError
        match node:
            case regular.Sequence(parts) | Alternation(parts):
                size = 0
                for part in parts:
                    size += self._measure(part, depth + 1)
                    if size > MOST_COPIES:
                        break
                return min(size, MOST_COPIES + 1)
            case CapturingGroup(body):
                return self._measure(body, depth + 1)
            case Repeat(body, low, high):
                size = self._measure(body, depth + 1)
                written = size * max(low if high is None else high, 1)
                return min(written if written <= MOST_COPIES else size, MOST_COPIES + 1)
            case Reference(name):
                if name not in self._sizes:
                    self._sizes[name] = MOST_COPIES + 1  # where it comes back to itself
                    self._sizes[name] = self._measure(self._rules[name], depth + 1)
                return self._sizes[name]
        return 1


def _strip(node: Expression, *, begins: bool, ends: bool) -> Expression:
    """Return a part without the anchors that hold where the text begins with it, or ends."""
    match node:
        case Anchor(kind) if begins and kind in "^A" or ends and kind in "$Z":
            return regular.EMPTY_TEXT
        case regular.Sequence(parts):
            kept = list(parts)
            while begins and kept and _is_anchor(kept[0], "^A"):
                del kept[0]
            while ends and kept and _is_anchor(kept[-1], "$Z"):
                del kept[-1]
            stripped = [
                _strip(part, begins=begins and n == 0, ends=ends and n == len(kept) - 1)
                for n, part in enumerate(kept)
            ]
            return regular.Sequence(tuple(stripped))
        case Alternation(parts):
            return Alternation(tuple(_strip(part, begins=begins, ends=ends) for part in parts))
        case CapturingGroup(body):
            return _strip(body, begins=begins, ends=ends)
    return node


def _is_anchor(node: Expression, kinds: str) -> bool:
    return isinstance(node, Anchor) and node.kind in kinds
