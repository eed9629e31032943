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
    closures: list[dict[int, tuple[ProductionId, ...]]] = [{} for _ in range(n_states)]
    kernels[0] = ((ROOT, 0),)
    queue = [0]
    while queue:
        state = queue.pop()
        kernel = kernels[state]
        if kernel is None:
            raise ValueError(f"state {state} has no kernel")
        closure = _close(kernel, right_sides, by_lhs)
        closures[state] = closure
        moved: dict[int, set[Item]] = {}
        for production, dot in (*kernel, *((p, 0) for ps in closure.values() for p in ps)):
            if dot < len(right_sides[production]):
                symbol = right_sides[production][dot]
                moved.setdefault(symbol, set()).add((production, dot + 1))
        row = grammar.lalr.states[state]
        for symbol, items in moved.items():
            target = row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
            found = tuple(sorted(items))
            if kernels[target] is None:
                kernels[target] = found
                queue.append(target)
            elif kernels[target] != found:
                raise ValueError(f"two kernels for state {target}")
    return ItemSets(
        right_sides, tuple(k or () for k in kernels), tuple(map(MappingProxyType, closures))
    )


def _close(
    kernel: tuple[Item, ...],
    right_sides: tuple[tuple[int, ...], ...],
    by_lhs: Mapping[int, list[ProductionId]],
) -> dict[int, tuple[ProductionId, ...]]:
    closure: dict[int, tuple[ProductionId, ...]] = {}
    pending = [
        right_sides[p][d] for p, d in kernel if d < len(right_sides[p]) and right_sides[p][d] < 0
    ]
    while pending:
        lhs = -1 - pending.pop()
        if lhs in closure:
            continue
        closure[lhs] = tuple(by_lhs.get(lhs, ()))
        for production in closure[lhs]:
            rhs = right_sides[production]
            if rhs and rhs[0] < 0:
                pending.append(rhs[0])
    return dict(sorted(closure.items()))
