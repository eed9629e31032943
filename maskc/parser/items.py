"""Which LR(0) items does each state of Lark's table stand for?

Lark hands over numbered states only, so the item sets are built again from the productions:
the kernel of state 0 is ``$root -> . start``, and a state's successor on a symbol holds the
items with the dot moved over it.

Source: Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.), section 4.6.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc.grammar.model import LalrGrammar
from maskc.ids import ROOT, LalrStateId, ProductionId

Item = tuple[ProductionId, int]  # production, position of the dot


@dataclass(frozen=True, slots=True)
class ItemSets:
    """The items of each LALR state.

    Attributes:
        right_sides: right side of each production; the last one is that of ``ROOT``.
        kernels: per state, its kernel items in order.
        closures: per state, nonterminal → productions that start there.
    """

    right_sides: tuple[tuple[int, ...], ...]
    kernels: tuple[tuple[Item, ...], ...]
    closures: tuple[Mapping[int, tuple[ProductionId, ...]], ...]

    def states(self) -> Iterator[LalrStateId]:
        """Yield the states in order."""
        return map(LalrStateId, range(len(self.kernels)))

    def next_symbol(self, item: Item) -> int | None:
        """Return the symbol after the dot, ``None`` at the end."""
        right_side, dot = self.right_sides[item[0]], item[1]
        return right_side[dot] if dot < len(right_side) else None


def build_item_sets(grammar: LalrGrammar) -> ItemSets:
    """Return the item sets of all states."""
    by_lhs: dict[int, list[ProductionId]] = {}
    for number, rule in enumerate(grammar.bnf.productions):
        by_lhs.setdefault(rule.lhs, []).append(ProductionId(number))
    right_sides = (*(p.rhs for p in grammar.bnf.productions), (-1 - grammar.bnf.start,))
    n_states = len(grammar.lalr.states)
    kernels: list[tuple[Item, ...] | None] = [None] * n_states
    closures: list[Mapping[int, tuple[ProductionId, ...]]] = [{} for _ in range(n_states)]
    known: dict[tuple[int, ...], _Closure] = {}
    kernels[0] = ((ROOT, 0),)
    queue = [0]
    while queue:
        state = queue.pop()
        kernel = kernels[state]
        if kernel is None:
            raise ValueError(f"state {state} has no kernel")
        moved: dict[int, list[Item]] = {}
        for production, dot in kernel:
            right_side = right_sides[production]
            if dot < len(right_side):
                moved.setdefault(right_side[dot], []).append((production, dot + 1))
        begun = tuple(symbol for symbol in moved if symbol < 0)
        if begun not in known:
            known[begun] = _close(begun, right_sides, by_lhs)
        closure = known[begun]
        closures[state] = closure.productions
        pushed = {symbol: tuple(sorted(items)) for symbol, items in moved.items()}
        for symbol, others in closure.moved:
            own = pushed.get(symbol)
            pushed[symbol] = others if own is None else tuple(sorted(own + others))
        row = grammar.lalr.states[state]
        for symbol, found in pushed.items():
            target = row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
            if kernels[target] is None:
                kernels[target] = found
                queue.append(target)
            elif kernels[target] != found:
                raise ValueError(f"two kernels for state {target}")
    return ItemSets(right_sides, tuple(k or () for k in kernels), tuple(closures))


class _Closure(NamedTuple):
    """What a state begins: productions by nonterminal, and their items after the first symbol."""

    productions: Mapping[int, tuple[ProductionId, ...]]
    moved: list[tuple[int, tuple[Item, ...]]]


def _close(
    begun: tuple[int, ...],
    right_sides: tuple[tuple[int, ...], ...],
    by_lhs: Mapping[int, list[ProductionId]],
) -> _Closure:
    """Return what states begin that go on with some nonterminals; many have these in common."""
    closure: dict[int, tuple[ProductionId, ...]] = {}
    moved: dict[int, list[Item]] = {}
    pending = list(begun)
    while pending:
        lhs = -1 - pending.pop()
        if lhs in closure:
            continue
        closure[lhs] = tuple(by_lhs.get(lhs, ()))
        for production in closure[lhs]:
            rhs = right_sides[production]
            if rhs:
                moved.setdefault(rhs[0], []).append((production, 1))
                if rhs[0] < 0:
                    pending.append(rhs[0])
    in_order = MappingProxyType(dict(sorted(closure.items())))
    return _Closure(in_order, [(symbol, tuple(sorted(items))) for symbol, items in moved.items()])
