"""What do all texts that finish a stack have at least?

What some symbols of a grammar have at least is a weight: a number of bytes, say. What follows each
other is multiplied, and of several ways the sum is taken, in a semiring of the weights. What a
nonterminal has is the least of its productions', found by iteration (Knuth 1977, the problem of
shortest derivations). A stack is finished by what is left of productions that have begun: what is
left of one pops some states, and a nonterminal is pushed onto the state below. What that leads to,
down to the next states that are popped, is the same for each pair of a state and a nonterminal, and
is remembered, as is what finishes a stack with a nonterminal on it (weighted ``pre*`` of a pushdown
system: Reps, Schwoon, Jha and Melski 2005, doi:10.1016/j.scico.2005.02.009).

What resolved conflicts and lookaheads forbid is not asked, so that nothing has more than is said,
and some stacks have more than this least.

Example: with one byte for each of the brackets, ``f(g(x`` has two bytes left at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskc.ids import LalrStateId, NonterminalId, RefinedStateId
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.ending.grammar.productions import Productions, as_symbol
from maskc.runtime.lalr.lookaheads import LalrLookaheads
from maskc.runtime.lalr.stack import Stack, lower, serial_of
from maskc.runtime.lalr.tables import LalrTables

Costs = NDArray[np.int16]
NEVER = 10_000  # no text has it

_W = TypeVar("_W")  # a weight


class Semiring(Protocol[_W]):
    """The weights of symbols, and of what finishes a stack.

    Attributes:
        nothing: of the empty text.
        never: of no text.
        done: of a stack where the text may end.
        refused: of one that nothing finishes.
    """

    nothing: _W
    never: _W
    done: _W
    refused: _W

    def times(self, left: _W, right: _W, /) -> _W:
        """Return the weight of one after the other; the latter may be what finishes a stack."""

    def least(self, left: _W, right: _W, /) -> _W:
        """Return what both have."""

    def differ(self, left: _W, right: _W, /) -> bool:
        """Return whether they are two weights."""


class JoinCosts:
    """Costs that depend on the class of the terminal before, as matrices of (min, +).

    From the class before some symbols to that of their last terminal. What finishes a stack is a
    column.

    Args:
        prices: int16[n_classes + 1, n_classes], what a terminal of a class costs after one of
            another; the last row is of the one that comes first.
    """

    def __init__(self, prices: Costs) -> None:
        self._prices, n = prices, len(prices)
        self.nothing: Costs = np.full((n, n), NEVER, dtype=np.int16)
        np.fill_diagonal(self.nothing, 0)
        self.never: Costs = np.full((n, n), NEVER, dtype=np.int16)
        self.done: Costs = np.zeros((n, 1), dtype=np.int16)
        self.refused: Costs = np.full((n, 1), NEVER, dtype=np.int16)

    def terminal(self, kind: int, own: int) -> Costs:
        """Return the costs of a terminal of a class, with a price of its own."""
        found = self.never.copy()
        found[:, kind] = np.minimum(self._prices[:, kind] + own, NEVER)
        return found

    def times(self, left: Costs, right: Costs) -> Costs:
        """Return the product."""
        found: Costs = np.minimum((left[:, :, None] + right[None]).min(axis=1), NEVER)
        return found

    def least(self, left: Costs, right: Costs) -> Costs:
        """Return the least of both, class by class."""
        return np.minimum(left, right)

    def differ(self, left: Costs, right: Costs) -> bool:
        """Return whether they differ."""
        return bool((left != right).any())


class Lengths:
    """Numbers, as of bytes."""

    nothing = done = 0
    never = refused = NEVER

    def times(self, left: int, right: int) -> int:
        """Return the sum."""
        return min(left + right, NEVER)

    def least(self, left: int, right: int) -> int:
        """Return the smaller one."""
        return min(left, right)

    def differ(self, left: int, right: int) -> bool:
        """Return whether they differ."""
        return left != right


class Sets:
    """Sets of what must be there, as bits.

    Args:
        every: all that there is.
    """

    nothing = done = 0

    def __init__(self, every: int) -> None:
        self.never = self.refused = every

    def times(self, left: int, right: int) -> int:
        """Return what either has."""
        return left | right

    def least(self, left: int, right: int) -> int:
        """Return what both have."""
        return left & right

    def differ(self, left: int, right: int) -> bool:
        """Return whether they differ."""
        return left != right


class LeastWeights(Generic[_W]):
    """The least weights of what finishes one table's stacks.

    Args:
        tables: the table.
        lookaheads: of the same.
        productions: of the same.
        semiring: of the weights.
        terminals: terminal → its weight.
        budget: what is remembered is charged to.
    """

    def __init__(
        self,
        tables: LalrTables,
        lookaheads: LalrLookaheads,
        productions: Productions,
        semiring: Semiring[_W],
        terminals: Sequence[_W],
        budget: Budget,
    ) -> None:
        self._tables, self._taken = tables, lookaheads.taken
        self._productions, self._semiring = productions, semiring
        layout = tables.layout
        self._may_end = lookaheads.end | (layout.dedent_at_end if layout else 0)
        self._terminals = list(terminals)
        if layout is not None:
            # No text writes them: they come with the blanks of a newline.
            self._terminals[layout.indent] = semiring.nothing
            self._terminals[layout.dedent] = semiring.nothing
        self._nonterminals = self._solve()
        self._exits: list[list[tuple[int, int, _W]] | None] = [None] * len(productions.items)
        self._closed: dict[tuple[int, int], tuple[_W, list[tuple[int, int, _W]]]] = {}
        self._known = Cache(budget)

    def _solve(self) -> list[_W]:
        """Return the weight of each nonterminal."""
        productions, semiring = self._productions, self._semiring
        found = [semiring.never] * (1 + max(productions.lhs, default=0))
        users: dict[int, set[int]] = {}
        for number, symbols in enumerate(productions.symbols):
            for symbol in symbols or ():
                if symbol < 0:
                    users.setdefault(symbol, set()).add(number)
        todo = dict.fromkeys(range(len(productions.lhs)))
        while todo:
            number = next(iter(todo))
            del todo[number]
            symbols, lhs = productions.symbols[number], productions.lhs[number]
            if symbols is None:
                continue
            weight = semiring.least(found[lhs], self._product(symbols, found))
            if semiring.differ(weight, found[lhs]):
                found[lhs] = weight
                todo.update(dict.fromkeys(sorted(users.get(as_symbol(lhs), ()))))
        return found

    def _product(self, symbols: Sequence[int], nonterminals: list[_W]) -> _W:
        times, weight = self._semiring.times, self._semiring.nothing
        for symbol in symbols:
            weight = times(
                weight, self._terminals[symbol] if symbol >= 0 else nonterminals[-1 - symbol]
            )
        return weight

    def _list_exits(self, state: LalrStateId) -> list[tuple[int, int, _W]]:
        """Return how a state on top can be popped.

        It is how many states are popped, the nonterminal that is pushed then, and what is written
        before.
        """
        known = self._exits[state]
        if known is None:
            found: dict[tuple[int, int], _W] = {}
            productions, semiring = self._productions, self._semiring
            for production, n_over in productions.items[state]:
                symbols = productions.symbols[production]
                if symbols is not None:
                    weight = self._product(symbols[n_over:], self._nonterminals)
                    key = (n_over, productions.lhs[production])
                    found[key] = semiring.least(found.get(key, semiring.never), weight)
            known = self._exits[state] = [(n, lhs, weight) for (n, lhs), weight in found.items()]
        return known

    def finish(self, stack: Stack) -> _W:
        """Return the weight of what finishes a stack."""
        semiring = self._semiring
        if self._taken[stack.state] & self._may_end:
            return semiring.done
        best = semiring.refused
        for n_popped, nonterminal, weight in self._list_exits(self._tables.lalr_state[stack.state]):
            if n_popped <= stack.depth:
                below = self._finish_on(lower(stack, stack.depth - n_popped), nonterminal)
                best = semiring.least(best, semiring.times(weight, below))
        if stack.below is None:
            # Nothing has begun where a text begins: it begins with any nonterminal.
            for made in self._tables.gotos(stack.state):
                weight = self._nonterminals[made]
                whole = semiring.times(weight, self._finish_on(stack, made))
                best = semiring.least(best, whole)
        return best

    def _finish_on(self, stack: Stack, nonterminal: int) -> _W:
        """Return the same for a stack with a nonterminal on it."""
        semiring = self._semiring
        # Stacks may be deep, so what waits for another result is on a list. And a small budget
        # may forget what was found a moment ago.
        waiting = [(stack, nonterminal)]
        fresh: dict[tuple[int, int], _W] = {}
        while True:
            here, made = waiting[-1]
            key = (serial_of(here), made)
            found: _W | None = fresh.get(key, self._known.get(key))
            if found is None:
                best, exits = self._close(here.state, made)
                needed: list[tuple[Stack, int]] = []
                for n_popped, lhs, weight in exits:
                    if n_popped > here.depth:
                        continue
                    base = lower(here, here.depth - n_popped)
                    place = (serial_of(base), lhs)
                    below: _W | None = fresh.get(place, self._known.get(place))
                    if below is None:
                        needed.append((base, lhs))
                        continue
                    fresh[place] = below
                    if not needed:
                        best = semiring.least(best, semiring.times(weight, below))
                if needed:
                    waiting += needed
                    continue
                found = best
                self._known.put(key, found)
            fresh[key] = found
            waiting.pop()
            if not waiting:
                return found

    def _close(
        self, state: RefinedStateId, nonterminal: int
    ) -> tuple[_W, list[tuple[int, int, _W]]]:
        """Return what a nonterminal on a state leads to without the states below it.

        It is the weight to where the text may end, and how the state is popped.
        """
        known = self._closed.get((state, nonterminal))
        if known is not None:
            return known
        semiring, tables = self._semiring, self._tables
        gotos = tables.gotos(state)
        reached = {nonterminal: semiring.nothing}
        todo = {nonterminal: None}
        while todo:
            made = next(iter(todo))
            del todo[made]
            top = gotos.get(NonterminalId(made))
            if top is None:
                continue
            for n_popped, lhs, weight in self._list_exits(tables.lalr_state[top]):
                if n_popped == 1:
                    before = reached.get(lhs, semiring.never)
                    after = semiring.least(before, semiring.times(reached[made], weight))
                    if semiring.differ(after, before):
                        reached[lhs] = after
                        todo[lhs] = None
        ends = semiring.refused
        exits: dict[tuple[int, int], _W] = {}
        for made, weight_to in reached.items():
            top = gotos.get(NonterminalId(made))
            if top is None:
                continue
            if self._taken[top] & self._may_end:
                ends = semiring.least(ends, semiring.times(weight_to, semiring.done))
            for n_popped, lhs, weight in self._list_exits(tables.lalr_state[top]):
                if n_popped > 1:
                    key = (n_popped - 1, lhs)
                    weight = semiring.times(weight_to, weight)
                    exits[key] = semiring.least(exits.get(key, semiring.never), weight)
        found = (ends, [(n, lhs, weight) for (n, lhs), weight in exits.items()])
        self._closed[state, nonterminal] = found
        return found
