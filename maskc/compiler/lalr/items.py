"""The LR(0) items of each state of Lark's table, and the states in which nonterminals begin alike.

Lark hands over numbered states only, so the item sets are built again from the productions:
the kernel of state 0 is ``$root -> . start``, and a state's successor on a symbol holds the
items with the dot moved over it.

What a nonterminal derives from a state begins with the state's moves over what its productions
begin with, and goes on in the states after them. If two states have these moves in common, and end
the same empty productions on the same terminals, it derives the same from both, whatever else they
hold; so relations of items are found in one of them. Nonterminals that begin with each other (left
recursion) are taken together.

Example: in ``start: "a" x | "b" x`` and ``x: "c" x |`` the states after ``a`` and ``b`` move over
``c`` to one state, and what x derives from them is found once.

Source: Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.), section 4.6.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc.grammar.closures import find_components
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


Reduced = Mapping[ProductionId, int]  # production → a set of lookaheads


class _Beginning(NamedTuple):
    """What some nonterminals that begin with each other may begin with.

    Attributes:
        members: the nonterminals.
        terminals, nonterminals: first symbols of their productions, nonterminals as numbers.
        others: those of ``nonterminals`` that are no members.
        empty: productions without symbols.
    """

    members: Sequence[int]
    terminals: tuple[int, ...]
    nonterminals: tuple[int, ...]
    others: tuple[int, ...]
    empty: tuple[ProductionId, ...]


def find_equivalent(
    grammar: LalrGrammar, item_sets: ItemSets, reduced_on: Sequence[Reduced]
) -> list[dict[int, LalrStateId]]:
    """Return, per state, nonterminal → the first state from which it derives the same."""
    beginnings = _list_beginnings(item_sets)
    in_order: dict[int, list[tuple[int, _Beginning]]] = {}  # by the identity of a closure
    known: dict[tuple[int, ...], LalrStateId] = {}
    found: list[dict[int, LalrStateId]] = []
    for state, closure in zip(item_sets.states(), item_sets.closures, strict=True):
        here = in_order.get(id(closure))
        if here is None:
            here = in_order[id(closure)] = [
                (number, beginning)
                for number, beginning in enumerate(beginnings)
                if beginning.members[0] in closure
            ]
        row, reduced = grammar.lalr.states[state], reduced_on[state]
        same: dict[int, LalrStateId] = {}
        for number, beginning in here:
            key = (
                number,
                *[row.shifts[terminal] for terminal in beginning.terminals],
                *[row.gotos[nonterminal] for nonterminal in beginning.nonterminals],
                *[same[other] for other in beginning.others],
                *[reduced.get(production, 0) for production in beginning.empty],
            )
            first = known.setdefault(key, state)
            for member in beginning.members:
                same[member] = first
        found.append(same)
    return found


def _list_beginnings(item_sets: ItemSets) -> list[_Beginning]:
    """Return what nonterminals may begin with, those first with which others begin."""
    productions = {n: ps for closure in item_sets.closures for n, ps in closure.items()}
    firsts: dict[int, list[int]] = {}
    for nonterminal, own in productions.items():
        right_sides = [item_sets.right_sides[production] for production in own]
        firsts[nonterminal] = list(dict.fromkeys(side[0] for side in right_sides if side))
    edges = {n: [-1 - s for s in symbols if s < 0] for n, symbols in firsts.items()}
    found = []
    for members in find_components(edges):
        symbols = dict.fromkeys(symbol for member in members for symbol in firsts[member])
        nonterminals = tuple([-1 - symbol for symbol in symbols if symbol < 0])
        found.append(
            _Beginning(
                members,
                tuple([symbol for symbol in symbols if symbol >= 0]),
                nonterminals,
                tuple([n for n in nonterminals if n not in members]),
                tuple([p for m in members for p in productions[m] if not item_sets.right_sides[p]]),
            )
        )
    return found
