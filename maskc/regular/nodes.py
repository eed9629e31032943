"""The nodes of an NFA with ordered alternatives, down to the bytes of characters.

What nodes mean is told where they are made: :mod:`maskc.regular.nfa`.

A set of code points is a byte automaton of its own, a trie over UTF-8 with equal subtrees shared: a
node there reads one byte and says which node reads the next one; ``DONE`` ends the character. Each
set gives a deterministic trie, so a character that is cut in the middle of its bytes is one node,
whatever characters it may still become.

Example: ``é`` is C3 A9: root -C3-> node -A9-> DONE. The node after the lead byte of "any
two-byte character" is the same one that follows every other lead byte.

Source: Ken Thompson's construction as in regex-automata's UTF-8 sequences; here by digits to
base 64, which needs no sorting of byte sequences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from maskc.budget import poll
from maskc.byte_classes import DONE
from maskc.errors import LimitError
from maskc.regular import Expression
from maskc.regular.charset import CodePoints, merge
from maskc.wording import Phrase

_LENGTHS = (  # first and last code point, lead byte of the first block, continuation bytes
    (0x0, 0x7F, 0x00, 0),
    (0x80, 0x7FF, 0xC0, 1),
    (0x800, 0xFFFF, 0xE0, 2),
    (0x10000, 0x10FFFF, 0xF0, 3),
)

MAX_NFA_NODES = 2_000_000
_POLL_EVERY = 4_096  # nodes


class Utf8Nodes:
    """Shared nodes of all sets of one scanner."""

    def __init__(self, *, use_bytes: bool = False) -> None:
        # whether the text is no UTF-8: code point n is byte n, and no other is read
        self.use_bytes = use_bytes
        # per node, `(first byte, last byte, next node)`, disjoint and sorted
        self.edges: list[tuple[tuple[int, int, int], ...]] = []
        self._known: dict[tuple[tuple[int, int, int], ...], int] = {}
        self._roots: dict[CodePoints, int] = {}

    def root(self, code_points: CodePoints) -> int:
        """Return the node that reads one character of the set."""
        found = self._roots.get(code_points)
        if found is None and self.use_bytes:
            bytes_ = [(low, min(high, 0xFF), DONE) for low, high in code_points if low <= 0xFF]
            found = self._roots[code_points] = self._intern(bytes_)
        elif found is None:
            nodes = [DONE]  # ``DONE`` is -1, so node n of the set alone is n + 1 here
            for edges in _nodes_of(code_points):
                known = [(low, high, nodes[below + 1]) for low, high, below in edges]
                nodes.append(self._intern(known))
            found = self._roots[code_points] = nodes[-1]
        return found

    def add(self, code_points: CodePoints) -> None:
        """Add the nodes of a set to none; its root is the last one."""
        edges: list[tuple[int, int, int]] = []
        for first, last, lead, n_more in _LENGTHS:
            inside = [
                (max(low, first), min(high, last))
                for low, high in code_points
                if low <= last and high >= first
            ]
            if n_more and inside:
                edges += self._digits(inside, n_more, lead)
            else:
                # A character of one byte is no digits.
                edges += ((low, high, DONE) for low, high in merge(inside))
        self._intern(edges)

    def _digits(
        self, ranges: list[tuple[int, int]], n_more: int, base: int
    ) -> list[tuple[int, int, int]]:
        """Return edges on the leading digit; ``base + digit`` is the byte.

        ``parts`` are runs of digits in order, each with what is read below it: of more digits than
        one, all there is.
        """
        block = 64**n_more
        parts: list[tuple[int, int, list[tuple[int, int]]]] = []
        for low, high in ranges:
            while low <= high:
                digit, start = divmod(low, block)
                last = digit
                if start == 0 and high - low >= block:
                    last = (high + 1) // block - 1
                stop = min(high, (last + 1) * block - 1)
                inside = (start, min(stop - digit * block, block - 1))
                if parts and parts[-1][1] == digit:
                    parts[-1][2].append(inside)
                else:
                    parts.append((digit, last, [inside]))
                low = stop + 1
        edges: list[tuple[int, int, int]] = []
        for first, last, below in parts:
            if below == [(0, block - 1)]:
                node = self._whole(n_more)
            else:
                node = self._intern(self._digits(below, n_more - 1, 0x80))
            if edges and edges[-1][1] == base + first - 1 and edges[-1][2] == node:
                edges[-1] = (edges[-1][0], base + last, node)
            else:
                edges.append((base + first, base + last, node))
        return edges

    def _whole(self, n_more: int) -> int:
        """Return the node after a lead byte when all that can follow is in the set."""
        return self._intern([(0x80, 0xBF, self._whole(n_more - 1))]) if n_more else DONE

    def _intern(self, edges: list[tuple[int, int, int]]) -> int:
        key = tuple(edges)
        if key not in self._known:
            self._known[key] = len(self.edges)
            self.edges.append(key)
        return self._known[key]


@lru_cache(maxsize=1_000)
def _nodes_of(code_points: CodePoints) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return the edges of the nodes of a set alone, its root last; many patterns have the set."""
    nodes = Utf8Nodes()
    nodes.add(code_points)
    return tuple(nodes.edges)


