"""LR(0) states of a grammar, and the LALR(1) lookaheads on which rules end in them.

It is what Lark's analysis finds, item for item, with numbers in the place of names, rules and items
(each of which Lark hashes anew whenever it looks one up), and with sets of terminals as bits.

Example: of ``root: start`` and ``start: "a" start |`` the state after ``a`` ends the empty rule on
``$END``.

Two things are as in Lark and not as in its source, and make some lookaheads more:

- An item whose dot has moved counts as one that begins in its state where the state also goes on
  with the item's nonterminal.
- Transitions that read each other, over symbols that may be empty, have one set from then on: Lark
  keeps one object for all of them. What one includes, all do. Where Lark's table depends on the
  order in which it looks at such objects, which changes from run to run, ours does not.

Source: DeRemer and Pennello, *Efficient Computation of LALR(1) Look-Ahead Sets* (1982),
doi:10.1145/69622.357187; Lark 1.3, ``parsers/lalr_analysis.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from maskc.grammar.closures import find_derivable, unite_along

Terminals = int  # a set of terminals as bits
RightSide = tuple[int, ...]  # terminals from 0; nonterminal n is -1 - n
Items = tuple[tuple[int, int], ...]  # productions, and the positions of their dots


@dataclass(frozen=True, slots=True)
class LarkProductions:
    """Productions, by number.

    Attributes:
        lhs: the nonterminal of each.
        right_sides: the symbols of each.
        of_nonterminal: nonterminal → its productions.
        roots: the productions of the start symbols; their nonterminals are in no right side.
        end: the terminal that stands for the end of the text.
    """

    lhs: Sequence[int]
    right_sides: Sequence[RightSide]
    of_nonterminal: Sequence[Sequence[int]]
    roots: Sequence[int]
    end: int


@dataclass(frozen=True, slots=True)
class Lr0State:
    """An LR(0) state.

    Attributes:
        items: (production, position of the dot), kernel first.
        moves: symbol → number of the state after it.
        reduced: production that ends here → terminals on which it does.
    """

    items: Items
    moves: dict[int, int]
    reduced: dict[int, Terminals]


def build_states(rules: LarkProductions) -> list[Lr0State]:
    """Return the states with their lookaheads; those of the roots come first, in order."""
    states = _build_lr0(rules)
    _Lookaheads(rules, states).fill()
    return states


def _build_lr0(rules: LarkProductions) -> list[Lr0State]:
    kernels: list[Items] = [((root, 0),) for root in rules.roots]
    number = {kernel: i for i, kernel in enumerate(kernels)}
    closures: dict[RightSide, _Closure] = {}
    states = []
    for kernel in kernels:  # grows while we walk it
        moved: dict[int, list[tuple[int, int]]] = {}
        for production, dot in kernel:
            right_side = rules.right_sides[production]
            if dot < len(right_side):
                moved.setdefault(right_side[dot], []).append((production, dot + 1))
        begun = tuple(symbol for symbol in moved if symbol < 0)
        closure = closures.get(begun)
        if closure is None:
            closure = closures[begun] = _close(rules, begun)
        pushed = {symbol: tuple(sorted(items)) for symbol, items in moved.items()}
        for symbol, begun_items in closure.moved:
            own = pushed.get(symbol)
            pushed[symbol] = begun_items if own is None else tuple(sorted(own + begun_items))
        moves = {}
        for symbol, after in pushed.items():
            target = number.get(after, -1)
            if target < 0:
                target = number[after] = len(kernels)
                kernels.append(after)
            moves[symbol] = target
        states.append(Lr0State(kernel + closure.items, moves, {}))
    return states


class _Closure(NamedTuple):
    """The items that a state begins, and for each symbol after their dots those after a move."""

    items: Items
    moved: list[tuple[int, Items]]


def _close(rules: LarkProductions, begun: RightSide) -> _Closure:
    """Return what states begin that go on with some nonterminals; many have these in common."""
    items: list[tuple[int, int]] = []
    moved: dict[int, list[tuple[int, int]]] = {}
    pending = list(begun)
    seen = set(begun)
    for nonterminal in pending:  # grows while we walk it
        for production in rules.of_nonterminal[-1 - nonterminal]:
            items.append((production, 0))
            right_side = rules.right_sides[production]
            if right_side:
                symbol = right_side[0]
                moved.setdefault(symbol, []).append((production, 1))
                if symbol < 0 and symbol not in seen:
                    seen.add(symbol)
                    pending.append(symbol)
    return _Closure(tuple(items), [(symbol, tuple(sorted(f))) for symbol, f in moved.items()])


class _Lookaheads:
    """Follows what can come after each move over a nonterminal (a transition)."""

    def __init__(self, rules: LarkProductions, states: list[Lr0State]) -> None:
        self._rules, self._states = rules, states
        # Those that derive the empty text; one with a terminal in its right side does not.
        empty = (
            (lhs, right_side)
            for lhs, right_side in zip(rules.lhs, rules.right_sides, strict=True)
            if all(symbol < 0 for symbol in right_side)
        )
        self._nullable = {-1 - n for n in find_derivable(empty)}
        # From where on a right side may be empty.
        self._empty_from = []
        for right_side in rules.right_sides:
            last = len(right_side)
            while last and right_side[last - 1] in self._nullable:
                last -= 1
            self._empty_from.append(last)
        # Each transition's state, and its number by state and symbol.
        self._starts: list[tuple[int, int]] = []
        self._number: list[dict[int, int]] = []
        for n, state in enumerate(states):
            over = [symbol for symbol in state.moves if symbol < 0]
            self._number.append({s: len(self._starts) + i for i, s in enumerate(over)})
            self._starts += [(n, symbol) for symbol in over]

    def fill(self) -> None:
        """Write into each state on which terminals its rules end."""
        read, together = unite_along(self._list_reads(), self._read_directly())
        includes, lookbacks = self._look_back()
        for component in together:
            for transition, other in zip(component, component[1:] + component[:1], strict=True):
                includes[transition].append(other)
        follow, _ = unite_along(includes, read)
        for transition, ends in enumerate(lookbacks):
            for state, production in ends:
                reduced = self._states[state].reduced
                reduced[production] = reduced.get(production, 0) | follow[transition]

    def _read_directly(self) -> list[Terminals]:
        found = []
        shifted = [sum(1 << s for s in state.moves if s >= 0) for state in self._states]
        for start, symbol in self._starts:
            found.append(shifted[self._states[start].moves[symbol]])
            roots, right_sides = self._rules.roots, self._rules.right_sides
            if start < len(roots) and symbol == right_sides[roots[start]][0]:
                found[-1] |= 1 << self._rules.end
        return found

    def _list_reads(self) -> list[list[int]]:
        found = []
        for start, symbol in self._starts:
            after = self._states[start].moves[symbol]
            number = self._number[after]
            found.append([number[s] for s in number if s in self._nullable])
        return found

    def _look_back(self) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
        """Return, for each transition, those that it includes, and the rules that it ends."""
        rules, number = self._rules, self._number
        moves = [state.moves for state in self._states]
        includes: list[list[int]] = [[] for _ in self._starts]
        lookbacks: list[list[tuple[int, int]]] = [[] for _ in self._starts]
        for start, state in enumerate(self._states):
            transitions = number[start]
            for production, dot in state.items:
                transition = transitions.get(-1 - rules.lhs[production], -1)
                if transition < 0:
                    continue
                here, right_side = start, rules.right_sides[production]
                last = self._empty_from[production] - 1
                for index in range(dot, len(right_side)):
                    symbol = right_side[index]
                    if index >= last and symbol < 0:
                        includes[number[here][symbol]].append(transition)
                    here = moves[here][symbol]
                if dot == 0:
                    lookbacks[transition].append((here, production))
        return includes, lookbacks
