"""Lark's rules of a grammar: the cheapest derivations, what a stack needs, and Earley's columns.

The cheapest derivations are those of Knuth 1977, *A generalization of Dijkstra's algorithm*.

A stack is finished item by item: what an item of the top state needs, then what an item below its
left side needs, and so on down. Of all the ways the cheapest counts (Dijkstra 1959). Conflicts and
lookaheads are left aside, so the number may be too small: it orders the search for the end of a
parse. That *no* way leads to the end is a proof, for more is allowed here than Lark allows.

A *column* is what may be under way at one index of a text: items, each a rule, a dot in it, and the
index where the rule began (Earley 1970, doi:10.1145/362007.362035; empty rules as in Aycock and
Horspool 2002). Lexemes are edges from one index to another, whoever found them; an ignored lexeme
carries along what waits for a terminal. Rules that derive nothing that ends are left out, so an
item that waits for a terminal can be finished, as far as the rules are asked. This is written for
being simple, not fast, and shares nothing with the parser that it judges.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lark import Lark

Symbol = tuple[str, bool]  # a name, and whether it is a terminal's
_Item = tuple[int, int]  # rule, position of the dot; rule -1 is the one that Lark adds
Node = tuple[int, int]  # how many states of the stack are below, the state on top of them

_FAR = 1_000_000
_MOST_KNOWN = 200_000


class Rules:
    """The rules of a grammar, in an order that depends on nothing but them."""

    def __init__(self, lark: Lark) -> None:
        self.start = str(lark.options.start[0])  # the first start symbol
        # left side and right side of each rule
        self.all: list[tuple[str, tuple[Symbol, ...]]] = sorted(
            {
                (str(r.origin.name), tuple((str(s.name), bool(s.is_term)) for s in r.expansion))
                for r in lark.rules
            }
        )
        self.by_origin: dict[str, list[int]] = {}  # nonterminal → the numbers of its rules
        # nonterminal → each rule whose right side has it, and the index there
        self.uses: dict[str, list[tuple[int, int]]] = {}
        for number, (origin, side) in enumerate(self.all):
            self.by_origin.setdefault(origin, []).append(number)
            for index, (name, is_terminal) in enumerate(side):
                if not is_terminal:
                    self.uses.setdefault(name, []).append((number, index))

    def find_costs(
        self, *, per_rule: int, can_stand: Callable[[str], bool] = lambda _: True
    ) -> tuple[dict[str, int], dict[int, int]]:
        """Return the cheapest derivation of nonterminals and rules; without those that have none.

        A terminal that can stand costs one. The first of the rules of a nonterminal is a cheapest
        one, and what it derives has been found before it.
        """
        costs: dict[str, int] = {}
        rule_costs: dict[int, int] = {}
        missing: list[int] = []  # symbols of which nothing is known; never none if one cannot be
        sums: list[int] = []
        for _, side in self.all:
            terminals = [name for name, is_terminal in side if is_terminal]
            n_not_there = sum(not can_stand(name) for name in terminals)
            missing.append(len(side) - len(terminals) + n_not_there)
            sums.append(per_rule + len(terminals))
        queue = [(sums[n], n) for n in range(len(self.all)) if not missing[n]]
        heapq.heapify(queue)
        while queue:
            cost, number = heapq.heappop(queue)
            rule_costs[number] = cost
            origin = self.all[number][0]
            if origin in costs:
                continue
            costs[origin] = cost
            for other, _ in self.uses.get(origin, ()):
                missing[other] -= 1
                sums[other] += cost
                if not missing[other]:
                    heapq.heappush(queue, (sums[other], other))
        return costs, rule_costs


class Remaining:
    """Numbers for stacks of one grammar's table."""

    def __init__(self, lark: Lark, rows: dict[int, dict[str, Any]], start_state: int) -> None:
        self._rows = rows
        self._items = {
            state: [item for item in items if item[0] < _FAR]
            for state, items in find_items(Rules(lark), rows, start_state).items()
        }
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, stack: tuple[int, ...]) -> int:
        """Return the terminals that the stack needs to reach the end; huge if it cannot."""
        known = self._known.get(stack)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            known = self._known[stack] = self._find(stack)
        return known

    def can_be_finished(self, stack: tuple[int, ...]) -> bool:
        """Return whether some productions lead from the stack to the end."""
        return self.of(stack) < _FAR

    def _find(self, stack: tuple[int, ...]) -> int:
        first = (len(stack) - 1, stack[-1])
        costs: dict[Node, int] = {first: 0}
        came_from: dict[Node, Node] = {}
        queue = [(0, first)]
        best, last = _FAR, first
        while queue and queue[0][0] < best:
            cost, node = heapq.heappop(queue)
            if cost > costs[node]:
                continue
            below, top = node
            known = self._known.get((*stack[:below], top))
            if known is not None:
                if cost + known < best:
                    best, last = cost + known, node
                continue
            for needed, dot, origin in self._items[top]:
                if not origin:
                    if cost + needed < best:
                        best, last = cost + needed, node
                    continue
                rest = below + 1 - dot
                after = (rest, self._rows[stack[rest - 1]][origin][1])
                if cost + needed < costs.get(after, _FAR):
                    costs[after] = cost + needed
                    came_from[after] = node
                    heapq.heappush(queue, (cost + needed, after))
        if best < _FAR:
            while last != first:
                self._known[(*stack[: last[0]], last[1])] = best - costs[last]
                last = came_from[last]
        return best


