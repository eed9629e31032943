"""Least derivations: what does it cost to finish a parser's stack, and which terminal comes first?

What a state of an LR table still has to read of a production that has begun is found backwards from
the states that reduce it: so the productions need not be known. A nonterminal costs as much as the
cheapest of its productions (Knuth 1977). A stack is finished by what is left of one production,
which pops some states and leaves a nonterminal on the one below; what that costs is remembered by
the stack's node (weighted ``pre*`` of a pushdown system).

What conflicts were resolved to is not asked: a terminal that the parser then refuses is no part of
a completion, since all of these are read by the machine.

Example: in json ``[1`` is finished by reducing a value, and by ``]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.lalr.stack import Stack, lower, serial_of

NEVER: Final = 1_000_000
# A terminal, or a nonterminal as -1 - its number.
Symbol = int
# How many states are popped, and the nonterminal that is pushed then.
Exit = tuple[int, int]
# Source, symbol and target.
Edge = tuple[int, Symbol, int]


class Cost(NamedTuple):
    """What symbols cost.

    Attributes:
        n: of them all; ``NEVER``: they have no text.
        first: the first terminal of them; ``None``: they have none.
    """

    n: int
    first: int | None

    def then(self, after: Cost) -> Cost:
        """Return what these symbols and others after them cost."""
        return Cost(self.n + after.n, after.first if self.first is None else self.first)


_NOTHING: Final = Cost(0, None)
_NEVER: Final = Cost(NEVER, None)


class Table(NamedTuple):
    """An LR table. Of several states with the same core, the core has the productions.

    Attributes:
        edges: source, symbol and target, of cores.
        reduces: core → the nonterminals that are made there, each with how many states are popped.
        core_of: state → core.
        gotos: returns of a state nonterminal → state.
        may_end: returns whether the text may end with a state on top.
    """

    edges: Iterable[Edge]
    reduces: Mapping[int, Iterable[tuple[int, int]]]
    core_of: Callable[[int], int]
    gotos: Callable[[Any], Mapping[Any, Any]]
    may_end: Callable[[int], bool]


class Derivations:
    """The least derivations of one table.

    Args:
        table: the table.
        costs: terminal → its cost.
        budget: what is remembered of stacks is charged to.
    """

    def __init__(self, table: Table, costs: Mapping[int, int], budget: Budget) -> None:
        self._table = table
        self._costs: dict[Symbol, Cost] = {t: Cost(n, t) for t, n in costs.items()}
        self._rests: dict[int, dict[Exit, Cost]] = {}
        self._before: dict[int, list[tuple[int, Symbol]]] = {}
        for source, symbol, target in sorted(set(table.edges)):
            self._before.setdefault(target, []).append((source, symbol))
        self._solve()
        self._exits = {
            core: [(n, lhs, cost) for (n, lhs), cost in rests.items() if n]
            for core, rests in self._rests.items()
        }
        self._known = Cache(budget)
        self._closed: dict[tuple[int, int], tuple[Cost, list[tuple[int, int, Cost]]]] = {}

    def _solve(self) -> None:
        """Find the least rests, by relaxation."""
        waiting: dict[int, list[tuple[int, int, Exit]]] = {}  # nonterminal → what it is read in
        todo: list[tuple[int, Exit]] = []
        for core, made in self._table.reduces.items():
            for lhs, length in made:
                self._note(core, (length, lhs), _NOTHING, todo)
        while todo:
            core, (n_over, lhs) = todo.pop()
            rest = self._rests[core][n_over, lhs]
            if not n_over:
                symbol = -1 - lhs
                if rest.n < self._costs.get(symbol, _NEVER).n:
                    self._costs[symbol] = rest
                    for source, target, key in waiting.get(symbol, ()):
                        self._relax(source, symbol, target, key, todo)
                continue
            for source, symbol in self._before.get(core, ()):
                key = (n_over, lhs)
                if symbol < 0:
                    waiting.setdefault(symbol, []).append((source, core, key))
                self._relax(source, symbol, core, key, todo)

    def _relax(
        self, source: int, symbol: Symbol, target: int, key: Exit, todo: list[tuple[int, Exit]]
    ) -> None:
        cost = self._costs.get(symbol, _NEVER).then(self._rests[target][key])
        if cost.n < NEVER:
            self._note(source, (key[0] - 1, key[1]), cost, todo)

    def _note(self, core: int, key: Exit, rest: Cost, todo: list[tuple[int, Exit]]) -> None:
        known = self._rests.setdefault(core, {}).get(key)
        if known is None or rest.n < known.n:
            self._rests[core][key] = rest
            todo.append((core, key))

    def _list_exits(self, state: int) -> list[tuple[int, int, Cost]]:
        """Return how a state on top can be popped: states, nonterminal and cost."""
        return self._exits.get(self._table.core_of(state), [])

    def finish(self, stack: Stack) -> Cost:
        """Return what finishing a stack costs; ``NEVER``: nothing is known."""
        if self._table.may_end(stack.state):
            return _NOTHING
        best, exits = _NEVER, self._list_exits(stack.state)
        if stack.below is None:
            # Nothing has begun where a text begins: it begins with any nonterminal.
            gotos = self._table.gotos(stack.state)
            exits = exits + [(0, made, self._costs.get(-1 - made, _NEVER)) for made in gotos]
        for n_popped, lhs, cost in exits:
            if n_popped <= stack.depth and cost.n < best.n:
                found = cost.then(self._finish_on(lower(stack, stack.depth - n_popped), lhs))
                best = found if found.n < best.n else best
        return best

    def _finish_on(self, stack: Stack, nonterminal: int) -> Cost:
        """Return what finishing a stack with a nonterminal on it costs.

        Stacks may be deep, so what waits for another result is on a list.
        """
        waiting = [(stack, nonterminal)]
        fresh: dict[tuple[int, int], Cost] = {}
        while True:
            here, made = waiting[-1]
            key = (serial_of(here), made)
            found: Cost | None = fresh.get(key) or self._known.get(key)
            if found is None:
                spend(1)
                found, exits = self._close(here.state, made)
                missing: list[tuple[Stack, int]] = []
                for n_popped, lhs, cost in exits:
                    if n_popped > here.depth:
                        continue
                    base = lower(here, here.depth - n_popped)
                    place = (serial_of(base), lhs)
                    below: Cost | None = fresh.get(place) or self._known.get(place)
                    if below is None:
                        missing.append((base, lhs))
                        continue
                    fresh[place] = below
                    if cost.n + below.n < found.n:
                        found = cost.then(below)
                if missing:
                    waiting += missing
                    continue
                self._known.put(key, found)
            fresh[key] = found
            waiting.pop()
            if not waiting:
                return found

    def _close(self, state: int, nonterminal: int) -> tuple[Cost, list[tuple[int, int, Cost]]]:
        """Return what a nonterminal on a state leads to without the states below it.

        It is the cost to where the text may end, and how the state is popped: states, nonterminal
        and cost.
        """
        known = self._closed.get((state, nonterminal))
        if known is not None:
            return known
        gotos = self._table.gotos(state)
        reached, todo = {nonterminal: _NOTHING}, [nonterminal]
        ends, exits = _NEVER, dict[Exit, Cost]()
        while todo:
            made = todo.pop()
            top = gotos.get(made)
            if top is None:
                continue
            before = reached[made]
            spend(1)
            if self._table.may_end(top) and before.n < ends.n:
                ends = before
            for n_popped, lhs, cost in self._list_exits(top):
                total = before.then(cost)
                if n_popped > 1:
                    key = (n_popped - 1, lhs)
                    if total.n < exits.get(key, _NEVER).n:
                        exits[key] = total
                elif total.n < reached.get(lhs, _NEVER).n:
                    reached[lhs] = total
                    todo.append(lhs)
        found = (ends, [(n, lhs, cost) for (n, lhs), cost in exits.items()])
        self._closed[state, nonterminal] = found
        return found
