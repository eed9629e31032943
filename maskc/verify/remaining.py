"""How many terminals does a stack still need, at least?

For each state of Lark's table one item is kept: the one that the fewest terminals complete. A
stack is then finished item by item: what the top's item needs, then what the item behind its left
side needs, and so on down. Conflicts and lookaheads are left aside, so this is a guess. It only
orders the search for the end of a parse; nothing depends on it being right.

Example: behind ``if`` in python.lark: a test, a colon and a suite, which is one, one and two.
"""

from __future__ import annotations

from typing import Any

from lark import Lark

Item = tuple[int, int]  # rule, position of the dot; rule -1 is the one that Lark adds

_FAR = 1_000_000
_MOST_RULES = 200


class Remaining:
    """Estimates for stacks of one grammar's table."""

    def __init__(self, lark: Lark, rows: dict[int, dict[str, Any]], start_state: int) -> None:
        self._rows = rows
        self._items = find_items(lark, rows, start_state)
        self._easiest = {state: min(items) for state, items in self._items.items()}

    def of(self, stack: tuple[int, ...]) -> int:
        """Return the terminals that the stack needs to reach the end."""
        total, height, top = 0, len(stack), stack[-1]
        # A rule that only leads back to itself would go on for ever.
        for _ in range(len(stack) + _MOST_RULES):
            needed, dot, origin = self._easiest[top]
            total += needed
            # `top` stands on the first `height - 1` states of the stack.
            height -= dot
            if not origin or height < 1:
                return total
            top = self._rows[stack[height - 1]][origin][1]
            height += 1
        return total

    def can_be_finished(self, stack: tuple[int, ...]) -> bool:
        """Return whether some productions lead from the stack to the end."""
        if self.of(stack) < _FAR:
            return True
        # A state on top, and how many states of the stack are below it.
        pending = [(stack[-1], len(stack) - 1)]
        seen = set(pending)
        while pending:
            top, below = pending.pop()
            for needed, dot, origin in self._items[top]:
                if needed >= _FAR:
                    continue
                if not origin:
                    return True
                rest = below + 1 - dot
                after = (self._rows[stack[rest - 1]][origin][1], rest)
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
        return False


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
    """Return nonterminal → terminals in its shortest word (Knuth 1977)."""
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