@dataclass(frozen=True, slots=True)
class Char:
    """Reads one character: enter ``root``, continue at ``next`` after its last byte."""

    root: int
    next: int


@dataclass(slots=True)
class SplitNode:
    """Tries ``targets`` in order."""

    targets: list[int]
    # number of the repetition that decides here whether to repeat once more. Coming back to a split
    # of the same number without having read a character since, re does not repeat again but goes on
    # at leave
    loop: int = -1
    leave: int = -1
    # in an atomic group, per target, the same choice in a copy of the group that ends where the
    # group ends: a target counts only if no rival of an earlier one matches
    rivals: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LookAround:
    """Goes to ``next`` if ``start`` matches (or does not) here.

    Of a look-ahead ``start`` is a node; of a look-behind, its index in ``Arena.look_behinds``.
    """

    ahead: bool
    positive: bool
    start: int
    next: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Enters or leaves a group that some conditional asks for, and goes to ``next``."""

    group: int
    leaves: bool
    next: int


@dataclass(frozen=True, slots=True)
class Test:
    """Goes to ``present`` if the group has matched, else to ``absent``."""

    group: int
    present: int
    absent: int


@dataclass(frozen=True, slots=True)
class Accept:
    """The end of the pattern labelled ``label``."""

    label: int


Node = Char | SplitNode | LookAround | Mark | Test | Accept


def targets_of(node: Node) -> list[int]:
    """Return where a node leads, rivals excepted."""
    match node:
        case Char() | LookAround() | Mark():
            return [node.next]
        case Test():
            return [node.present, node.absent]
        case SplitNode():
            return [*node.targets, node.leave] if node.loop >= 0 else list(node.targets)
    return []


def with_targets(node: Node, targets: list[int]) -> Node:
    """Return a node with other targets, in the order of :func:`targets_of`."""
    match node:
        case Char() | LookAround() | Mark():
            return replace(node, next=targets[0])
        case Test():
            return replace(node, present=targets[0], absent=targets[1])
        case SplitNode():
            leave = targets.pop() if node.loop >= 0 else -1
            return SplitNode(targets, node.loop, leave, node.rivals)
    return node


class Arena:
    """Nodes by number."""

    def __init__(self, *, use_bytes: bool = False) -> None:
        self.nodes: list[Node] = []
        self.utf8 = Utf8Nodes(use_bytes=use_bytes)
        # start node of each look-behind's own NFA; LookAround.start indexes it. One that stands
        # inside another comes before it
        self.look_behinds: list[int] = []
        # number of each look-behind by its syntax tree
        self.look_behind_of: dict[Expression, int] = {}
        self.n_loops = 0
        self._chars: dict[Char, int] = {}

    def add(self, node: Node) -> int:
        if len(self.nodes) >= MAX_NFA_NODES:
            raise LimitError("automaton nodes", MAX_NFA_NODES, Phrase.COUNT_LESS)
        if not len(self.nodes) % _POLL_EVERY:
            poll()
        self.nodes.append(node)
        return len(self.nodes) - 1

    def char(self, code_points: CodePoints, following: int) -> int:
        """Return the node that reads one of the code points and goes on."""
        if not code_points or (self.utf8.use_bytes and code_points[0][0] > 0xFF):
            return self.add(SplitNode([]))
        node = Char(self.utf8.root(code_points), following)
        found = self._chars.get(node)
        if found is None:
            found = self._chars[node] = self.add(node)
        return found
