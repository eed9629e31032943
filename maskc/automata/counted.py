r"""The positions of a regular expression, with a counter for each loop that is counted.

A *position* is one character of the pattern. After it follow others, by edges that say how many of
the counted loops around it stay open, and whether the innermost of these begins one more pass. A
loop counts its passes (:mod:`maskc.automata.counts`) and is never written out, unless it is so
small that copies are cheaper.

A pass that reads nothing counts for nothing: ``(?:a?){3}`` is ``a{0,3}``.

Only whether a text matches as a whole counts, not how. So ``^`` and ``\A`` at its beginning, and
``$`` and ``\Z`` at its end, ask for nothing. Other look-arounds, atomic groups and conditionals are
not followed here, but in :mod:`maskc.automata.threads`.

Example: ``[a-z]{1,1000};`` has two positions and one loop; after a letter follows the letter, with
one more pass, or the semicolon, with the loop left.

Source: the automaton of positions (Glushkov 1961, doi:10.1070/RM1961v016n05ABEH004112), with
counters as in Turoňová et al. 2020 (doi:10.1145/3428286).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, cast

from maskc.automata.charset import CodePoints
from maskc.automata.nfa import read_set
from maskc.automata.utf8 import Utf8Nodes
from maskc.runtime.link.counts.counts import Bounds
from maskc.runtime.link.counts.positions import START, CountedPattern, Edge

MAX_POSITIONS = 50_000
# A loop that has no more positions when it is written out is written out.
MOST_COPIES = 16

# CPython's parser has no public name; its tree is documented nowhere but in its source.
_parser = cast(Any, re)._parser  # noqa: SLF001
_combine_flags = cast(Any, re)._compiler._combine_flags  # noqa: SLF001

_Tree = Sequence[tuple[Any, Any]]


def count_loops(pattern: str) -> CountedPattern | None:
    """Return the positions of a pattern, ``None`` if it is followed better in another way.

    That is if it has no loop that is worth a counter, looks around, or is too large even so.
    """
    tree = _parser.parse(pattern)
    builder = PositionBuilder()
    reader = _PatternReader(builder)
    try:
        whole = reader.sequence(list(tree), tree.state.flags, (), begins=True, ends=True)
    except UnfitError:
        return None
    return builder.finish(whole)


class UnfitError(Exception):
    """The pattern is not for counters."""


class Part(NamedTuple):
    """A part of a pattern."""

    may_be_empty: bool
    first: tuple[int, ...]
    last: tuple[int, ...]


NOTHING = Part(True, (), ())


class PositionBuilder:
    """Makes positions; ``around`` is always the numbers of the counted loops around a part."""

    def __init__(self) -> None:
        self._utf8 = Utf8Nodes()
        self._roots: list[int] = [-1]
        self._loops: list[tuple[int, ...]] = [()]
        self._edges: list[list[Edge]] = [[]]
        self._bounds: list[Bounds] = []

    def finish(self, whole: Part) -> CountedPattern | None:
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

    def character(self, code_points: CodePoints, around: tuple[int, ...]) -> Part:
        if not code_points or len(self._roots) > MAX_POSITIONS:
            raise UnfitError
        position = len(self._roots)
        self._roots.append(self._utf8.root(code_points))
        self._loops.append(around)
        self._edges.append([])
        return Part(False, (position,), (position,))

    def append(self, one: Part, other: Part, around: tuple[int, ...]) -> Part:
        if not one.first or not other.first:
            return one if one.first else other
        self._connect(one.last, Edge(other.first, len(around), False))
        return Part(
            one.may_be_empty and other.may_be_empty,
            one.first + other.first if one.may_be_empty else one.first,
            one.last + other.last if other.may_be_empty else other.last,
        )

    def choose(self, parts: Sequence[Part]) -> Part:
        return Part(
            any(part.may_be_empty for part in parts),
            tuple(position for part in parts for position in part.first),
            tuple(position for part in parts for position in part.last),
        )

    def repeat(
        self,
        low: int,
        most: int | None,
        size: int,
        make: Callable[[tuple[int, ...]], Part],
        around: tuple[int, ...],
    ) -> Part:
        """Return a loop, written out if it is small.

        Args:
            size: about how many positions a pass has.
        """
        if most == 0:
            return NOTHING
        n_copies = low if most is None else most
        if n_copies > 1 and n_copies * size > MOST_COPIES:
            return self._count(low, most, make, around)
        parts = [make(around) for _ in range(max(n_copies, 1) if size else 1)]
        if most is None:
            self._connect(parts[-1].last, Edge(parts[-1].first, len(around), False))
        for one, other in pairwise(parts):
            self._connect(one.last, Edge(other.first, len(around), False))
        low = 0 if parts[0].may_be_empty else low
        ends = [part.last for part in parts[max(low, 1) - 1 :]]
        return Part(not low, parts[0].first, tuple(chain.from_iterable(ends)))

    def _count(
        self,
        low: int,
        most: int | None,
        make: Callable[[tuple[int, ...]], Part],
        around: tuple[int, ...],
    ) -> Part:
        loop = len(self._bounds)
        self._bounds.append((1, most))
        inside = (*around, loop)
        body = make(inside)
        low = 0 if body.may_be_empty else low
        self._bounds[loop] = (max(low, 1), most)
        self._connect(body.last, Edge(body.first, len(inside), True))
        return Part(not low, body.first, body.last)

    def _connect(self, positions: Sequence[int], edge: Edge) -> None:
        for position in positions:
            self._edges[position].append(edge)


class _PatternReader:
    """Reads a syntax tree of ``re``."""

    def __init__(self, builder: PositionBuilder) -> None:
        self._builder = builder

    def sequence(
        self, tree: _Tree, flags: int, around: tuple[int, ...], *, begins: bool, ends: bool
    ) -> Part:
        """Return parts one after the other."""
        parts = list(tree)
        while begins and parts and _is_anchor(parts[0], "AT_BEGINNING"):
            del parts[0]
        while ends and parts and _is_anchor(parts[-1], "AT_END"):
            del parts[-1]
        found = NOTHING
        for n, (opcode, argument) in enumerate(parts):
            part = self._node(
                str(opcode),
                argument,
                flags,
                around,
                begins=begins and n == 0,
                ends=ends and n == len(parts) - 1,
            )
            found = self._builder.append(found, part, around)
        return found

    def _node(
        self,
        opcode: str,
        argument: Any,
        flags: int,
        around: tuple[int, ...],
        *,
        begins: bool,
        ends: bool,
    ) -> Part:
        match opcode:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self._builder.character(read_set(opcode, argument, flags), around)
            case "BRANCH":
                return self._builder.choose(
                    [
                        self.sequence(branch, flags, around, begins=begins, ends=ends)
                        for branch in argument[1]
                    ]
                )
            case "SUBPATTERN":
                _, added, removed, tree = argument
                inner = _combine_flags(flags, added, removed)
                return self.sequence(tree, inner, around, begins=begins, ends=ends)
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, tree = argument
                return self._builder.repeat(
                    int(low),
                    None if high == _parser.MAXREPEAT else int(high),
                    _measure(tree),
                    lambda inside: self.sequence(tree, flags, inside, begins=False, ends=False),
                    around,
                )
        raise UnfitError


def _measure(tree: _Tree) -> int:
    """Return about how many positions a part has, loops that are counted once."""
    size = 0
    for opcode, argument in tree:
        match str(opcode):
            case "BRANCH":
                size += sum(map(_measure, argument[1]))
            case "SUBPATTERN":
                size += _measure(argument[3])
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, inner = argument
                body = _measure(inner)
                n_copies = max(int(low) if high == _parser.MAXREPEAT else int(high), 1)
                size += body * n_copies if body * n_copies <= MOST_COPIES else body
            case _:
                size += 1
    return size


def _is_anchor(node: tuple[Any, Any], name: str) -> bool:
    opcode, argument = node
    return str(opcode) == "AT" and str(argument).startswith(name)
