"""Finds the tokens that a set of stacks allows, by reading the stacks from the top down.

What the decision graph leaves open about the state on top are queries
(:mod:`maskc.runtime.glr.queries`). A general parser reduces before it shifts, and a reduction
uncovers a state that is not known yet. All that there is to know then is: how many states are still
to be popped, the nonterminal that is pushed instead, and the query on the stack after that.
That is a *debt*: the stack below owes these states. A set of debts is a state of a finite automaton
that reads the stack, one state of the parser after the other. Reading one yields some unions of
tokens, which are legal on every stack that begins like this, and the debts that are left; when none
is left, the rest of the stack does not matter.

This is the debt automaton of the appendix (4.3), made deterministic, over the parser's states
instead of productions and with sets of tokens on its edges. It does not depend on the text, so what
was computed for one stack serves all that agree so far: a bracket at a new depth costs a few
dictionary look-ups. It is built lazily.

A set of stacks allows what one of its stacks allows: all paths down the graph are read, and what
several debts allow is what one of them allows. Down the graph a node is read once, when all that
lie above it were: these are younger. Where the state that was pushed reduces by a production of
one symbol, it is popped again and the nonterminal is pushed onto the same state: an atom becomes a
factor, a term, and so on. A *layer* is the pushed state and all states that it becomes in this way.
It depends on the state below alone; what one query finds in one layer is cached.

A debt is one number and a state of the automaton a tuple of them, so what is cached are tuples of
numbers, which the garbage collector does not look at twice.

Soundness. The graph's queries come after a terminal of the state that was shifted, and only in
states that a terminal leads to does it decide anything. A debt is dropped where the state on top
cannot go on with any terminal that is asked for (``Lr0Tables.live``, exact for one
terminal). No production is empty, so a reduction pops the top at least, and the automaton is
finite: there are as many debts as lengths, nonterminals and queries.

Example: after ``f(g(x`` the query RPAR reduces ``x`` to an argument; one state down stands the
``(`` of g, which shifts RPAR, and what ``))`` queries then is a debt of the states of a call.

Source: Tran-Thien, appendix, 4.3; Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.ids import GeneralStateId, NonterminalId, ScannerStateId
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.glr.gss import BOTTOM, ONE, Lr0Tables, Reduction, Stacks, index_nodes, list_nodes
from maskc.runtime.glr.queries import Queries, StackQuery
from maskc.runtime.step_budget import charge_steps

_AT_ONCE: Final = 8  # checks, queries or debts that are gone through in one step of effort
_LAYER_BYTES: Final = 900  # of a layer and its entry in a cache, roughly
_NUMBER_BYTES: Final = 10  # of a debt in a key, roughly, most of which are shared

# States are popped, then a nonterminal is pushed, and then the query is answered. In one number:
# the query, the nonterminal, and how many states are to be read, of which the last one is what the
# nonterminal is pushed onto. With no states to be read: the state that is on top instead of the
# nonterminal.
Debt = int

# A state of the automaton: its debts, in increasing order.
Debts = tuple[Debt, ...]


@mypyc_attr(acyclic=True)
class DebtEdge:
    """What reading one state of the parser yields. Never changes."""

    __slots__ = ("debts", "unions")

    def __init__(self, unions: tuple[int, ...], debts: Debts) -> None:
        self.unions = unions  # of tokens that are legal, whatever is below
        self.debts = debts  # those that are left; with none left the rest does not matter


@mypyc_attr(acyclic=True)
class Layer:
    """Some states, any of which may be on top of one state. Never changes."""

    __slots__ = ("below", "live", "number", "reduces", "shifting", "taken")

    def __init__(
        self,
        number: int,
        below: GeneralStateId,
        shifting: tuple[GeneralStateId, ...],
        reduces: tuple[Reduction, ...],
        taken: int,
        live: int,
    ) -> None:
        self.number = number  # below Layers.n
        self.below = below  # the state that it is on top of, or BOTTOM
        self.shifting = shifting  # the states that shift anything
        # what they reduce to, but for what makes them other states of the layer
        self.reduces = reduces
        self.taken = taken  # the lookaheads that some of them shift or end with, as a bit set
        self.live = live  # those that some stack with one of them on top can go on with


class Layers:
    """The layers of one artifact."""

    def __init__(self, parser: Lr0Tables, budget: Budget) -> None:
        self._parser = parser
        self._n_states = len(parser.taken)
        self.n = (1 + self._n_states) * self._n_states  # the numbers of layers are below this
        self._pushed = Cache(budget, n_bytes=_LAYER_BYTES)  # number → layer

    def push(self, below: GeneralStateId, state: GeneralStateId) -> Layer:
        """Return the layer of a state that was pushed onto another one."""
        number = (below + 1) * self._n_states + state
        found: Layer | None = self._pushed.get(number)
        if found is None:
            found = self._make(number, below, self._list_states(below, state))
            self._pushed.put(number, found)
        return found

    def _list_states(self, below: GeneralStateId, state: GeneralStateId) -> list[GeneralStateId]:
        """Return a state and those that it reduces to alone."""
        gotos = self._parser.gotos(below)
        found = [state]
        for reached in found:  # grows while we walk it
            for nonterminal, length in self._parser.reduces(reached):
                target = gotos.get(nonterminal) if length == 1 else None
                if target is not None and target not in found:
                    found.append(target)
        return found

    def _make(self, number: int, below: GeneralStateId, states: list[GeneralStateId]) -> Layer:
        parser = self._parser
        reductions: dict[Reduction, None] = {}
        taken = live = 0
        for state in states:
            taken |= parser.taken[state]
            live |= parser.live[state]
            for reduction in parser.reduces(state):
                if reduction[1] > 1:
                    reductions[reduction] = None
        shifting = tuple([state for state in states if parser.shifts(state)])
        return Layer(number, below, shifting, tuple(reductions), taken, live)


_Top = tuple[StackQuery, Layer]  # what is on top of a state, and the query on it


class _Reading:
    """A layer and the state below it, which are being read; or a state that lies in a stack."""

    __slots__ = ("above", "below", "beside", "debts", "key", "unions")

    def __init__(
        self, key: int, below: GeneralStateId, above: list[_Top], unions: set[int], debts: set[Debt]
    ) -> None:
        self.key = key  # of the query and the layer; negative for a state alone
        self.below = below  # the state
        # what has to be read of layers on top of the layer, with all that lies between
        self.above = above
        self.beside: list[_Top] = []  # what has to be read of layers on top of the state below
        # unions, debts: what was found so far
        self.unions, self.debts = unions, debts


class DebtReader:
    """Reads the stacks of one artifact, for all its matchers."""

    def __init__(self, queries: Queries, parser: Lr0Tables, budget: Budget) -> None:
        self._queries = queries
        self._parser = parser
        self._n_states = len(parser.taken)
        # nonterminal → the lookaheads that some stack goes on with after it
        self._follow = [0] * parser.n_nonterminals
        for nonterminal, state in parser.list_gotos():
            self._follow[nonterminal] |= parser.live[state]
        self._layers = Layers(parser, budget)
        # Debts as numbers: lengths are below the first, nonterminals and states below the second.
        self._n_lengths = 1 + parser.longest
        self._n_pushed = max(parser.n_nonterminals, len(parser.taken))
        self._tops = Cache(budget)  # query and layer in one number → edge
        self._edges = Cache(  # (debts, state) → edge
            budget, lambda key, _: ENTRY_BYTES + _NUMBER_BYTES * len(key[0])
        )

    def read(self, scanner_state: ScannerStateId, stacks: Stacks) -> set[int]:
        """Return the unions that are legal in a scanner state over some stacks.

        ``END_OF_TEXT`` is among them if the text may end.
        """
        found: set[int] = set()
        start, at_once = self._queries.start(scanner_state)
        parting: list[tuple[Stacks, Debts]] = []
        for state, below in list_nodes(stacks):
            found_debts = set() if start is None else {self._debt(start, state, 0)}
            for asked in at_once:
                unions, query = self._queries.of_node(asked, state)
                found |= unions
                if query is not None:
                    found_debts.add(self._debt(query, state, 0))
            if not found_debts:
                continue
            debts = tuple(sorted(found_debts))
            if below[0]:
                self._read_below(debts, below, found, parting)
            else:
                found.update(self._edge(debts, BOTTOM).unions)
        if parting:
            self._read_graph(parting, found)
        return found

    def _debt(self, query: StackQuery, pushed: int, n_states: int) -> Debt:
        return (query.number * self._n_pushed + pushed) * self._n_lengths + n_states

    def _read_below(
        self, debts: Debts, stacks: Stacks, found: set[int], parting: list[tuple[Stacks, Debts]]
    ) -> None:
        """Add what is found in stacks, as long as a debt is left and the stacks do not part."""
        edges = self._edges.generations.current
        while debts:
            if len(stacks) != ONE:
                parting.append((stacks, debts))
                return
            _, state, stacks = stacks
            edge: DebtEdge = edges.get((debts, state)) or self._edge(debts, state)
            found.update(edge.unions)
            debts = edge.debts

    def _read_graph(self, parting: list[tuple[Stacks, Debts]], found: set[int]) -> None:
        """Add the same where stacks part: each node is read once, the youngest first.

        A node is younger than all below it, so when it is read all that it owes is known.
        """
        # By the number of a node that is to be read.
        waiting: dict[int, tuple[GeneralStateId, Stacks, set[Debts]]] = {}
        order: list[int] = []  # the numbers, negative, a heap
        edges = self._edges.generations.current
        while parting or order:
            if parting:
                stacks, debts = parting.pop()
                charge_steps(1 + len(stacks) // 2)
                for number, (state, below) in index_nodes(stacks, self._n_states).items():
                    known = waiting.get(number)
                    if known is None:
                        waiting[number] = (state, below, {debts})
                        heappush(order, -number)
                    else:
                        known[2].add(debts)
                continue
            state, below, due = waiting.pop(-heappop(order))
            debts = due.pop() if len(due) == 1 else _unite(due)
            edge: DebtEdge = edges.get((debts, state)) or self._edge(debts, state)
            found.update(edge.unions)
            debts = edge.debts
            if debts:
                parting.append((below, debts))

    def _edge(self, debts: Debts, state: GeneralStateId) -> DebtEdge:
        """Return what reading a state below the top yields."""
        key = (debts, state)
        found: DebtEdge | None = self._edges.get(key)
        if found is None:
            reading = _Reading(-1, state, [], set(), set())
            self._fall_due(reading, debts)
            found = self._read_all(reading)
            self._edges.put(key, found)
        return found

    def _read_all(self, reading: _Reading) -> DebtEdge:
        """Return what a reading yields, and cache all that had to be read for it.

        ``pending`` holds the readings that wait, each for the one after it: a token may have
        thousands of terminals, so this is not done by recursion. And what was cached a moment ago
        may be evicted now, so what was read last is handed on.
        """
        pending = [reading]
        last: DebtEdge | None = None
        while True:
            charge_steps(1)
            reading = pending[-1]
            is_above = bool(reading.above)
            wanted = reading.above if is_above else reading.beside
            if not wanted:
                last = self._close(reading.key, reading.unions, reading.debts)
                pending.pop()
                if not pending:
                    return last
                continue
            query, layer = wanted[-1]
            if last is None:
                key = query.number * self._layers.n + layer.number
                last = self._tops.get(key)
                if last is None:
                    last = self._open(query, layer, key, pending)
                    if last is None:
                        continue
            wanted.pop()
            if last.unions:
                reading.unions.update(last.unions)
            if last.debts:
                if is_above:
                    self._fall_due(reading, last.debts)
                else:
                    reading.debts.update(last.debts)
            last = None

    def _close(self, key: int, unions: set[int], debts: set[Debt]) -> DebtEdge:
        """Return what was found in a reading, and cache it."""
        joined = self._queries.tokens_without_rows.join(unions)
        found = DebtEdge(joined, tuple(sorted(debts)) if debts else ())
        if key >= 0:
            self._tops.put(key, found)
        return found

    def _fall_due(self, reading: _Reading, debts: Debts) -> None:
        """Read the state below for some debts that begin with it."""
        below, n_lengths, n_pushed = reading.below, self._n_lengths, self._n_pushed
        gotos = self._parser.gotos(below)
        charge_steps(len(debts) // _AT_ONCE)
        for debt in debts:
            n_states = debt % n_lengths
            if n_states > 1:
                reading.debts.add(debt - 1)
                continue
            debt //= n_lengths
            pushed = debt % n_pushed
            target = gotos.get(NonterminalId(pushed)) if n_states else GeneralStateId(pushed)
            if target is not None:
                layer, query = self._layers.push(below, target), self._queries.all[debt // n_pushed]
                if query.lookaheads & layer.live:
                    reading.beside.append((query, layer))

    def _open(
        self, query: StackQuery, layer: Layer, key: int, pending: list[_Reading]
    ) -> DebtEdge | None:
        """Return what reading a layer yields; ``None`` if layers on top of it have to be read.

        Then its reading waits with those that are pending.
        """
        above: list[_Top] = []
        unions: set[int] = set()
        charge_steps((len(query.checks) + len(query.nodes_after)) // _AT_ONCE)
        for wanted, allowed in query.checks:
            if wanted & layer.taken:
                unions |= allowed
        nodes_after = query.nodes_after
        for state in layer.shifting:
            shifts = self._parser.shifts(state)
            # The shorter of the two is gone through.
            if len(nodes_after) <= len(shifts):
                shifted = [terminal for terminal in nodes_after if terminal in shifts]
            else:
                shifted = [terminal for terminal in shifts if terminal in nodes_after]
            for terminal in shifted:
                for target in shifts[terminal]:
                    pushed: Layer | None = None
                    for node in nodes_after[terminal]:
                        allowed, following = self._queries.of_node(node, target)
                        if allowed:
                            unions |= allowed
                        if following is not None:
                            if pushed is None:
                                pushed = self._layers.push(state, target)
                            if following.lookaheads & pushed.live:
                                above.append((following, pushed))
        debts: set[Debt] = set()
        for nonterminal, length in layer.reduces:
            if query.lookaheads & self._follow[nonterminal]:
                debts.add(self._debt(query, nonterminal, length - 1))
        if not above:
            return self._close(key, unions, debts)
        pending.append(_Reading(key, layer.below, above, unions, debts))
        return None


def _unite(several: set[Debts]) -> Debts:
    charge_steps(sum([1 + len(debts) // _AT_ONCE for debts in several]))
    found: set[Debt] = set()
    return tuple(sorted(found.union(*several)))