def find_items(
    rules: Rules, rows: dict[int, dict[str, Any]], start_state: int
) -> dict[int, list[tuple[int, int, str]]]:
    """Return state → (terminals needed, position of the dot, left side) of its kernel's items.

    The left side of the rule that Lark adds is empty.
    """
    fewest, _ = rules.find_costs(per_rule=0)

    def symbols(item: _Item) -> tuple[Symbol, ...]:
        expansion = ((rules.start, False),) if item[0] < 0 else rules.all[item[0]][1]
        return expansion[item[1] :]

    kernels: dict[int, set[_Item]] = {start_state: {(-1, 0)}}
    pending = [start_state]
    while pending:
        state = pending.pop()
        items = set(kernels[state])
        unread = list(items)
        while unread:
            after = symbols(unread.pop())
            if after and not after[0][1]:
                new = {(number, 0) for number in rules.by_origin.get(after[0][0], ())} - items
                items |= new
                unread += new
        for rule, dot in sorted(items):
            after = symbols((rule, dot))
            action = rows[state].get(after[0][0]) if after else None
            if action is not None and isinstance(action[1], int):
                kernel = kernels.setdefault(action[1], set())
                if (rule, dot + 1) not in kernel:
                    kernel.add((rule, dot + 1))
                    pending.append(action[1])

    def describe(item: _Item) -> tuple[int, int, str]:
        needed = sum(1 if is_term else fewest.get(name, _FAR) for name, is_term in symbols(item))
        return needed, item[1], rules.all[item[0]][0] if item[0] >= 0 else ""

    return {state: sorted(map(describe, kernel)) for state, kernel in kernels.items()}


class Item(NamedTuple):
    """A rule, how much of it was read, and the index of the column where it began."""

    rule: int
    dot: int
    origin: int


class EndingRules(Rules):
    """The rules of a grammar; ``by_origin`` has those that derive a sentence."""

    def __init__(self, lark: Lark) -> None:
        super().__init__(lark)
        _, costs = self.find_costs(per_rule=0)
        self.by_origin = {
            origin: [number for number in numbers if number in costs]
            for origin, numbers in self.by_origin.items()
        }
        # symbol → the terminals of a shortest sequence that it derives
        self.shortest: dict[str, tuple[str, ...]] = {
            name: (name,)
            for number in costs
            for name, is_terminal in self.all[number][1]
            if is_terminal
        }
        for number in costs:  # the cheapest ones first
            origin, side = self.all[number]
            if origin not in self.shortest:
                self.shortest[origin] = self.write(side)

    def write(self, side: Iterable[Symbol]) -> tuple[str, ...]:
        """Return the terminals of a shortest sequence for symbols."""
        return tuple(itertools.chain.from_iterable(self.shortest[name] for name, _ in side))


class Column:
    """What may be under way at one index of a text."""

    def __init__(
        self, rules: EndingRules, columns: Sequence[Column], kernel: Iterable[Item]
    ) -> None:
        here = len(columns)
        self.waits: dict[str, list[Item]] = {}  # nonterminal → the items that wait for it here
        self.scans: dict[str, list[Item]] = {}  # terminal → the items that wait for it here
        self.ends = False  # whether the text may end here
        self.complete: list[Item] = []
        pending = list(dict.fromkeys(kernel))
        known = set(pending)

        def add(items: Iterable[Item]) -> None:
            for item in items:
                if item not in known:
                    known.add(item)
                    pending.append(item)

        while pending:
            item = pending.pop()
            left, side = rules.all[item.rule]
            symbol = side[item.dot] if item.dot < len(side) else None
            if symbol is None:
                if left == rules.start:
                    self.complete.append(item)
                    self.ends |= item.origin == 0
                # What derives nothing here was read over when it was asked for.
                if item.origin < here:
                    add(map(advance, columns[item.origin].waits.get(left, ())))
            elif symbol[1]:
                self.scans.setdefault(symbol[0], []).append(item)
            else:
                self.waits.setdefault(symbol[0], []).append(item)
                add(Item(rule, 0, here) for rule in rules.by_origin.get(symbol[0], ()))
                if not rules.shortest.get(symbol[0], (symbol[0],)):
                    add([advance(item)])

    def carried(self) -> Iterator[Item]:
        """Yield what an ignored lexeme carries along."""
        yield from self.complete
        for items in self.scans.values():
            yield from items


def advance(item: Item) -> Item:
    return item._replace(dot=item.dot + 1)


def find_rest(
    rules: EndingRules, columns: Sequence[Column], items: Iterable[Item]
) -> tuple[str, ...] | None:
    """Return few terminals after which the text may end, if these items come next."""
    queue: list[tuple[int, Item, tuple[str, ...]]] = []
    cost: dict[Item, int] = {}

    def push(item: Item, after: tuple[str, ...]) -> None:
        total = (*after, *rules.write(rules.all[item.rule][1][item.dot :]))
        if len(total) < cost.get(item, _FAR):
            cost[item] = len(total)
            heapq.heappush(queue, (len(total), item, total))

    for item in items:
        push(item, ())
    while queue:
        length, item, total = heapq.heappop(queue)
        if length > cost[item]:
            continue
        left = rules.all[item.rule][0]
        if left == rules.start and item.origin == 0:
            return total
        if item.origin < len(columns):
            for waiting in columns[item.origin].waits.get(left, ()):
                push(advance(waiting), total)
    return None
