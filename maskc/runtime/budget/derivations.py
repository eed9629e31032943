"""Least derivations: what it costs to finish a parser's stack, and which terminal comes first.

What a state of an LR table still has to read of a production that has begun is found backwards from
the states that reduce it: so the productions need not be known. A nonterminal costs as much as the
cheapest of its productions (Knuth 1977). A stack is finished by what is left of one production,
which pops some states and leaves a nonterminal on the one below; what that costs is remembered by
the stack's node (weighted ``pre*`` of a pushdown system).

What conflicts were resolved to does not count: a terminal that the parser then refuses is no part
of a completion, since the machine reads all of these.

Example: in json ``[1`` is finished by reducing a value, and by ``]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple

import numpy as np

from maskc.ids import GeneralStateId, LalrStateId
from maskc.runtime.glr import GlrMachine
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Stack, lower, serial_of
from maskc.runtime.step_budget import charge_steps

NEVER: Final = 1_000_000
_MOST_KNOWN: Final = 200_000
_ENTRY_BYTES: Final = 200
# A terminal, or a nonterminal as -1 - its number.
Symbol = int
# How many states are popped, and the nonterminal that is pushed then.
Exit = tuple[int, int]


class Cost(NamedTuple):
    """What symbols cost."""

    n: int  # of them all; NEVER: they have no text
    first: int  # the first terminal of them; -1: they have none

    def then(self, after: Cost) -> Cost:
        """Return what these symbols and others after them cost."""
        return Cost(self.n + after.n, after.first if self.first < 0 else self.first)


_NOTHING: Final = Cost(0, -1)
_NEVER: Final = Cost(NEVER, -1)


class DerivationTable:
    """An LR table. Of several states with the same core, the core has the productions."""

    def __init__(self, machine: LalrMachine | GlrMachine) -> None:
        arrays = machine.scanner.arrays
        is_lalr = isinstance(machine, LalrMachine)
        prefix = "" if is_lalr else "general_"
        n_states = len(arrays[f"{prefix}shift_first"]) - 1
        core = np.asarray(arrays["lalr_state"] if is_lalr else np.arange(n_states))
        self.core_of: list[int] = core.tolist()  # of each state
        self.edges = set[tuple[int, Symbol, int]]()  # core, symbol and the core that it leads to
        for kind, label in (("shift", "terminal"), ("goto", "nonterminal")):
            sources = np.repeat(core, np.diff(arrays[f"{prefix}{kind}_first"]))
            symbols = np.asarray(arrays[f"{prefix}{kind}_{label}"]).astype(np.int64)
            symbols = symbols if kind == "shift" else -1 - symbols
            targets = core[arrays[f"{prefix}{kind}_state"]]
            rows = np.unique(np.stack([sources, symbols, targets], axis=1), axis=0)
            self.edges.update((source, s, target) for source, s, target in rows.tolist())
        # core → the nonterminals that are made there, each with how many states are popped
        self.reduces: dict[int, Iterable[Exit]] = {}
        # Nonterminals that may stand on a state → the state after each.
        self.gotos: Callable[[Any], Mapping[Any, Any]]
        if isinstance(machine, LalrMachine):
            tables, ends = machine.tables, machine.lookaheads.end
            ends |= tables.layout.dedent_at_end if tables.layout else 0
            for state in range(len(arrays["lalr_context"])):
                made = set(tables.reduces(LalrStateId(state)).values())
                lengths, made_of = tables.production_length, tables.production_lhs
                self.reduces[state] = {(lengths[p], made_of[p]) for p in made}
            self.gotos, self._taken, self._ends = tables.gotos, tables.taken, ends
        else:
            general = machine.gss.tables
            for state in range(n_states):
                pairs = general.reduces(GeneralStateId(state))
                self.reduces[state] = [(length, lhs) for lhs, length in pairs]
            self.gotos, self._taken = general.gotos, general.taken
            self._ends = machine.lookaheads.end

    def may_end(self, state: int) -> bool:
        return bool(self._taken[state] & self._ends)


class Derivations:
    """The least derivations of one table, with the cost of each terminal."""

    def __init__(self, table: DerivationTable, costs: Mapping[int, int]) -> None:
        self._table = table
        self._costs: dict[Symbol, Cost] = {t: Cost(n, t) for t, n in costs.items()}
        # Of each core: how it can be popped, and what that costs.
        self._exits: dict[int, list[tuple[int, int, Cost]]] = {}
        self._solve()
        self._closed: dict[tuple[int, int], tuple[Cost, list[tuple[int, int, Cost]]]] = {}
        # By the serial of a stack and a nonterminal on it.
        self._known: dict[tuple[int, int], Cost] = {}

    def clear(self) -> None:
        self._known.clear()

    @property
    def n_bytes(self) -> int:
        return _ENTRY_BYTES * len(self._known)

    def _solve(self) -> None:
        """Find the least rests of productions, the cheapest first: each is met once."""
        before: dict[int, list[tuple[int, Symbol]]] = {}
        for source, symbol, target in sorted(self._table.edges):
            before.setdefault(target, []).append((source, symbol))
        rests: dict[tuple[int, Exit], Cost] = {}
        # What a nonterminal that has no cost yet begins, with what is read after it.
        read_in: dict[Symbol, list[tuple[int, Exit, Cost]]] = {}
        # Costs with their first terminals, cores and keys.
        todo = [(_NOTHING, core, key) for core, keys in self._table.reduces.items() for key in keys]
        heapify(todo)
        while todo:
            rest, core, key = heappop(todo)
            if (core, key) in rests:
                continue
            rests[core, key], (n_over, lhs) = rest, key
            if n_over:
                for source, symbol in before.get(core, ()):
                    cost, left = self._costs.get(symbol), (n_over - 1, lhs)
                    if cost is not None:
                        heappush(todo, (cost.then(rest), source, left))
                    elif symbol < 0:
                        read_in.setdefault(symbol, []).append((source, left, rest))
            elif -1 - lhs not in self._costs:
                self._costs[-1 - lhs] = rest
                for source, left, after in read_in.pop(-1 - lhs, ()):
                    heappush(todo, (rest.then(after), source, left))
        for (core, (n_over, lhs)), rest in rests.items():
            if n_over:
                self._exits.setdefault(core, []).append((n_over, lhs, rest))

    def _list_exits(self, state: int) -> list[tuple[int, int, Cost]]:
        """Return how a state on top can be popped: states, nonterminal and cost."""
        return self._exits.get(self._table.core_of[state], [])

    def finish(self, stack: Stack) -> Cost:
        """Return what finishing a stack costs; ``NEVER``: nothing is known."""
        if self._table.may_end(stack.state):
            return _NOTHING
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        best, exits = _NEVER, self._list_exits(stack.state)
        if stack.below is None:
            # Nothing has begun where a text begins: it begins with any nonterminal.
            gotos = self._table.gotos(stack.state)
            exits = exits + [(0, made, self._costs.get(-1 - made, _NEVER)) for made in gotos]
        for n_popped, lhs, cost in exits:
            if n_popped <= stack.depth and cost.n < best.n:
                base = lower(stack, stack.depth - n_popped)
                best = min(best, cost.then(self._finish_on(base, lhs)))
        return best

    def _finish_on(self, stack: Stack, nonterminal: int) -> Cost:
        """Return what finishing a stack with a nonterminal on it costs.

        Stacks may be deep, so what waits for another result is on a list.
        """
        known, waiting = self._known, [(stack, nonterminal)]
        while waiting:
            here, made = waiting[-1]
            key = (serial_of(here), made)
            if key not in known:
                charge_steps(1)
                best, exits = self._close(here.state, made)
                below = [
                    (lower(here, here.depth - n_popped), lhs, cost)
                    for n_popped, lhs, cost in exits
                    if n_popped <= here.depth
                ]
                missing = [(b, lhs) for b, lhs, _ in below if (serial_of(b), lhs) not in known]
                if missing:
                    waiting += missing
                    continue
                found = [cost.then(known[serial_of(b), lhs]) for b, lhs, cost in below]
                known[key] = min([best, *found])
            waiting.pop()
        return known[serial_of(stack), nonterminal]

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
            charge_steps(1)
            if self._table.may_end(top):
                ends = min(ends, before)
            for n_popped, lhs, cost in self._list_exits(top):
                total = before.then(cost)
                if n_popped > 1:
                    key = (n_popped - 1, lhs)
                    exits[key] = min(exits.get(key, _NEVER), total)
                elif total.n < reached.get(lhs, _NEVER).n:
                    reached[lhs] = total
                    todo.append(lhs)
        found = (ends, [(n, lhs, cost) for (n, lhs), cost in exits.items()])
        self._closed[state, nonterminal] = found
        return found
