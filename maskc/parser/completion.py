"""How can an LR item be completed, and with which terminal next?

For an item ``X -> α . β`` in LALR state ``s``, the *completion relation* holds pairs (λ, μ):
with λ as the next terminal there is a terminal string that makes the parser reduce ``X -> αβ``
with μ as the terminal that comes next. Only what happens above the item's base counts, so the
relation depends on the state alone, not on the stack below, but for one thing: whether that stands
between brackets, where newlines separate lexemes as blanks do. Lark's table is followed cell by
cell, so a reduction that Lark gave up for a shift is not taken here either.

A lookahead λ is a pair of a terminal and a *boundary class*, the finite summary of what the
lexeme's end demands of the bytes behind it (:mod:`maskc.lexer.boundaries`). Which lookahead
may follow a shifted one is therefore the lexer's word, given as ``follow``.

Example: for ``S -> a S b |`` the item ``S -> a . S b`` completes from ``a`` and from ``b``,
and leaves whatever its base allows next.

Relations are kept as one identity part (λ, λ) and a few rectangles F × M over bit sets:
consuming a terminal forgets which one it was, so few rectangles suffice (one for almost every
item of python.lark, against 99 x 99 single pairs).

Source: saturation of pushdown systems (Bouajjani, Esparza, Maler 1997,
doi:10.1007/3-540-63141-0_10), here per LR item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from maskc import bits
from maskc.grammar.lalr import list_reductions
from maskc.grammar.model import LalrGrammar
from maskc.ids import END, ROOT, LalrStateId, LookaheadId, ProductionId
from maskc.parser.items import Item, ItemSets

Lookaheads = int  # a set of lookaheads, bit λ
Node = tuple[
    LalrStateId, ProductionId, int, bool
]  # state, production, dot, whether its base is enclosed


@dataclass(frozen=True, slots=True)
class Relation:
    """A set of pairs of lookaheads: ``{(λ, λ) : λ in same} ∪ ⋃ F × M``."""

    same: Lookaheads
    rectangles: tuple[tuple[Lookaheads, Lookaheads], ...]

    def preimage(self, targets: Lookaheads) -> Lookaheads:
        """Return the lookaheads related to some lookahead in ``targets``."""
        found = self.same & targets
        for first, last in self.rectangles:
            if last & targets:
                found |= first
        return found

    def then(self, other: Relation) -> Relation:
        """Return the composition: first self, then other."""
        parts = []
        for first, last in self.rectangles:
            image = last & other.same
            for other_first, other_last in other.rectangles:
                if other_first & last:
                    image |= other_last
            if image:
                parts.append((first, image))
        for first, last in other.rectangles:
            if first & self.same:
                parts.append((first & self.same, last))
        return Relation(self.same & other.same, _join_rectangles(parts))

    def __or__(self, other: Relation) -> Relation:
        rectangles = _join_rectangles([*self.rectangles, *other.rectangles])
        return Relation(self.same | other.same, rectangles)


NOTHING = Relation(0, ())


def _join_rectangles(
    parts: list[tuple[Lookaheads, Lookaheads]],
) -> tuple[tuple[Lookaheads, Lookaheads], ...]:
    """Make the first sides disjoint, and join those with equal second sides."""
    if len(parts) <= 1:
        return tuple(parts)
    cells: list[tuple[int, int]] = []
    for first, last in parts:
        split = []
        rest = first
        for cell_first, cell_last in cells:
            shared = cell_first & rest
            if shared and (last | cell_last) != cell_last:
                split.append((shared, cell_last | last))
                if cell_first != shared:
                    split.append((cell_first & ~shared, cell_last))
            else:
                split.append((cell_first, cell_last))
            rest &= ~shared
        if rest:
            split.append((rest, last))
        cells = split
    by_last: dict[int, int] = {}
    for first, last in cells:
        by_last[last] = by_last.get(last, 0) | first
    return tuple(sorted((first, last) for last, first in by_last.items()))


@dataclass(frozen=True, slots=True)
class Completions:
    """The completion relation of every item that a state of the table holds.

    Attributes:
        items: (state, production, dot, whether its base stands between brackets) → relation.
    """

    items: Mapping[Node, Relation]


def build_completions(
    grammar: LalrGrammar,
    item_sets: ItemSets,
    lookaheads: Mapping[int, tuple[LookaheadId, ...]],
    follow: Callable[[LookaheadId, LalrStateId, bool], Lookaheads],
    enclosed_items: frozenset[Item] = frozenset(),
) -> Completions:
    """Return the least completion relations.

    Args:
        grammar: with Lark's table.
        item_sets: its items.
        lookaheads: terminal → its lookaheads, one per boundary class.
        follow: ``follow(λ, state, enclosed)``: what may come behind λ once its shift led to the
            state, outside of brackets or between them.
        enclosed_items: items whose dot stands behind a bracket that their production opened.
    """
    end_bits = bits.from_members(lookaheads[END])
    reduced_on = _list_reduced(grammar, lookaheads)
    values: dict[Node, Relation] = {}
    derived: dict[tuple[int, int, bool], Relation] = {}
    readers: dict[Node, list[Node]] = {}
    derivers: dict[tuple[int, int, bool], list[Node]] = {}
    pending: deque[Node] = deque()

    def visit(node: Node) -> None:
        if node in values:
            return
        values[node] = NOTHING
        pending.append(node)
        state, production, dot, enclosed = node
        right_side = item_sets.right_sides[production]
        if dot == len(right_side):
            return
        symbol = right_side[dot]
        row = grammar.lalr.states[state]
        target = row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
        behind = (target, production, dot + 1, enclosed)
        readers.setdefault(behind, []).append(node)
        if symbol < 0:
            key = (state, -1 - symbol, enclosed or (production, dot) in enclosed_items)
            derivers.setdefault(key, []).append(node)
        visits.append(behind)

    visits: list[Node] = []
    for enclosed in (False, True) if enclosed_items else (False,):
        for state, kernel in zip(item_sets.states(), item_sets.kernels, strict=True):
            visits += [(state, *item, enclosed) for item in kernel]
            started = [p for ps in item_sets.closures[state].values() for p in ps]
            visits += [(state, p, 0, enclosed) for p in started]
    while visits:
        visit(visits.pop())

    def compute(node: Node) -> Relation:
        state, production, dot, enclosed = node
        right_side = item_sets.right_sides[production]
        row = grammar.lalr.states[state]
        if dot == len(right_side):
            if production == ROOT:
                return Relation(end_bits, ())
            return Relation(reduced_on[state].get(production, 0), ())
        symbol = right_side[dot]
        if symbol < 0:
            here = enclosed or (production, dot) in enclosed_items
            before = derived.get((state, -1 - symbol, here), NOTHING)
            behind = values[(row.gotos[-1 - symbol], production, dot + 1, enclosed)]
            return before.then(behind)
        target = row.shifts[symbol]
        behind = values[(target, production, dot + 1, enclosed)]
        there = enclosed or (production, dot + 1) in enclosed_items
        parts = []
        for look in lookaheads.get(symbol, ()):
            allowed = follow(look, target, there)
            image = allowed & behind.same
            for first, last in behind.rectangles:
                if first & allowed:
                    image |= last
            if image:
                parts.append((1 << look, image))
        return Relation(0, _join_rectangles(parts))

    queued = set(pending)
    while pending:
        node = pending.popleft()
        queued.discard(node)
        value = compute(node)
        if value == values[node]:
            continue
        values[node] = value
        touched = readers.get(node, [])
        state, production, dot, is_enclosed = node
        if dot == 0 and production != ROOT:
            key = (state, grammar.bnf.productions[production].lhs, is_enclosed)
            joined = derived.get(key, NOTHING) | value
            if joined != derived.get(key, NOTHING):
                derived[key] = joined
                touched = touched + derivers.get(key, [])
        for reader in touched:
            if reader not in queued:
                queued.add(reader)
                pending.append(reader)
    return Completions(values)


def _list_reduced(
    grammar: LalrGrammar, lookaheads: Mapping[int, tuple[LookaheadId, ...]]
) -> list[dict[ProductionId, Lookaheads]]:
    """Return, per state, production → the lookaheads on which it is reduced."""
    own = {t: bits.from_members(looks) for t, looks in lookaheads.items()}
    known: dict[tuple[int, ...], Lookaheads] = {}
    found = []
    for row in grammar.lalr.states:
        reductions = list_reductions(row.reduces)
        for _, terminals in reductions:
            if terminals not in known:
                known[terminals] = bits.unite(own.get(terminal, 0) for terminal in terminals)
        found.append({production: known[terminals] for production, terminals in reductions})
    return found
