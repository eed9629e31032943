"""How many terminals does a stack still need, at least?

A stack is finished item by item: what an item of the top state needs, then what an item below its
left side needs, and so on down. Of all the ways the cheapest counts (Dijkstra 1959). Conflicts and
lookaheads are left aside, so the number may be too small: it orders the search for the end of a
parse. That *no* way leads to the end is a proof, for more is allowed here than Lark allows.

Example: after ``if`` in python.lark: a test, a colon and a suite, which is one, one and two.

What is found for a stack is kept for all that stand on the same states.
"""

from __future__ import annotations

import heapq
from typing import Any

from lark import Lark

Item = tuple[int, int]  # rule, position of the dot; rule -1 is the one that Lark adds
Node = tuple[int, int]  # how many states of the stack are below, the state on top of them

_FAR = 1_000_000
_MOST_KNOWN = 200_000


class Remaining:
    """Numbers for stacks of one grammar's table."""

    def __init__(self, lark: Lark, rows: dict[int, dict[str, Any]], start_state: int) -> None:
        self._rows = rows
        self._items = {
            state: [item for item in items if item[0] < _FAR]
            for state, items in find_items(lark, rows, start_state).items()
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
    lark: Lark, rows: dict[int, dict[str, Any]], start_state: int
) -> dict[int, list[tuple[int, int, str]]]:
    """Return state → (terminals needed, position of the dot, left side) of its kernel's items.

    The left side of the rule that Lark adds is empty.
    """
    rules = [
        (str(rule.origin.name), [(str(s.name), bool(s.is_term)) for s in rule.expansion])
        for rule in lark.rules
    ]
    fewest = _count_fewest(rules)
    by_origin: dict[str, list[int]] = {}
    for number, (origin, _) in enumerate(rules):
        by_origin.setdefault(origin, []).append(number)
    start = [(str(lark.options.start[0]), False)]

    def symbols(item: Item) -> list[tuple[str, bool]]:
        expansion = start if item[0] < 0 else rules[item[0]][1]
        return expansion[item[1] :]

    kernels: dict[int, set[Item]] = {start_state: {(-1, 0)}}
    pending = [start_state]
    while pending:
        state = pending.pop()
        items = set(kernels[state])
        unread = list(items)
        while unread:
            after = symbols(unread.pop())
            if after and not after[0][1]:
                fresh = {(number, 0) for number in by_origin.get(after[0][0], ())} - items
                items |= fresh
                unread += fresh
        for rule, dot in sorted(items):
            after = symbols((rule, dot))
            action = rows[state].get(after[0][0]) if after else None
            if action is not None and isinstance(action[1], int):
                kernel = kernels.setdefault(action[1], set())
                if (rule, dot + 1) not in kernel:
                    kernel.add((rule, dot + 1))
                    pending.append(action[1])

    def describe(item: Item) -> tuple[int, int, str]:
        needed = sum(1 if is_term else fewest.get(name, _FAR) for name, is_term in symbols(item))
        return needed, item[1], rules[item[0]][0] if item[0] >= 0 else ""

    return {state: sorted(map(describe, kernel)) for state, kernel in kernels.items()}


def _count_fewest(rules: list[tuple[str, list[tuple[str, bool]]]]) -> dict[str, int]:
    """Return nonterminal → its shortest terminal sequence (Knuth 1977)."""
    fewest: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for origin, expansion in rules:
            total = sum(1 if is_term else fewest.get(name, _FAR) for name, is_term in expansion)
            if total < fewest.get(origin, _FAR):
                fewest[origin] = total
                changed = True
    return fewest
