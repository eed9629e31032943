"""Random sentences of a grammar, as terminals, of a size and with a rule that must be in them.

A derivation is expanded from the left. Each nonterminal has an allowance of terminals: one of the
rules that fit is drawn, those that can use the allowance before those that cannot, and what is
over is shared among the nonterminals of its right side. Where nothing fits, the cheapest rule is
taken, so that every derivation ends. A rule that is *wanted* is reached by the cheapest path of
rules.

Limits: a sentence of more than ``MOST_STEPS`` symbols, terminals or not, is given up.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from random import Random

from lark import Lark

from maskc.verify.rules import Rules, Symbol

MOST_STEPS = 40_000
_MOST_PATHS = 512  # wanted rules to which the paths are remembered
_MOST_AIMS = 4  # wanted rules that a nonterminal is asked for


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was drawn."""

    terminals: tuple[str, ...]
    rules: frozenset[int]


class Sentences:
    """The sentences of one grammar, by Lark's own rules.

    Attributes:
        rules: left side and right side of each rule, in an order that depends on nothing but them.
        useful: the numbers of those that some sentence is made with, of which one is drawn.
    """

    def __init__(self, lark: Lark, drawable: frozenset[str]) -> None:
        rules = Rules(lark)
        self.rules, self._start, self._uses = rules.all, rules.start, rules.uses
        # A rule costs as a terminal does, so that the cheapest path has no cycle.
        self._costs, self._rule_costs = rules.find_costs(
            per_rule=1, can_stand=drawable.__contains__
        )
        self._by_origin: dict[str, list[int]] = {}
        for number in sorted(self._rule_costs):
            self._by_origin.setdefault(self.rules[number][0], []).append(number)
        reached = self._find_reached()
        self.useful: tuple[int, ...] = tuple(
            number for number in sorted(self._rule_costs) if self.rules[number][0] in reached
        )
        self._growing = self._find_growing()
        # nonterminal → cost, rule to take, index in its right side
        self._find_paths = lru_cache(_MOST_PATHS)(self._search_paths)

    def order_wanted(self, seed: int) -> list[int]:
        """Return the useful rules in the order in which texts are to hold them."""
        order = list(self.useful)
        Random(f"{seed}:rules").shuffle(order)
        return order

    def draw(self, draw: Random, size: int, wanted: Sequence[int]) -> Sentence | None:
        """Return a sentence; ``None`` if it became too long.

        Args:
            size: about how many terminals and rules it takes.
            wanted: rules to use: the first one surely, the others as far as there is room.
        """
        if self._start not in self._costs:
            return None
        terminals: list[str] = []
        used: Counter[int] = Counter()
        first, others = (wanted[0] if wanted else None), dict.fromkeys(wanted[1:])
        # With each symbol its allowance, and whether the first rule is looked for in it.
        stack: list[tuple[Symbol, int, bool]] = [((self._start, False), size, first is not None)]
        for _ in range(MOST_STEPS):
            if not stack:
                return Sentence(tuple(terminals), frozenset(used))
            (name, is_terminal), allowance, is_on_path = stack.pop()
            if is_terminal:
                terminals.append(name)
                continue
            if is_on_path and first is not None:
                number, index = self._approach(draw, name, allowance, first, used)
                is_on_path = number != first
            else:
                number, index = self._aim(draw, name, allowance, others, used)
            used[number] += 1
            others.pop(number, None)
            shares = self._share(draw, number, allowance, index)
            side = self.rules[number][1]
            stack += [
                (side[n], shares[n], n == index and is_on_path)
                for n in range(len(side) - 1, -1, -1)
            ]
        return None

    def _approach(
        self, draw: Random, name: str, allowance: int, target: int, used: Counter[int]
    ) -> tuple[int, int]:
        """Return a rule that leads to a target, and the index of its symbol that does.

        The index is -1 if the rule is the target. Where the allowance is large, the path to it
        need not be the cheapest one.
        """
        paths = self._find_paths(target)
        cost, number, index = paths[name]
        if allowance > 2 * cost + 4 and draw.random() < 0.8:
            other = self._choose(draw, name, allowance, used)
            indices = [n for n, (s, t) in enumerate(self.rules[other][1]) if not t and s in paths]
            if indices and other != target:
                return other, draw.choice(indices)
        return number, index

    def _aim(
        self,
        draw: Random,
        name: str,
        allowance: int,
        others: Mapping[int, None],
        used: Counter[int],
    ) -> tuple[int, int]:
        """Return a rule, if possible one that leads to a wanted one, and an index as above."""
        for target in itertools.islice(others, _MOST_AIMS):
            step = self._find_paths(target).get(name)
            if step is not None and step[0] <= allowance:
                return step[1], step[2]
        return self._choose(draw, name, allowance, used), -1

    def _choose(self, draw: Random, name: str, allowance: int, used: Counter[int]) -> int:
        numbers = self._by_origin[name]
        fitting = [n for n in numbers if self._rule_costs[n] <= allowance]
        if not fitting:
            least = min(self._rule_costs[n] for n in numbers)
            return draw.choice([n for n in numbers if self._rule_costs[n] == least])
        large = [n for n in fitting if n in self._growing]
        small = [n for n in fitting if n not in self._growing]
        if large and small:
            # What cannot use the allowance is drawn where there is little of it.
            most = max(self._rule_costs[n] for n in small)
            fitting = small if draw.random() < (most + 2) / (most + 2 + allowance) else large
        return draw.choices(fitting, [1 / (1 + used[n]) for n in fitting])[0]

    def _share(self, draw: Random, number: int, allowance: int, preferred: int) -> list[int]:
        """Return what each symbol of a right side may cost; most for the preferred one, if any."""
        origin, side = self.rules[number]
        costs = [1 if is_terminal else self._costs[name] for name, is_terminal in side]
        over = allowance - self._rule_costs[number]
        growing = [
            index
            for index, (name, is_terminal) in enumerate(side)
            if not is_terminal and any(n in self._growing for n in self._by_origin[name])
        ]
        if over <= 0 or not growing:
            return costs
        # A list goes on for long, or an element of it is large.
        weights = [
            draw.random() * (3 if index == preferred or side[index][0] == origin else 1) + 0.01
            for index in growing
        ]
        total = sum(weights)
        for index, weight in zip(growing, weights, strict=True):
            costs[index] += int(over * weight / total)
        return costs

    def _find_reached(self) -> set[str]:
        reached, pending = {self._start}, [self._start]
        while pending:
            for number in self._by_origin.get(pending.pop(), ()):
                for name, is_terminal in self.rules[number][1]:
                    if not is_terminal and name not in reached:
                        reached.add(name)
                        pending.append(name)
        return reached

    def _find_growing(self) -> set[int]:
        """Return the rules from which a nonterminal is reached that derives itself."""
        edges = {
            origin: [
                name for n in numbers for name, is_terminal in self.rules[n][1] if not is_terminal
            ]
            for origin, numbers in self._by_origin.items()
        }
        # What cannot grow is what is left when leaves are taken away, again and again.
        sorter, bounded = TopologicalSorter(edges), set[str]()
        with suppress(CycleError):
            sorter.prepare()
        while leaves := sorter.get_ready():
            bounded.update(leaves)
            sorter.done(*leaves)
        return {
            number
            for number in self._rule_costs
            if any(not t and name not in bounded for name, t in self.rules[number][1])
        }

    def _search_paths(self, target: int) -> dict[str, tuple[int, int, int]]:
        paths: dict[str, tuple[int, int, int]] = {}
        count = itertools.count()
        origin = self.rules[target][0]
        queue = [(self._rule_costs[target], next(count), origin, target, -1)]
        while queue:
            cost, _, name, number, index = heapq.heappop(queue)
            if name in paths:
                continue
            paths[name] = cost, number, index
            for rule, at in self._uses.get(name, ()):
                if rule in self._rule_costs and self.rules[rule][0] not in paths:
                    more = self._rule_costs[rule] - self._costs[name] + cost
                    heapq.heappush(queue, (more, next(count), self.rules[rule][0], rule, at))
        return paths
