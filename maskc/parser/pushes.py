"""Where do the kernel items of a pushed state come from?

A push moves the dot over a symbol. An item whose dot was inside a production before keeps the
base that it had; one whose production just starts has the state below as its base. What a stack
wants of an item is what its base wants, so this is all that has to be known to carry facts up
the stack, one push at a time.

Example: on the state of ``S -> a . S b`` with the closure ``S -> . a S b``, pushing ``a`` gives
``S -> a . S b`` whose base is that state: its origin is the closure of ``S``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc.grammar.model import LalrGrammar
from maskc.ids import NO_NONTERMINAL, LalrStateId
from maskc.parser.items import Item, ItemSets

FROM_CLOSURE = -1  # in the place of a kernel item's position


class Origin(NamedTuple):
    """Where a pushed kernel item comes from: kernel item ``kernel``, or the closure of ``lhs``.

    Attributes:
        kernel: position among the kernel items below, ``FROM_CLOSURE`` for the closure.
        lhs: the nonterminal whose production the item starts, ``NO_NONTERMINAL`` for a kernel item.
    """

    kernel: int
    lhs: int


@dataclass(frozen=True, slots=True)
class Pushes:
    """Every push on one LALR state.

    Attributes:
        symbols: symbol → the state it leads to, and the origin of each of its kernel items.
        nonterminals: those of the closure.
        readers: nonterminal → nonterminals of the closure that start with it.
    """

    symbols: Mapping[int, tuple[LalrStateId, tuple[Origin, ...]]]
    nonterminals: tuple[int, ...]
    readers: Mapping[int, frozenset[int]]


def list_pushes(grammar: LalrGrammar, item_sets: ItemSets, state: int) -> Pushes:
    """Return every push on one LALR state."""
    right_sides, closure = item_sets.right_sides, item_sets.closures[state]
    moved: dict[int, dict[Item, Origin]] = {}
    for position, (production, dot) in enumerate(item_sets.kernels[state]):
        right_side = right_sides[production]
        if dot < len(right_side):
            items = moved.setdefault(right_side[dot], {})
            items[production, dot + 1] = Origin(position, NO_NONTERMINAL)
    readers: dict[int, set[int]] = {nonterminal: set() for nonterminal in closure}
    for lhs, productions in closure.items():
        origin = Origin(FROM_CLOSURE, lhs)
        for production in productions:
            right_side = right_sides[production]
            if right_side:
                symbol = right_side[0]
                moved.setdefault(symbol, {})[production, 1] = origin
                if symbol < 0:
                    readers[lhs].add(-1 - symbol)
    row = grammar.lalr.states[state]
    symbols = {}
    for symbol, items in moved.items():
        target = row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
        symbols[symbol] = (target, tuple([items[item] for item in item_sets.kernels[target]]))
    return Pushes(
        MappingProxyType(symbols),
        tuple(closure),
        MappingProxyType({n: frozenset(found) for n, found in readers.items()}),
    )
