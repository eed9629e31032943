"""A graph-structured stack: sets of parser stacks that share structure, moved all at once.

A general parser may have many readings of one text, each with a stack of its own. The stacks of a
set are the paths through a graph: a *node* is a state with the nodes that can be right below it,
and a *set* is the nodes that can be on top. Stacks with equal tops go on alike, whatever the
readings were, so nodes of one state are merged as soon as they are on top together: the graph
grows with the text and not with the number of readings.

Nodes and sets never change, and equal ones are the same object as long as the cache has them: forks
and snapshots cost nothing, and what was computed for a set is found again wherever the set comes
up. A list that the parser reduces item by item comes back to the same set at each item. Two equal
nodes, made by two threads or when the first was evicted, only cost a cache miss.

Before a terminal is shifted, *all* reductions are done, once for a set: what can be shifted then is
what can come next. No production is empty, so a reduction pops the top at least, and the nodes
below, which are finished, are all that it looks at.

Example: for ``S -> S S | a`` the text ``aaa`` has two readings. On top of its set is the node of
the last ``a``; with all reductions done, a node for one S, a node for S S, and so on.

Source: Tomita 1985, *Efficient Parsing for Natural Language*; Scott and Johnstone 2006
(doi:10.1145/1146809.1146810).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Final

from maskc.ids import GeneralStateId, TerminalId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.glr.tables import Lr0Tables

# In one step of :mod:`maskc.runtime.effort`: nodes that are looked at, and pairs compared.
_NODES: Final = 8
_PAIRS: Final = 32

_LINK_BYTES: Final = 16  # of a node in a tuple of them, and in a key
_MOST_REDUCED: Final = 64  # sets whose reductions are remembered

_serials = count(1)


class Node:
    """A parser state and the nodes that can be right below it. Never changes.

    Attributes:
        state: of the LR(0) table.
        below: the nodes; none at the bottom of all stacks.
        serial: a number that no other node or set of the process ever has.
    """

    __slots__ = ("below", "serial", "state")

    def __init__(self, state: GeneralStateId, below: Nodes) -> None:
        self.state = state
        self.below = below
        self.serial: int = next(_serials)


# In increasing order of their serials. Most nodes lie above one that others lie above as well, and
# share the tuple with these.
Nodes = tuple[Node, ...]

# The states on top when all reductions are done, each with the nodes right below it. Nodes are made
# only of those on which something is pushed.
Reduced = list[tuple[GeneralStateId, Nodes]]


class StackSet:
    """A set of stacks. Never changes.

    Attributes:
        tops: the nodes on top; their states differ.
        serial: a number that no other set of the process ever has, by which results are found.
        taken: the lookaheads that some stack goes on with, as a bit set; negative until that is
            first needed.
    """

    __slots__ = ("serial", "taken", "tops")

    def __init__(self, tops: Nodes) -> None:
        self.tops = tops
        self.serial: int = next(_serials)
        self.taken: int = -1


# State → the number of what lies below it, for a set of nodes; in order of the states.
Paths = tuple[tuple[GeneralStateId, int], ...]

_REFUSED: Final = StackSet(())  # in the place of a result: no stack takes the terminal


class GraphStructuredStack:
    """All sets of stacks of one artifact, in whatever threads they are used.

    Args:
        tables: the parser's.
        budget: what cached results are charged to. What is cached of a set keeps its nodes alive.

    Attributes:
        tables, budget: as given.
        start: the set before the first terminal.
    """

    def __init__(self, tables: Lr0Tables, budget: Budget) -> None:
        self.tables = tables
        self.budget = budget
        # By the state, and the serials of the nodes below in order; sets by those of the tops.
        self._nodes = Cache(budget, _measure)
        self._sets = Cache(budget, _measure)
        self._groups = Cache(budget, _measure)  # by the serials in order
        self._shifted = Cache(budget)  # (serial, terminal) → stacks, or ``_REFUSED``
        self._described = Cache(budget)  # (serial, lookaheads) → what :meth:`describe` returns
        # By the serial of a set. A text goes on from the latest ones.
        self._reduced: dict[int, Reduced] = {}
        self.start = self._intern([self._node(GeneralStateId(0), ())])

    def taken(self, stacks: StackSet) -> int:
        """Return the lookaheads that some stack goes on with, as a bit set."""
        taken = stacks.taken
        if taken < 0:
            taken = 0
            for state, _ in self._reduce(stacks):
                taken |= self.tables.taken[state]
            stacks.taken = taken
        return taken

    def shift(self, stacks: StackSet, terminal: TerminalId) -> StackSet | None:
        """Return the stacks after a terminal, ``None`` if no stack takes it."""
        key = (stacks.serial, terminal)
        found: StackSet | None = self._shifted.get(key)
        if found is None:
            found = self._shift(stacks, terminal) or _REFUSED
            self._shifted.put(key, found)
        return None if found is _REFUSED else found

    def unite(self, left: StackSet, right: StackSet) -> StackSet:
        """Return the stacks of both."""
        if left is right:
            return left
        below: dict[GeneralStateId, set[Node]] = {}
        for node in (*left.tops, *right.tops):
            below.setdefault(node.state, set()).update(node.below)
        return self._intern([self._node(*item) for item in below.items()])

    def describe(self, stacks: StackSet, lookaheads: int) -> tuple[Paths, ...]:
        """Return the stacks that go on with some lookaheads, whatever objects hold them.

        Equal sets of stacks are described alike, though one may be merged where the other is not,
        and of those that take none of the lookaheads nothing is left.
        """
        key = (stacks.serial, lookaheads)
        found: tuple[Paths, ...] | None = self._described.get(key)
        if found is None:
            found = list_paths(frozenset(self._going(stacks, lookaheads)))
            self._described.put(key, found)
        return found

    def identify(self, stacks: StackSet, lookaheads: int) -> frozenset[int]:
        """Return the serials of the nodes on top of those that go on with some lookaheads."""
        return frozenset([node.serial for node in self._going(stacks, lookaheads)])

    def _going(self, stacks: StackSet, lookaheads: int) -> list[Node]:
        taken = self.tables.taken
        going = [item for item in self._reduce(stacks) if taken[item[0]] & lookaheads]
        return [self._node(state, below) for state, below in going]

    def _shift(self, stacks: StackSet, terminal: TerminalId) -> StackSet | None:
        below: dict[GeneralStateId, list[Node]] = {}
        for state, nodes in self._reduce(stacks):
            targets = self.tables.shifts(state).get(terminal)
            if targets:
                node = self._node(state, nodes)
                for target in targets:
                    below.setdefault(target, []).append(node)
        if not below:
            return None
        return self._intern([self._node(*item) for item in below.items()])

    def _reduce(self, stacks: StackSet) -> Reduced:
        """Do all reductions; the states are in order.

        ``bases``: state → the nodes below it so far. What a state's bases lead to is the union of
        what each leads to, so ``pending`` holds a state with the bases that were added to it, and a
        reduction is done for these only.
        """
        known_before = self._reduced.get(stacks.serial)
        if known_before is not None:
            return known_before
        tables, n_seen = self.tables, 0
        bases: dict[GeneralStateId, set[Node]] = {}
        pending: list[tuple[GeneralStateId, set[Node]]] = []
        for node in stacks.tops:
            bases[node.state] = set(node.below)
            pending.append((node.state, bases[node.state].copy()))
        while pending:
            state, added = pending.pop()
            for nonterminal, length in tables.reduces(state):
                level = added
                for _ in range(length - 1):
                    if not level:
                        break
                    level = {node for above in level for node in above.below}
                    n_seen += len(level)
                n_seen += len(level)
                if n_seen > 32 * _NODES:
                    spend(n_seen // _NODES)
                    n_seen = 0
                found: dict[GeneralStateId, set[Node]] = {}
                for node in level:
                    target = tables.gotos(node.state).get(nonterminal)
                    if target is not None:
                        found.setdefault(target, set()).add(node)
                for target, nodes in found.items():
                    known = bases.setdefault(target, set())
                    nodes -= known
                    if nodes:
                        known |= nodes
                        pending.append((target, nodes))
        spend((n_seen + sum(map(len, bases.values()))) // _NODES)
        reduced = [(state, self._share(bases[state])) for state in sorted(bases)]
        if len(self._reduced) >= _MOST_REDUCED:
            self._reduced = {}
        self._reduced[stacks.serial] = reduced
        return reduced

    def _node(self, state: GeneralStateId, below: Iterable[Node]) -> Node:
        """Return the node of a state over others, without those whose stacks another one has."""
        nodes = self._share(below)
        key = (state, *[node.serial for node in nodes])
        found: Node | None = self._nodes.get(key)
        if found is None:
            found = Node(state, nodes)
            self._nodes.put(key, found)
        return found

    def _intern(self, tops: Iterable[Node]) -> StackSet:
        nodes = self._share(tops)
        key = tuple([node.serial for node in nodes])
        found: StackSet | None = self._sets.get(key)
        if found is None:
            found = StackSet(nodes)
            self._sets.put(key, found)
        return found

    def _share(self, nodes: Iterable[Node]) -> Nodes:
        """Return some nodes in order, as the object that others have who lie above them."""
        distinct = {node.serial: node for node in nodes}
        if len(distinct) > 1:
            _drop_covered(distinct)
        key = tuple(sorted(distinct))
        found: Nodes | None = self._groups.get(key)
        if found is None:
            found = tuple([distinct[serial] for serial in key])
            self._groups.put(key, found)
        return found


def _measure(serials: tuple[int, ...], _: object) -> int:
    return ENTRY_BYTES + _LINK_BYTES * len(serials)


def _drop_covered(nodes: dict[int, Node]) -> None:
    """Remove those nodes that have less below than another one of their state."""
    by_state: dict[GeneralStateId, list[Node]] = {}
    for node in nodes.values():
        by_state.setdefault(node.state, []).append(node)
    if len(by_state) < len(nodes):
        for group in by_state.values():
            for node in _find_covered(group):
                del nodes[node.serial]


def _find_covered(nodes: list[Node]) -> list[Node]:
    """Return the nodes of a state that have less below than another one of them."""
    # Only what has more below can cover a node, and mostly all have one node below.
    several = {node: frozenset(node.below) for node in nodes if len(node.below) > 1}
    spend((len(nodes) + len(several) * len(several)) // _PAIRS)
    if not several:
        return []
    below_several: set[Node] = set()
    below_several.update(*several.values())
    found = [n for n in nodes if len(n.below) == 1 and n.below[0] in below_several]
    for node, below in several.items():
        if any(below < other for other in several.values()):
            found.append(node)
    return found


def list_paths(tops: frozenset[Node]) -> tuple[Paths, ...]:
    """Return the paths down from some nodes as an automaton, equal for equal sets of paths.

    Nodes of one state are taken together all the way down (the subset construction; a graph of
    stacks has no cycles), and equal results are one; the last is that of the nodes given.
    """
    number_of: dict[frozenset[Node], int] = {}
    number: dict[Paths, int] = {}
    pending = [tops]
    while pending:
        nodes = pending[-1]
        below: dict[GeneralStateId, set[Node]] = {}
        for node in nodes:
            below.setdefault(node.state, set()).update(node.below)
        rests = [(state, frozenset(below[state])) for state in sorted(below)]
        missing = [rest for _, rest in rests if rest not in number_of]
        if missing:
            pending.append(missing[0])
            continue
        pending.pop()
        paths = tuple((state, number_of[rest]) for state, rest in rests)
        number_of[nodes] = number.setdefault(paths, len(number))
    return tuple(number)
