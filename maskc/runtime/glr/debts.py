"""Which tokens does a set of stacks allow? The stacks are read from the top down.

What the decision graph leaves open about the state on top is a set of questions
(:mod:`maskc.runtime.glr.asks`). A general parser reduces before it shifts, and a reduction uncovers
a state that is not known yet. All that there is to know then is: how many states are still to be
popped, the nonterminal that is pushed instead, and what is asked of the stack after that. That is a
*debt*: the stack below owes these states. A set of debts is a state of a finite automaton that
reads the stack, one state of the parser after the other. Reading one yields some unions of tokens,
which are legal on every stack that begins like this, and the debts that are left; when none is
left, the rest of the stack does not matter.

This is the debt automaton of the appendix (4.3), made deterministic, over the parser's states in
the place of productions and with sets of tokens on its edges. It does not depend on the
text, so what was computed for one stack serves all that agree so far: a bracket at a new depth
costs a few dictionary look-ups. It is made as it is needed.

A set of stacks allows what one of its stacks allows: all paths down the graph are read. Debts are
independent of each other, so a node that is reached again is read for the debts that are new, and
for these only; the work is bounded by debts times nodes.

Soundness. The graph's questions are asked after a terminal of the state that was shifted, and only
in states that a terminal leads to does it decide anything. A debt is dropped where the state on top
cannot go on with any terminal that is asked for (``Lr0Tables.live``, exact for one
terminal). No production is empty, so a reduction pops the top at least, and the automaton is
finite: there are as many debts as lengths, nonterminals and asks.

Example: after ``f(g(x`` the question RPAR reduces ``x`` to an argument; one state down stands the
``(`` of g, which shifts RPAR, and what ``))`` asks then is a debt of the states of a call.

Source: Tran-Thien, appendix, 4.3; Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from maskc.ids import GeneralStateId, NonterminalId, ScannerStateId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.glr.asks import Ask, Asks
from maskc.runtime.glr.gss import Node, StackSet
from maskc.runtime.glr.tables import Lr0Tables
from maskc.runtime.graph import Unions

_DEBT_BYTES = 100


class Debt(NamedTuple):
    """States are popped, then a nonterminal is pushed, and then the stack is asked.

    Attributes:
        n_states: how many states are to be read: the last of them is what the nonterminal is
            pushed onto.
        nonterminal: what is pushed.
        ask: what is asked then.
    """

    n_states: int
    nonterminal: NonterminalId
    ask: Ask


_NO_DEBTS: frozenset[Debt] = frozenset()


class Debts:
    """A set of debts: a state of the automaton. Equal ones are one object. Never changes."""

    __slots__ = ("all",)

    def __init__(self, all_: frozenset[Debt]) -> None:
        self.all = all_


# What reading one state of the parser yields: the unions of tokens that are legal, whatever is
# below, and the debts that are left, ``None`` if the rest does not matter. A plain tuple, as new
# texts are read in a loop over these.
Edge = tuple[Unions, Debts | None]


# Something that is asked about a state that is on top now.
_Top = tuple[Ask, GeneralStateId]


class _Reading:
    """A state of the parser that is being read.

    Attributes:
        state: the state.
        debts: debts that fall due here and were not looked at yet.
        top: what is asked of the state if it is on top.
        tops: what is to be asked of states that were pushed onto it.
        unions, owed: what was found so far.
    """

    __slots__ = ("_seen", "debts", "owed", "state", "top", "tops", "unions")

    def __init__(
        self, state: GeneralStateId, debts: frozenset[Debt], top: _Top | None = None
    ) -> None:
        self.state = state
        self.debts = list(debts)
        self._seen = set(debts)
        self.top = top
        self.tops: list[_Top] = []
        self.unions: set[int] = set()
        self.owed: set[Debt] = set()

    def take(self, above: Edge) -> None:
        """Take in what reading a state right above this one yielded."""
        unions, owed = above
        self.unions |= unions
        if owed is not None:
            fresh = owed.all - self._seen
            self._seen |= fresh
            self.debts += fresh


class DebtReader:
    """Reads the stacks of one artifact, for all its matchers.

    Args:
        asks: what its stacks are asked.
        parser: its tables.
        budget: what cached results are charged to.
    """

    def __init__(self, asks: Asks, parser: Lr0Tables, budget: Budget) -> None:
        self._asks = asks
        self._parser = parser
        self._follow = self._find_follow()
        self._known = Cache(budget, _measure)  # frozenset of debts → Debts
        self._tops = Cache(budget)  # (ask, state) → edge
        self._edges = Cache(budget)  # (debts, state) → edge

    def read(self, state: ScannerStateId, stacks: StackSet) -> set[int]:
        """Return the unions that are legal in a scanner state over some stacks.

        ``END_OF_TEXT`` is among them if the text may end.
        """
        found: set[int] = set()
        start, at_once = self._asks.start(state)
        for node in stacks.tops:
            asks = [start] if start is not None else []
            for asked in at_once:
                unions, ask = self._asks.of_node(asked, node.state)
                found |= unions
                if ask is not None:
                    asks.append(ask)
            for ask in asks:
                unions, owed = self._ask_top(ask, node.state)
                found |= unions
                if owed is not None:
                    self._read_below(owed, node, found)
        return found

    def _read_below(self, owed: Debts | None, node: Node, found: set[int]) -> None:
        """Add what is found below a node, as long as a debt is left."""
        edges = self._edges.generations.current
        while owed is not None:
            if len(node.below) != 1:
                self._read_graph(owed, node, found)
                return
            (node,) = node.below
            unions, owed = edges.get((owed, node.state)) or self._edge(owed, node.state)
            if unions:
                found |= unions

    def _read_graph(self, owed: Debts, node: Node, found: set[int]) -> None:
        """Add the same where the stacks part: each node is read once for each debt."""
        read: dict[Node, frozenset[Debt]] = {}
        pending = [(owed, node)]
        while pending:
            owed, node = pending.pop()
            spend(1 + len(node.below))
            for below in node.below:
                before = read.get(below, _NO_DEBTS)
                fresh = owed.all - before
                if fresh:
                    read[below] = before | fresh
                    unions, after = self._edge(self._intern(fresh), below.state)
                    found |= unions
                    if after is not None:
                        pending.append((after, below))

    def _find_follow(self) -> list[int]:
        """Return, for each nonterminal, the lookaheads that some stack goes on with after it."""
        found = [0] * self._parser.n_nonterminals
        for nonterminal, state in self._parser.list_gotos():
            found[nonterminal] |= self._parser.live[state]
        return found

    def _edge(self, debts: Debts, state: GeneralStateId) -> Edge:
        """Return what reading a state below the top yields."""
        key = (debts, state)
        found: Edge | None = self._edges.get(key)
        if found is None:
            found = self._read_state(_Reading(state, debts.all))
            self._edges.put(key, found)
        return found

    def _ask_top(self, ask: Ask, state: GeneralStateId) -> Edge:
        """Return what the state on top yields when it is asked, which reads it."""
        found: Edge | None = self._tops.get((ask, state))
        return found or self._read_state(self._open(ask, state))

    def _read_state(self, reading: _Reading) -> Edge:
        """Return what a reading yields, and cache all that had to be asked for it.

        ``pending`` holds the readings that wait, each for the one after it: a token may have
        thousands of terminals, so this is not done by recursion. And what was cached a
        moment ago may be evicted now, so each reading keeps what it found.
        """
        pending = [reading]
        while True:
            spend(1)
            reading = pending[-1]
            asked = self._next(reading)
            if asked is not None:
                found: Edge | None = self._tops.get(asked)
                if found is None:
                    pending.append(self._open(*asked))
                else:
                    reading.take(found)
                continue
            pending.pop()
            owed = self._intern(frozenset(reading.owed)) if reading.owed else None
            edge = (self._asks.unlisted.join(reading.unions), owed)
            if reading.top is not None:
                self._tops.put(reading.top, edge)
            if not pending:
                return edge
            pending[-1].take(edge)

    def _open(self, ask: Ask, state: GeneralStateId) -> _Reading:
        """Return the reading of a state that is on top and asked."""
        reading = _Reading(state, _NO_DEBTS, (ask, state))
        parser, taken = self._parser, self._parser.taken[state]
        for wanted, allowed in ask.trials:
            if wanted & taken:
                reading.unions |= allowed
        shifts = parser.shifts(state)
        # The shorter of the two is gone through.
        if len(ask.questions) <= len(shifts):
            shifted = [terminal for terminal in ask.questions if terminal in shifts]
        else:
            shifted = [terminal for terminal in shifts if terminal in ask.questions]
        for terminal in shifted:
            for target in shifts[terminal]:
                for node in ask.questions[terminal]:
                    allowed, following = self._asks.of_node(node, target)
                    reading.unions |= allowed
                    if following is not None:
                        reading.tops.append((following, target))
        for nonterminal, length in parser.reduces(state):
            if self._follow[nonterminal] & ask.lookaheads:
                reading.owed.add(Debt(length, nonterminal, ask))
        return reading

    def _next(self, reading: _Reading) -> _Top | None:
        """Return what a reading has to ask next, ``None`` if it is done."""
        if reading.tops:
            return reading.tops.pop()
        while reading.debts:
            n_states, nonterminal, ask = reading.debts.pop()
            if n_states > 1:
                reading.owed.add(Debt(n_states - 1, nonterminal, ask))
                continue
            target = self._parser.gotos(reading.state).get(nonterminal)
            if target is not None and self._parser.live[target] & ask.lookaheads:
                return (ask, target)
        return None

    def _intern(self, debts: frozenset[Debt]) -> Debts:
        found: Debts | None = self._known.get(debts)
        if found is None:
            found = Debts(debts)
            self._known.put(debts, found)
        return found


def _measure(key: frozenset[Debt]) -> int:
    return ENTRY_BYTES + sys.getsizeof(key) + _DEBT_BYTES * len(key)
