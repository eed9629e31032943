"""The LR(0) automaton of a grammar, and the LALR(1) lookaheads on which rules end in its states.

A state is a set of items, productions with a dot in them; on a symbol it goes to the state with the
dot moved over it. All is in numbers, with sets of terminals as bits; states are numbered breadth
first, over symbols in ascending order.

Two things can be had as in Lark and not as in the source, and make some lookaheads more:

- An item whose dot has moved counts as one that begins in its state where the state also goes on
  with the item's nonterminal.
- Transitions that read each other, over symbols that may be empty, have one set from then on: Lark
  keeps one object for all of them. What one includes, all do. Where Lark's table depends on the
  order in which it looks at such objects, which changes from run to run, ours does not.

Source: Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.), section 4.6.2; DeRemer and Pennello,
*Efficient Computation of LALR(1) Look-Ahead Sets* (1982), doi:10.1145/69622.357187; Lark 1.3,
``parsers/lalr_analysis.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc import bits
from maskc.errors import LimitError
from maskc.grammar import Production
from maskc.grammar.sets import Terminals, find_derivable, unite_along
from maskc.ids import END, ROOT, ProductionId
from maskc.wording import Phrase

RightSide = tuple[int, ...]  # terminals are not negative; nonterminal n is -1 - n
Item = tuple[ProductionId, int]  # production, position of the dot
Items = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Lr0Rules:
    """Productions, by number."""

    lhs: Sequence[int]  # the nonterminal of each
    # the symbols of each; without END, where lookaheads are asked for
    right_sides: Sequence[RightSide]
    of_nonterminal: Mapping[int, Sequence[ProductionId]]  # nonterminal → its productions
    # the productions of the start symbols; their nonterminals are in no right side
    roots: Sequence[ProductionId]


@dataclass(frozen=True, slots=True)
class Lr0State:
    """A state."""

    kernel: Items  # the items that lead here, in order
    # nonterminal → productions that begin here, ascending; shared by many states
    begun: Mapping[int, tuple[ProductionId, ...]]
    moves: Mapping[int, int]  # symbol → number of the state after it


def add_roots(productions: Sequence[Production], *starts: int) -> Lr0Rules:
    """Return productions, and after them one for each start symbol; the last is ``ROOT``.

    >>> add_roots([Production(0, (1, -1))], 0).right_sides[ROOT]
    (-1,)
    """
    of_nonterminal: dict[int, list[ProductionId]] = {}
    for number, production in enumerate(productions):
        of_nonterminal.setdefault(production.lhs, []).append(ProductionId(number))
    lhs = [p.lhs for p in productions]
    added = max([*lhs, *starts]) + 1
    return Lr0Rules(
        (*lhs, *range(added, added + len(starts))),
        (*(p.rhs for p in productions), *((-1 - start,) for start in starts)),
        of_nonterminal,
        [ProductionId(ROOT - n) for n in reversed(range(len(starts)))],
    )


def build_lr0(rules: Lr0Rules, most_states: int | None = None) -> list[Lr0State]:
    """Return the states; those of the roots come first, in order.

    Raises:
        LimitError: there are more than ``most_states``.
    """
    kernels: list[Items] = [((root, 0),) for root in rules.roots]
    number = {kernel: i for i, kernel in enumerate(kernels)}
    closures: dict[RightSide, _Closure] = {}
    states = []
    for kernel in kernels:  # grows while we walk it
        moved: dict[int, list[Item]] = {}
        for production, dot in kernel:
            right_side = rules.right_sides[production]
            if dot < len(right_side):
                moved.setdefault(right_side[dot], []).append((production, dot + 1))
        first = tuple(symbol for symbol in moved if symbol < 0)
        closure = closures.get(first)
        if closure is None:
            closure = closures[first] = _close(rules, first)
        pushed = {symbol: tuple(sorted(items)) for symbol, items in moved.items()}
        for symbol, begun in closure.moved:
            own = pushed.get(symbol)
            pushed[symbol] = begun if own is None else tuple(sorted(own + begun))
        moves = {}
        for symbol in sorted(pushed):
            after = pushed[symbol]
            target = number.get(after, -1)
            if target < 0:
                if len(kernels) == most_states:
                    raise LimitError("parser states", most_states, Phrase.SIMPLER_RULES)
                target = number[after] = len(kernels)
                kernels.append(after)
            moves[symbol] = target
        states.append(Lr0State(kernel, closure.begun, moves))
    return states


class _Closure(NamedTuple):
    """The productions that a state begins, and for each first symbol their items after it."""

    begun: Mapping[int, tuple[ProductionId, ...]]
    moved: list[tuple[int, Items]]


def _close(rules: Lr0Rules, first: RightSide) -> _Closure:
    """Return what states begin that go on with some nonterminals; many have these in common."""
    begun: dict[int, tuple[ProductionId, ...]] = {}
    moved: dict[int, list[Item]] = {}
    pending = [-1 - symbol for symbol in first]
    while pending:
        nonterminal = pending.pop()
        if nonterminal in begun:
            continue
        begun[nonterminal] = tuple(rules.of_nonterminal.get(nonterminal, ()))
        for production in begun[nonterminal]:
            right_side = rules.right_sides[production]
            if right_side:
                moved.setdefault(right_side[0], []).append((production, 1))
                if right_side[0] < 0:
                    pending.append(-1 - right_side[0])
    in_order = MappingProxyType(dict(sorted(begun.items())))
    return _Closure(in_order, [(symbol, tuple(sorted(items))) for symbol, items in moved.items()])


def find_lookaheads(
    rules: Lr0Rules, states: Sequence[Lr0State], *, is_larks: bool = False
) -> list[dict[ProductionId, Terminals]]:
    """Return, for each state, production that ends there → the terminals on which it does.

    Args:
        is_larks: with what Lark finds beside the source's lookaheads.
    """
    return _Lookaheads(rules, states).find(is_larks=is_larks)


class _Lookaheads:
    """Follows what can come after each move over a nonterminal (a transition)."""

    def __init__(self, rules: Lr0Rules, states: Sequence[Lr0State]) -> None:
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
        # What each transition includes, and the state and production of each rule that it ends.
        self._includes: list[list[int]] = [[] for _ in self._starts]
        self._lookbacks: list[list[tuple[int, ProductionId]]] = [[] for _ in self._starts]

    def find(self, *, is_larks: bool) -> list[dict[ProductionId, Terminals]]:
        read, together = self._read_directly(), list[list[int]]()
        if self._nullable:
            read, together = unite_along(self._list_reads(), read)
        for start, state in enumerate(self._states):
            begun = [(production, 0) for some in state.begun.values() for production in some]
            self._look_back(start, [*begun, *state.kernel] if is_larks else begun)
        for component in together if is_larks else ():
            for transition, other in zip(component, component[1:] + component[:1], strict=True):
                self._includes[transition].append(other)
        follow, _ = unite_along(self._includes, read)
        reduced: list[dict[ProductionId, Terminals]] = [{} for _ in self._states]
        for transition, ends in enumerate(self._lookbacks):
            for end, production in ends:
                reduced[end][production] = reduced[end].get(production, 0) | follow[transition]
        return reduced

    def _read_directly(self) -> list[Terminals]:
        shifted = [bits.from_members(s for s in state.moves if s >= 0) for state in self._states]
        found = [shifted[self._states[start].moves[symbol]] for start, symbol in self._starts]
        for start, root in enumerate(self._rules.roots):
            found[self._number[start][self._rules.right_sides[root][0]]] |= 1 << END
        return found

    def _list_reads(self) -> list[list[int]]:
        found = []
        for start, symbol in self._starts:
            after = self._states[start].moves[symbol]
            number = self._number[after]
            found.append([number[s] for s in number if s in self._nullable])
        return found

    def _look_back(self, start: int, items: Iterable[Item]) -> None:
        """Follow items from a state that goes on with their nonterminals to their ends."""
        lhs, right_sides, states = self._rules.lhs, self._rules.right_sides, self._states
        number, transitions = self._number, self._number[start]
        for production, dot in items:
            transition = transitions.get(-1 - lhs[production])
            if transition is None:
                continue
            here, last = start, self._empty_from[production] - 1
            for index, symbol in enumerate(right_sides[production][dot:], dot):
                if index >= last and symbol < 0:
                    self._includes[number[here][symbol]].append(transition)
                here = states[here].moves[symbol]
            if dot == 0:
                self._lookbacks[transition].append((here, production))
