"""The nodes of an NFA with ordered alternatives, and the arena that holds them.

What they mean is told where they are made: :mod:`maskc.regular.nfa`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from maskc.budget import poll
from maskc.errors import LimitError
from maskc.regular.charset import CodePoints
from maskc.regular.tree import Expression
from maskc.regular.utf8 import Utf8Nodes
from maskc.wording import Phrase

MAX_NFA_NODES = 2_000_000
_POLL_EVERY = 4_096  # nodes


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
