"""A graph-structured stack: sets of parser stacks that share structure, moved all at once.

A general parser may have many readings of one text, each with a stack of its own. The stacks of a
set are the paths through a graph: a *node* is a state with the set of what can be right below it,
and a *set* is the nodes that can be on top. Stacks with equal tops go on alike, whatever the
readings were, so nodes of one state are merged as soon as they are on top together: the graph
grows with the text and not with the number of readings.

Sets never change, and equal ones are the same object as long as the cache has them: forks and
snapshots cost nothing, and what was computed for a set is found again wherever the set comes up. A
list that the parser reduces item by item comes back to the same set at each item. Two equal sets,
made by two threads or when the first was evicted, only cost a cache miss. A set is a flat tuple of
numbers and of older sets. Python's garbage collector stops looking at such a tuple the first time
that it runs, as it has stopped to look at the older ones.

Before a terminal is shifted, *all* reductions are done, once for a set: what can be shifted then is
what can come next. No production is empty, as the compiler has rewritten those that were, so a
reduction pops the top at least, and the nodes below, which are finished, are all that it looks at.

The parser's table is an LR(0) table: where an LALR table has at most one action for a state and a
terminal, this one has all of them. Its rows are dicts that are made when they are first asked for,
shared objects that must not be changed.

Example: for ``S -> S S | a`` the text ``aaa`` has two readings. On top of its set is the node of
the last ``a``; with all reductions done, a node for one S, a node for S S, and so on.

Source: Tomita 1985, *Efficient Parsing for Natural Language*; Scott and Johnstone 2006
(doi:10.1145/1146809.1146810).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.ids import GeneralStateId, NonterminalId, TerminalId
from maskc.runtime.cache import EDGE_BYTES, ENTRY_BYTES, Budget, Cache
from maskc.runtime.scanner import to_bit_sets, view_numbers
from maskc.runtime.step_budget import charge_steps

# In one step of :mod:`maskc.runtime.step_budget`: nodes that are looked at, and pairs compared.
_NODES: Final = 8
_PAIRS: Final = 32

_NODE_BYTES: Final = 56  # of a node in a set, and of its number in a key
ONE: Final = 3  # the length of a set with one node on top
_MOST_REDUCED: Final = 64  # sets whose reductions are remembered

# A set of stacks: a number that no other set of the graph ever has, by which results are found; and
# for each node on top, in order, its state and the set of the stacks below it. On top of stacks the
# states differ. A set is younger than those below it, and its number is greater.
Stacks = tuple[Any, ...]

NO_STACKS: Final[Stacks] = (0,)  # and what is below the bottom of all stacks

# A state of the LR(0) table, and what is below it; by the number of what is below times how many
# states there are, and the state.
Nodes = dict[int, tuple[GeneralStateId, Stacks]]

# The states on top when all reductions are done, each with what is below it.
Reduced = list[tuple[GeneralStateId, Stacks]]

# State → the number of what lies below it, for a set of nodes; in order of the states.
Paths = tuple[tuple[GeneralStateId, int], ...]

# A production that ends in a state: the nonterminal that it makes, and how many states it pops, at
# least one.
Reduction = tuple[NonterminalId, int]

# The columns of each table, beside where the rows of a state begin.
_COLUMNS: Final = {
    "shift": ("terminal", "state"),
    "goto": ("nonterminal", "state"),
    "reduce": ("nonterminal", "length"),
}

BOTTOM = GeneralStateId(-1)  # instead of the state below the start state, without any gotos


class Lr0Tables:
    """The parser of one artifact."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays
        self._first = {table: view_numbers(arrays[f"general_{table}_first"]) for table in _COLUMNS}
        self._columns = {
            table: [view_numbers(arrays[f"general_{table}_{name}"]) for name in names]
            for table, names in _COLUMNS.items()
        }
        # state → the lookaheads, as a bit set, that it shifts or ends with
        self.taken = to_bit_sets(arrays["general_taken"])
        # state → those that a stack with this state on top can go on with, reductions included; all
        # of them in an artifact in which no state decides anything
        self.live = to_bit_sets(arrays["general_live"])
        n_states = len(self.taken)
        nonterminals = (arrays["general_goto_nonterminal"], arrays["general_reduce_nonterminal"])
        # nonterminals are below this
        self.n_nonterminals = 1 + max(int(some.max(initial=-1)) for some in nonterminals)
        # how many states a production pops at most
        self.longest = int(arrays["general_reduce_length"].max(initial=1))
        self._shifts: list[dict[TerminalId, tuple[GeneralStateId, ...]] | None] = [None] * n_states
        self._gotos: list[dict[NonterminalId, GeneralStateId] | None] = [None] * n_states
        self._gotos.append({})  # of BOTTOM, which is -1
        self._reduces: list[tuple[Reduction, ...] | None] = [None] * n_states

    def list_gotos(self) -> list[tuple[NonterminalId, GeneralStateId]]:
        """Return all (nonterminal, state that it leads to), each once."""
        arrays = self._arrays
        pairs = np.stack([arrays["general_goto_nonterminal"], arrays["general_goto_state"]], axis=1)
        return [(a, b) for a, b in np.unique(pairs, axis=0).tolist()]

    def shifts(self, state: GeneralStateId) -> dict[TerminalId, tuple[GeneralStateId, ...]]:
        """Return terminal → states."""
        row = self._shifts[state]
        if row is None:
            row = {}
            for terminal, target in self._pairs(state, "shift"):
                row[terminal] = (*row.get(terminal, ()), target)
            self._shifts[state] = row
        return row

    def gotos(self, state: GeneralStateId) -> dict[NonterminalId, GeneralStateId]:
        """Return nonterminal → state."""
        row = self._gotos[state]
        if row is None:
            row = self._gotos[state] = dict(self._pairs(state, "goto"))
        return row

    def reduces(self, state: GeneralStateId) -> tuple[Reduction, ...]:
        """Return the productions that end in a state."""
        row = self._reduces[state]
        if row is None:
            row = tuple(self._pairs(state, "reduce"))
            self._reduces[state] = row
        return row

    def _pairs(self, state: GeneralStateId, table: str) -> list[tuple[Any, Any]]:
        low, high = self._first[table][state], self._first[table][state + 1]
        left, right = self._columns[table]
        return list(zip(left[low:high].tolist(), right[low:high].tolist(), strict=True))


