"""In which states does a nonterminal begin alike?

What a nonterminal derives from a state begins with the state's moves over what its productions
begin with, and goes on in the states after them. If two states have these moves in common, and end
the same empty productions on the same terminals, it derives the same from both, whatever else they
hold; so relations of items are found in one of them.

Example: in ``start: "a" x | "b" x`` and ``x: "c" x |`` the states after ``a`` and ``b`` move over
``c`` to one state, and what x derives from them is found once.

What a nonterminal may begin with is followed from its productions to those of the nonterminals
that they begin with; nonterminals that begin with each other (left recursion) are looked at
together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from maskc.grammar.components import find_components
from maskc.grammar.model import LalrGrammar
from maskc.ids import LalrStateId, ProductionId
from maskc.parser.items import ItemSets

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


def find_alike(
    grammar: LalrGrammar, item_sets: ItemSets, reduced_on: Sequence[Reduced]
) -> list[dict[int, LalrStateId]]:
    """Return, per state, nonterminal → the first state from which it derives the same.

    Args:
        grammar: with Lark's table.
        item_sets: its items.
        reduced_on: per state, production → the lookaheads on which it is reduced.
    """
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
