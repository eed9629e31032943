"""How can an LR item be completed, and with which terminal next?

For an item ``X -> α . β`` in LALR state ``s``, the *completion relation* holds pairs (λ, μ):
with λ as the next terminal there is a terminal string that makes the parser reduce ``X -> αβ``
with μ as the terminal that comes next. Only what happens above the item's base counts, so the
relation depends on the state alone, not on the stack below, but for one thing: whether that stands
between brackets, where newlines separate lexemes as blanks do. Lark's table is followed cell by
cell, so a reduction that Lark gave up for a shift is not taken here either.

A lookahead λ is a pair of a terminal and a *boundary class*, the finite summary of what the
lexeme's end demands of the bytes after it (:mod:`maskc.lexer.boundaries`). Which lookahead
may follow a shifted one is therefore for the lexer to say, and given as ``follow``.

Example: for ``S -> a S b |`` the item ``S -> a . S b`` completes from ``a`` and from ``b``,
and leaves whatever its base allows next.

Almost every item of python.lark has a relation of one rectangle, against 99 x 99 single pairs
(:mod:`maskc.parser.relation`).

Source: saturation of pushdown systems (Bouajjani, Esparza, Maler 1997,
doi:10.1007/3-540-63141-0_10), here per LR item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from maskc import bits
from maskc.grammar.lalr import list_reductions
from maskc.grammar.model import LalrGrammar
from maskc.ids import END, ROOT, LalrStateId, LookaheadId, ProductionId
from maskc.parser.items import Item, ItemSets
from maskc.parser.relation import NOTHING, Lookaheads, Relation, join_rectangles

# State, production, dot, and whether the item's base stands between brackets.
Node = tuple[LalrStateId, ProductionId, int, bool]
_Derived = tuple[LalrStateId, int, bool]  # state, nonterminal, whether it is enclosed


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
        follow: ``follow(λ, state, enclosed)``: what may come after λ once its shift led to the
            state, outside of brackets or between them.
        enclosed_items: items whose dot stands after a bracket that their production opened.
    """
    saturation = _Saturation(grammar, item_sets, lookaheads, follow, enclosed_items)
    saturation.visit_all()
    saturation.run()
    return Completions(MappingProxyType(saturation.values))


class _Saturation:
    """The relations found so far, and who reads whose.

    Attributes:
        values: node → its relation; it only grows.
    """

    def __init__(
        self,
        grammar: LalrGrammar,
        item_sets: ItemSets,
        lookaheads: Mapping[int, tuple[LookaheadId, ...]],
        follow: Callable[[LookaheadId, LalrStateId, bool], Lookaheads],
        enclosed_items: frozenset[Item],
    ) -> None:
        self.values: dict[Node, Relation] = {}
        self._bnf, self._lalr, self._item_sets = grammar.bnf, grammar.lalr, item_sets
        self._lookaheads, self._follow = lookaheads, follow
        self._enclosed_items = enclosed_items
        self._end = bits.from_members(lookaheads[END])
        self._reduced_on = _list_reduced(grammar, lookaheads)
        # What a nonterminal derives from a state: the union over its productions that start there.
        self._derived: dict[_Derived, Relation] = {}
        self._readers: dict[Node, list[Node]] = {}
        self._derivers: dict[_Derived, list[Node]] = {}

    def visit_all(self) -> None:
        """Enter each item of each state, and what lies on the way to its end."""
        visits: list[Node] = []
        for enclosed in (False, True) if self._enclosed_items else (False,):
            for state, kernel in zip(
                self._item_sets.states(), self._item_sets.kernels, strict=True
            ):
                visits += [(state, *item, enclosed) for item in kernel]
                started = [p for ps in self._item_sets.closures[state].values() for p in ps]
                visits += [(state, p, 0, enclosed) for p in started]
        while visits:
            node = visits.pop()
            if node not in self.values:
                self.values[node] = NOTHING
                visits += self._enter(node)

    def _enter(self, node: Node) -> list[Node]:
        """Note what a node reads; return the node with the dot one symbol further, if any."""
        state, production, dot, enclosed = node
        right_side = self._item_sets.right_sides[production]
        if dot == len(right_side):
            return []
        symbol = right_side[dot]
        after = (self._lalr.target(state, symbol), production, dot + 1, enclosed)
        self._readers.setdefault(after, []).append(node)
        if symbol < 0:
            inside = enclosed or (production, dot) in self._enclosed_items
            self._derivers.setdefault((state, -1 - symbol, inside), []).append(node)
        return [after]

    def run(self) -> None:
        """Compute relations until none grows.

        Invariant: a node that is not pending has the relation that its readings give it, and what
        a nonterminal derives is the union of the relations of the productions that start there.
        Relations only grow and there are finitely many, so the work ends, with the least ones.
        """
        pending = deque(self.values)
        queued = set(pending)
        while pending:
            node = pending.popleft()
            queued.discard(node)
            value = self._compute(node)
            if value == self.values[node]:
                continue
            self.values[node] = value
            for reader in (*self._readers.get(node, ()), *self._derive(node, value)):
                if reader not in queued:
                    queued.add(reader)
                    pending.append(reader)

    def _derive(self, node: Node, value: Relation) -> Sequence[Node]:
        """Add a relation to what its left side derives; return who reads that, if it grew."""
        state, production, dot, enclosed = node
        if dot > 0 or production == ROOT:
            return ()
        key = (state, self._bnf.productions[production].lhs, enclosed)
        known = self._derived.get(key, NOTHING)
        joined = known | value
        if joined == known:
            return ()
        self._derived[key] = joined
        return self._derivers.get(key, ())

    def _compute(self, node: Node) -> Relation:
        """Return the relation of ``X -> α . β`` from those that it reads.

        It depends on the symbol after the dot:

        - At the end: the lookaheads on which Lark's table reduces, each with itself.
        - A nonterminal Y: what Y derives here, then the item with the dot after Y.
        - A terminal t: each lookahead λ of t, then what may follow λ and the item with the dot
          after t goes on with; so one row ``{λ} × M`` for each λ.
        """
        state, production, dot, enclosed = node
        right_side = self._item_sets.right_sides[production]
        if dot == len(right_side):
            at_end = self._end if production == ROOT else self._reduced_on[state].get(production, 0)
            return Relation(at_end, ())
        symbol = right_side[dot]
        target = self._lalr.target(state, symbol)
        after = self.values[target, production, dot + 1, enclosed]
        if symbol < 0:
            inside = enclosed or (production, dot) in self._enclosed_items
            return self._derived.get((state, -1 - symbol, inside), NOTHING).then(after)
        inside = enclosed or (production, dot + 1) in self._enclosed_items
        parts = []
        for lookahead in self._lookaheads.get(symbol, ()):
            image = after.image(self._follow(lookahead, target, inside))
            if image:
                parts.append((1 << lookahead, image))
        return Relation(0, join_rectangles(parts))


def _list_reduced(
    grammar: LalrGrammar, lookaheads: Mapping[int, tuple[LookaheadId, ...]]
) -> list[dict[ProductionId, Lookaheads]]:
    """Return, per state, production → the lookaheads on which it is reduced."""
    own = {t: bits.from_members(numbers) for t, numbers in lookaheads.items()}
    known: dict[tuple[int, ...], Lookaheads] = {}
    found = []
    for row in grammar.lalr.states:
        reductions = list_reductions(row.reduces)
        for _, terminals in reductions:
            if terminals not in known:
                known[terminals] = bits.unite(own.get(terminal, 0) for terminal in terminals)
        found.append({production: known[terminals] for production, terminals in reductions})
    return found