class GraphStructuredStack:
    """All sets of stacks of one artifact, in whatever threads they are used."""

    def __init__(self, tables: Lr0Tables, budget: Budget) -> None:
        self.tables = tables  # the parser's
        # what cached results are charged to. What is cached of a set keeps its nodes alive
        self.budget = budget
        self._n_states = len(tables.taken)
        self._numbers = count(1)
        self._sets = Cache(budget, _measure)  # the numbers of the nodes in order → set
        self._taken = Cache(budget, n_bytes=EDGE_BYTES)  # number of a set → its lookaheads
        self._shifted = Cache(budget)  # (number, terminal) → stacks, or ``NO_STACKS``
        # (number, lookaheads) → what :meth:`describe` returns, as long as the stacks are deep
        self._described = Cache(budget, _measure_paths)
        # By the number of a set. A text goes on from the latest ones.
        self._reduced: dict[int, Reduced] = {}
        # the set before the first terminal
        self.start = self._share({0: (GeneralStateId(0), NO_STACKS)})

    def taken(self, stacks: Stacks) -> int:
        """Return the lookaheads that some stack goes on with, as a bit set."""
        found: int | None = self._taken.get(stacks[0])
        if found is None:
            found = 0
            for state, _ in self._reduce(stacks):
                found |= self.tables.taken[state]
            self._taken.put(stacks[0], found)
        return found

    def shift(self, stacks: Stacks, terminal: TerminalId) -> Stacks | None:
        """Return the stacks after a terminal, ``None`` if no stack takes it."""
        key = (stacks[0], terminal)
        found: Stacks | None = self._shifted.get(key)
        if found is None:
            found = self._shift(stacks, terminal)
            self._shifted.put(key, found)
        return found if found[0] else None

    def unite(self, left: Stacks, right: Stacks) -> Stacks:
        """Return the stacks of both."""
        if left is right:
            return left
        below: dict[GeneralStateId, Nodes] = {}
        for state, under in (*list_nodes(left), *list_nodes(right)):
            below.setdefault(state, {}).update(index_nodes(under, self._n_states))
        return self._push(below)

    def describe(self, stacks: Stacks, lookaheads: int) -> tuple[Paths, ...]:
        """Return the stacks that go on with some lookaheads, whatever objects hold them.

        Equal sets of stacks are described alike, though one may be merged where the other is not,
        and of those that take none of the lookaheads nothing is left.
        """
        key = (stacks[0], lookaheads)
        return self._described.get_or_make(
            key, lambda: self._list_paths(self._going(stacks, lookaheads))
        )

    def identify(self, stacks: Stacks, lookaheads: int) -> frozenset[int]:
        """Return the numbers of the nodes on top of those that go on with some lookaheads."""
        return frozenset(self._going(stacks, lookaheads))

    def _going(self, stacks: Stacks, lookaheads: int) -> Nodes:
        taken, n_states = self.tables.taken, self._n_states
        return {
            below[0] * n_states + state: (state, below)
            for state, below in self._reduce(stacks)
            if taken[state] & lookaheads
        }

    def _shift(self, stacks: Stacks, terminal: TerminalId) -> Stacks:
        below: dict[GeneralStateId, Nodes] = {}
        for state, under in self._reduce(stacks):
            number = under[0] * self._n_states + state
            for target in self.tables.shifts(state).get(terminal, ()):
                below.setdefault(target, {})[number] = (state, under)
        return self._push(below)

    def _reduce(self, stacks: Stacks) -> Reduced:
        """Do all reductions; the states are in order.

        ``bases``: state → the nodes below it so far. What a state's bases lead to is the union of
        what each leads to, so ``pending`` holds a state with the bases that were added to it, and a
        reduction is done for these only.
        """
        known_before = self._reduced.get(stacks[0])
        if known_before is not None:
            return known_before
        tables, n_seen = self.tables, 0
        bases: dict[GeneralStateId, Nodes] = {}
        pending: list[tuple[GeneralStateId, Nodes]] = []
        for state, below in list_nodes(stacks):
            bases[state] = index_nodes(below, self._n_states)
            pending.append((state, bases[state].copy()))
        while pending:
            state, added = pending.pop()
            for nonterminal, length in tables.reduces(state):
                level = added
                for _ in range(length - 1):
                    if not level:
                        break
                    level = self._descend(level)
                    n_seen += len(level)
                n_seen += len(level)
                if n_seen > 32 * _NODES:
                    charge_steps(n_seen // _NODES)
                    n_seen = 0
                for target, found in self._go_to(level, nonterminal).items():
                    known = bases.setdefault(target, {})
                    new = {number: node for number, node in found.items() if number not in known}
                    if new:
                        known.update(new)
                        pending.append((target, new))
        charge_steps((n_seen + sum(map(len, bases.values()))) // _NODES)
        reduced = [(state, self._share(bases[state])) for state in sorted(bases)]
        if len(self._reduced) >= _MOST_REDUCED:
            self._reduced = {}
        self._reduced[stacks[0]] = reduced
        return reduced

    def _go_to(self, nodes: Nodes, nonterminal: NonterminalId) -> dict[GeneralStateId, Nodes]:
        """Return the states that a nonterminal leads to, each with the nodes it is pushed onto."""
        found: dict[GeneralStateId, Nodes] = {}
        for number, node in nodes.items():
            target = self.tables.gotos(node[0]).get(nonterminal)
            if target is not None:
                found.setdefault(target, {})[number] = node
        return found

    def _descend(self, nodes: Nodes) -> Nodes:
        found: Nodes = {}
        for _, below in nodes.values():
            found.update(index_nodes(below, self._n_states))
        return found

    def _push(self, below: dict[GeneralStateId, Nodes]) -> Stacks:
        """Return the stacks with some states on top of others."""
        tops: Nodes = {}
        for state, nodes in below.items():
            under = self._share(nodes)
            tops[under[0] * self._n_states + state] = (state, under)
        return self._share(tops)

    def _share(self, nodes: Nodes) -> Stacks:
        """Return the set of some nodes, without those whose stacks another one has."""
        if not nodes:
            return NO_STACKS
        if len(nodes) > 1:
            self._drop_covered(nodes)
        key = tuple(sorted(nodes))
        found: Stacks | None = self._sets.get(key)
        if found is None:
            flat: list[Any] = [next(self._numbers)]
            for number in key:
                flat.extend(nodes[number])
            found = tuple(flat)
            self._sets.put(key, found)
        return found

    def _drop_covered(self, nodes: Nodes) -> None:
        """Remove those nodes that have less below than another one of their state."""
        by_state: dict[GeneralStateId, list[int]] = {}
        for number, (state, _) in nodes.items():
            by_state.setdefault(state, []).append(number)
        if len(by_state) < len(nodes):
            for numbers in by_state.values():
                for number in self._find_covered(numbers, nodes):
                    del nodes[number]

    def _find_covered(self, numbers: list[int], nodes: Nodes) -> list[int]:
        """Return the numbers of a state's nodes that have less below than another one of them."""
        # Only what has more below can cover a node, and mostly all have one node below.
        below_of = {number: nodes[number][1] for number in numbers}
        several = {
            n: frozenset(index_nodes(x, self._n_states))
            for n, x in below_of.items()
            if len(x) > ONE
        }
        charge_steps((len(numbers) + len(several) * len(several)) // _PAIRS)
        if not several:
            return []
        below_several = frozenset[int]().union(*several.values())
        found = [
            number
            for number, below in below_of.items()
            if len(below) == ONE and below[2][0] * self._n_states + below[1] in below_several
        ]
        for number, under in several.items():
            if any(under < other for other in several.values()):
                found.append(number)
        return found

    def _list_paths(self, tops: Nodes) -> tuple[Paths, ...]:
        """Return the paths down from some nodes as an automaton, equal for equal sets of paths.

        Nodes of one state are taken together all the way down (the subset construction; a graph of
        stacks has no cycles), and equal results are one; the last is that of the nodes given.
        """
        number_of: dict[frozenset[int], int] = {}
        number: dict[Paths, int] = {}
        pending = [tops]
        while pending:
            nodes = pending[-1]
            below: dict[GeneralStateId, Nodes] = {}
            for state, under in nodes.values():
                below.setdefault(state, {}).update(index_nodes(under, self._n_states))
            charge_steps(len(below))
            rests = [(state, frozenset(below[state])) for state in sorted(below)]
            missing = [state for state, rest in rests if rest not in number_of]
            if missing:
                pending.append(below[missing[0]])
                continue
            pending.pop()
            paths = tuple([(state, number_of[rest]) for state, rest in rests])
            number_of[frozenset(nodes)] = number.setdefault(paths, len(number))
        return tuple(number)


def list_nodes(stacks: Stacks) -> list[tuple[GeneralStateId, Stacks]]:
    """Return the states on top of some stacks, each with what is below it."""
    if len(stacks) == ONE:
        return [(stacks[1], stacks[2])]
    return list(zip(stacks[1::2], stacks[2::2], strict=True))


def index_nodes(stacks: Stacks, n_states: int) -> Nodes:
    """Return the nodes on top of some stacks."""
    if len(stacks) == ONE:
        _, state, below = stacks
        return {below[0] * n_states + state: (state, below)}
    return {below[0] * n_states + state: (state, below) for state, below in list_nodes(stacks)}


def _measure_paths(_: object, paths: tuple[Paths, ...]) -> int:
    return ENTRY_BYTES + _NODE_BYTES * sum(map(len, paths))


def _measure(numbers: tuple[int, ...], _: Stacks) -> int:
    return ENTRY_BYTES + _NODE_BYTES * len(numbers)
