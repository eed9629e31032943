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

A set of stacks allows what one of its stacks allows: all paths down the graph are read, and what is
owed for one nonterminal, after as many states, is one debt, whatever is asked then. Down the graph
a node is read once, when all that lie above it were: these are younger. Of a state that was pushed
and those that it reduces to alone (``1`` is an atom, a factor, a term) a *layer* is made
(:mod:`maskc.runtime.glr.layers`), which is asked once.

Soundness. The graph's questions are asked after a terminal of the state that was shifted, and only
in states that a terminal leads to does it decide anything. A debt is dropped where the state on top
cannot go on with any terminal that is asked for (``Lr0Tables.live``, exact for one
terminal). No production is empty, so a reduction pops the top at least, and the automaton is
finite: there are as many debts as lengths, nonterminals and sets of asks.

Example: after ``f(g(x`` the question RPAR reduces ``x`` to an argument; one state down stands the
``(`` of g, which shifts RPAR, and what ``))`` asks then is a debt of the states of a call.

Source: Tran-Thien, appendix, 4.3; Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from heapq import heappop, heappush

from maskc.ids import GeneralStateId, NonterminalId, ScannerStateId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.glr.asks import Ask, Asks
from maskc.runtime.glr.gss import Node, StackSet
from maskc.runtime.glr.layers import Layer, Layers
from maskc.runtime.glr.tables import BOTTOM, Lr0Tables
from maskc.runtime.graph import Unions

_ASKED = 8  # trials, questions or debts that are gone through in one step of effort
_DEBT_BYTES = 100

# States are popped, then a nonterminal is pushed, and then the stack is asked: how many states are
# to be read, of which the last one is what the nonterminal is pushed onto; the nonterminal; and
# what is asked. With no states to be read: the state that is on top, and what it is asked. A plain
# tuple, as new texts make thousands.
Debt = tuple[int, int, Ask]


class Debts:
    """A set of debts: a state of the automaton. Equal ones are one object. Never changes."""

    __slots__ = ("all",)

    def __init__(self, all_: frozenset[Debt]) -> None:
        self.all = all_


# What reading one state of the parser yields: the unions of tokens that are legal, whatever is
# below, and the debts that are left, ``None`` if the rest does not matter. A plain tuple, as new
# texts are read in a loop over these.
Edge = tuple[Unions, Debts | None]

_Top = tuple[Ask, Layer]  # what is on top of a state, and what it is asked


class _Reading:
    """A layer and the state below it, which are being read; or a state that lies in a stack.

    Attributes:
        top: the layer, and what it is asked; ``None`` for a state alone.
        below: the state.
        above: what has to be read of layers on top of the layer, with all that lies between.
        beside: what has to be read of layers on top of the state below.
        unions, owed: what was found so far.
    """

    __slots__ = ("above", "below", "beside", "owed", "top", "unions")

    def __init__(self, top: _Top | None, below: GeneralStateId) -> None:
        self.top = top
        self.below = below
        self.above: list[_Top] = []
        self.beside: list[_Top] = []
        self.unions: set[int] = set()
        self.owed: set[Debt] = set()


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
        self._layers = Layers(parser, budget)
        self._known = Cache(budget, _measure)  # frozenset of debts → Debts
        self._united = Cache(budget)  # frozenset of Debts → Debts
        self._tops = Cache(budget)  # (ask, layer) → edge
        self._asked = Cache(budget)  # (ask, state on top) → Debts
        self._edges = Cache(budget)  # (debts, state) → edge

    def read(self, state: ScannerStateId, stacks: StackSet) -> set[int]:
        """Return the unions that are legal in a scanner state over some stacks.

        ``END_OF_TEXT`` is among them if the text may end.
        """
        found: set[int] = set()
        start, at_once = self._asks.start(state)
        parting: list[tuple[Node, Debts]] = []
        for node in stacks.tops:
            asks = [start] if start is not None else []
            for asked in at_once:
                unions, ask = self._asks.of_node(asked, node.state)
                found |= unions
                if ask is not None:
                    asks.append(ask)
            if not asks:
                continue
            owed = self._ask_top(asks[0] if len(asks) == 1 else self._asks.unite(asks), node.state)
            if node.below:
                self._read_below(owed, node, found, parting)
            else:
                found |= self._edge(owed, BOTTOM)[0]
        if parting:
            self._read_graph(parting, found)
        return found

    def _ask_top(self, ask: Ask, state: GeneralStateId) -> Debts:
        """Return what all below a state that is on top and asked owes."""
        found: Debts | None = self._asked.get((ask, state))
        if found is None:
            found = self._intern(frozenset(((0, state, ask),)))
            self._asked.put((ask, state), found)
        return found

    def _read_below(
        self,
        owed: Debts | None,
        node: Node,
        found: set[int],
        parting: list[tuple[Node, Debts]],
    ) -> None:
        """Add what is found below a node, as long as a debt is left and the stacks do not part."""
        edges = self._edges.generations.current
        while owed is not None:
            if len(node.below) != 1:
                parting.append((node, owed))
                return
            (node,) = node.below
            unions, owed = edges.get((owed, node.state)) or self._edge(owed, node.state)
            if unions:
                found |= unions

    def _read_graph(self, parting: Iterable[tuple[Node, Debts]], found: set[int]) -> None:
        """Add the same where stacks part: each node is read once, the youngest first.

        A node is younger than all below it, so when it is read all that it owes is known.
        """
        waiting: dict[int, tuple[Node, set[Debts]]] = {}  # by serial: a node that is to be read
        order: list[int] = []  # the serials, negative, a heap
        edges = self._edges.generations.current
        for node, owed in parting:
            self._wait(node, owed, waiting, order)
        while order:
            node, due = waiting.pop(-heappop(order))
            debts = self._unite(due) if len(due) > 1 else due.pop()
            key = (debts, node.state)
            unions, after = edges.get(key) or self._edge(debts, node.state)
            if unions:
                found |= unions
            if after is not None:
                self._wait(node, after, waiting, order)

    def _wait(
        self,
        node: Node,
        owed: Debts,
        waiting: dict[int, tuple[Node, set[Debts]]],
        order: list[int],
    ) -> None:
        """Let what is right below a node wait for being read."""
        spend(1 + len(node.below))
        for below in node.below:
            known = waiting.get(below.serial)
            if known is None:
                waiting[below.serial] = (below, {owed})
                heappush(order, -below.serial)
            else:
                known[1].add(owed)

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
            reading = _Reading(None, state)
            self._fall_due(reading, debts)
            found = self._read_all(reading)
            if found[1] is not None:
                found = (found[0], self._unite({found[1]}))
            self._edges.put(key, found)
        return found

    def _read_all(self, reading: _Reading) -> Edge:
        """Return what a reading yields, and cache all that had to be read for it.

        ``pending`` holds the readings that wait, each for the one after it: a token may have
        thousands of terminals, so this is not done by recursion. And what was cached a moment ago
        may be evicted now, so what was read last is handed on.
        """
        pending = [reading]
        last: Edge | None = None
        while True:
            spend(1)
            reading = pending[-1]
            wanted = reading.above or reading.beside
            if wanted:
                found: Edge | None = last or self._tops.get(wanted[-1])
                if found is None:
                    pending.append(self._open(*wanted[-1]))
                    continue
                last = None
                is_above = wanted is reading.above
                wanted.pop()
                unions, owed = found
                if unions:
                    reading.unions |= unions
                if owed is not None:
                    if is_above:
                        self._fall_due(reading, owed)
                    else:
                        reading.owed |= owed.all
                continue
            pending.pop()
            left = self._intern(frozenset(reading.owed)) if reading.owed else None
            last = (self._asks.unlisted.join(reading.unions), left)
            if reading.top is not None:
                self._tops.put(reading.top, last)
            if not pending:
                return last

    def _fall_due(self, reading: _Reading, debts: Debts) -> None:
        """Read the state below for some debts that begin with it."""
        below = reading.below
        gotos = self._parser.gotos(below)
        for n_states, pushed, ask in debts.all:
            if n_states > 1:
                reading.owed.add((n_states - 1, pushed, ask))
                continue
            target = gotos.get(NonterminalId(pushed)) if n_states else GeneralStateId(pushed)
            if target is not None:
                layer = self._layers.push(below, target)
                left = self._asks.narrow(ask, layer.live)
                if left is not None:
                    reading.beside.append((left, layer))

    def _open(self, ask: Ask, layer: Layer) -> _Reading:
        """Return the reading of a layer that is asked."""
        reading = _Reading((ask, layer), layer.below)
        spend((len(ask.trials) + len(ask.questions)) // _ASKED)
        for wanted, allowed in ask.trials:
            if wanted & layer.taken:
                reading.unions |= allowed
        questions = ask.questions
        for state, shifts in layer.shifts:
            # The shorter of the two is gone through.
            if len(questions) <= len(shifts):
                shifted = [terminal for terminal in questions if terminal in shifts]
            else:
                shifted = [terminal for terminal in shifts if terminal in questions]
            for terminal in shifted:
                for target in shifts[terminal]:
                    above: Layer | None = None
                    for node in questions[terminal]:
                        allowed, following = self._asks.of_node(node, target)
                        if allowed:
                            reading.unions |= allowed
                        if following is not None:
                            if above is None:
                                above = self._layers.push(state, target)
                            if following.lookaheads & above.live:
                                reading.above.append((following, above))
        for nonterminal, length in layer.reduces:
            left = self._asks.narrow(ask, self._follow[nonterminal])
            if left is not None:
                reading.owed.add((length - 1, nonterminal, left))
        return reading

    def _unite(self, several: set[Debts]) -> Debts:
        """Return all of some sets of debts, with one for a number of states and a nonterminal."""
        if len(several) == 1:
            for only in several:
                if len(only.all) == 1:
                    return only
        key = frozenset(several)
        found: Debts | None = self._united.get(key)
        if found is None:
            asks: dict[tuple[int, int], list[Ask]] = {}
            for debts in several:
                spend(1 + len(debts.all) // _ASKED)
                for n_states, pushed, ask in debts.all:
                    asks.setdefault((n_states, pushed), []).append(ask)
            unite = self._asks.unite
            found = self._intern(frozenset([(*owed, unite(asks[owed])) for owed in asks]))
            self._united.put(key, found)
        return found

    def _intern(self, debts: frozenset[Debt]) -> Debts:
        found: Debts | None = self._known.get(debts)
        if found is None:
            found = Debts(debts)
            self._known.put(debts, found)
        return found


def _measure(key: frozenset[Debt]) -> int:
    return ENTRY_BYTES + sys.getsizeof(key) + _DEBT_BYTES * len(key)
