"""Which rules may be under way after each character of a text? Earley's answer, of our own.

A *column* is what may be under way at one place: items, each a rule, a dot in it, and the place
where the rule began. Lexemes are edges from one place to another, whoever found them; an ignored
lexeme carries along what waits for a terminal. Rules that derive nothing that ends are left out,
so an item that waits for a terminal can be finished, as far as the rules are asked.

This is written for being simple, not fast, and shares nothing with the parser that it judges.

Source: Earley 1970 (doi:10.1145/362007.362035); empty rules as in Aycock and Horspool 2002.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from lark import Lark

_FAR = 1 << 30


class Item(NamedTuple):
    """A rule, how much of it was read, and the place where it began."""

    rule: int
    dot: int
    origin: int


class Rules:
    """The rules of a grammar that end.

    Attributes:
        start: the start symbol.
        sides: rule → its left side, its right side, and whether each symbol of it is a terminal.
        shortest: symbol → the terminals of a shortest sequence that it derives.
    """

    def __init__(self, lark: Lark) -> None:
        self.start = str(cast(Any, lark.options).start[0])
        given: list[tuple[str, tuple[tuple[str, bool], ...]]] = [
            (str(r.origin.name), tuple((str(s.name), bool(s.is_term)) for s in r.expansion))
            for r in lark.rules
        ]
        self.shortest: dict[str, tuple[str, ...]] = {}
        for name in {n for _, side in given for n, is_term in side if is_term}:
            self.shortest[name] = (name,)
        changed = True
        while changed:
            changed = False
            for left, side in given:
                parts = [self.shortest.get(name) for name, _ in side]
                known = [part for part in parts if part is not None]
                total = tuple(itertools.chain.from_iterable(known))
                best = self.shortest.get(left)
                if len(known) == len(parts) and (best is None or len(total) < len(best)):
                    self.shortest[left] = total
                    changed = True
        self.sides = [
            (left, side) for left, side in given if all(name in self.shortest for name, _ in side)
        ]
        self.by_left: dict[str, list[int]] = {}
        for number, (left, _) in enumerate(self.sides):
            self.by_left.setdefault(left, []).append(number)

    def next_symbol(self, item: Item) -> tuple[str, bool] | None:
        """Return the symbol after the dot and whether it is a terminal; ``None`` at the end."""
        side = self.sides[item.rule][1]
        return side[item.dot] if item.dot < len(side) else None

    def begin(self) -> list[Item]:
        """Return the items with which a text begins."""
        return [Item(rule, 0, 0) for rule in self.by_left.get(self.start, ())]


class Column:
    """What may be under way at a place.

    Attributes:
        waits: nonterminal → the items that wait for it here.
        scans: terminal → the items that wait for it here.
        ends: whether the text may end here.
    """

    def __init__(self, rules: Rules, columns: Sequence[Column], kernel: Iterable[Item]) -> None:
        place = len(columns)
        self.waits: dict[str, list[Item]] = {}
        self.scans: dict[str, list[Item]] = {}
        self.ends = False
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
            symbol = rules.next_symbol(item)
            if symbol is None:
                left = rules.sides[item.rule][0]
                if left == rules.start:
                    self.complete.append(item)
                    self.ends |= item.origin == 0
                # What derives nothing here was read over when it was asked for.
                if item.origin < place:
                    add(map(advance, columns[item.origin].waits.get(left, ())))
            elif symbol[1]:
                self.scans.setdefault(symbol[0], []).append(item)
            else:
                self.waits.setdefault(symbol[0], []).append(item)
                add(Item(rule, 0, place) for rule in rules.by_left.get(symbol[0], ()))
                if not rules.shortest.get(symbol[0], (symbol[0],)):
                    add([advance(item)])

    def carried(self) -> Iterator[Item]:
        """Yield what an ignored lexeme carries along."""
        yield from self.complete
        for items in self.scans.values():
            yield from items


def advance(item: Item) -> Item:
    """Return the item with one more symbol read."""
    return item._replace(dot=item.dot + 1)


def find_rest(
    rules: Rules, columns: Sequence[Column], items: Iterable[Item]
) -> tuple[str, ...] | None:
    """Return few terminals after which the text may end, if these items come next.

    Args:
        rules: of the grammar.
        columns: all that the items' origins name.
        items: of which one is finished, then one that waited for it, and so on.
    """
    queue: list[tuple[int, Item, tuple[str, ...]]] = []
    cost: dict[Item, int] = {}

    def push(item: Item, after: tuple[str, ...]) -> None:
        side = rules.sides[item.rule][1][item.dot :]
        total = (*after, *itertools.chain.from_iterable(rules.shortest[n] for n, _ in side))
        if len(total) < cost.get(item, _FAR):
            cost[item] = len(total)
            heapq.heappush(queue, (len(total), item, total))

    for item in items:
        push(item, ())
    while queue:
        length, item, total = heapq.heappop(queue)
        if length > cost[item]:
            continue
        left = rules.sides[item.rule][0]
        if left == rules.start and item.origin == 0:
            return total
        if item.origin < len(columns):
            for waiting in columns[item.origin].waits.get(left, ()):
                push(advance(waiting), total)
    return None
