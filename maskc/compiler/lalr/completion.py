"""The completion relation of LR items, as the saturation of a pushdown system (docs/lalr.md, 3).

For an item ``X -> α . β`` in LALR state ``s``, the *completion relation* holds pairs (λ, μ): with λ
as the next terminal there is a terminal string that makes the parser reduce ``X -> αβ`` with μ as
the terminal that comes next. Only what happens above the item's base counts, so the relation
depends on the state alone, but for one thing: how many brackets are open there, as between brackets
newlines separate lexemes as blanks do. A reduction that Lark gave up for a shift is not taken.

Almost every item of python.lark has a relation of one rectangle, against 99 x 99 single pairs.

Source: saturation of pushdown systems (Bouajjani, Esparza, Maler 1997,
doi:10.1007/3-540-63141-0_10), here per LR item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from maskc import bits
from maskc.compiler.lalr import ItemSets, find_equivalent
from maskc.compiler.lalr.balance import NO_BRACKETS, BracketDepths
from maskc.grammar import LalrGrammar, list_reductions
from maskc.ids import END, ROOT, LalrStateId, LookaheadId, ProductionId
from maskc.lexer.boundaries import Lookaheads


class Relation(NamedTuple):
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

    def image(self, sources: Lookaheads) -> Lookaheads:
        """Return the lookaheads that some lookahead in ``sources`` is related to."""
        found = self.same & sources
        for first, last in self.rectangles:
            if first & sources:
                found |= last
        return found

    def then(self, other: Relation) -> Relation:
        """Return the composition: first self, then other."""
        parts = []
        for first, last in self.rectangles:
            image = other.image(last)
            if image:
                parts.append((first, image))
        for first, last in other.rectangles:
            if first & self.same:
                parts.append((first & self.same, last))
        return Relation(self.same & other.same, join_rectangles(parts))

    def __or__(self, other: Relation) -> Relation:
        rectangles = join_rectangles([*self.rectangles, *other.rectangles])
        return Relation(self.same | other.same, rectangles)


NOTHING = Relation(0, ())


def join_rectangles(
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


# State, production, dot, and how many brackets are open at the item's base.
Node = tuple[LalrStateId, ProductionId, int, int]
_Derived = tuple[LalrStateId, int, int]  # state, nonterminal, how many brackets are open
_NONE = -1  # instead of a number


def build_completions(
    grammar: LalrGrammar,
    item_sets: ItemSets,
    lookaheads: Mapping[int, tuple[LookaheadId, ...]],
    follow: Callable[[LookaheadId, LalrStateId, bool], Lookaheads],
    brackets: BracketDepths = NO_BRACKETS,
) -> dict[Node, Relation]:
    """Return the least completion relation of every kernel item of the table.

    Of what states begin alike (:mod:`maskc.compiler.lalr`), the first one has the relations.
    ``follow(λ, state, enclosed)`` is what may come after λ once its shift led to the state, outside
    of brackets or between them.
    """
    saturation = _Saturation(grammar, item_sets, lookaheads, follow, brackets)
    saturation.visit_all()
    saturation.run()
    return dict(zip(saturation.nodes, saturation.values, strict=True))


class _Saturation:
    """The relations found so far, and who reads whose. Nodes are numbered."""

    def __init__(
        self,
        grammar: LalrGrammar,
        item_sets: ItemSets,
        lookaheads: Mapping[int, tuple[LookaheadId, ...]],
        follow: Callable[[LookaheadId, LalrStateId, bool], Lookaheads],
        brackets: BracketDepths,
    ) -> None:
        self.nodes: list[Node] = []  # in the order in which they were met
        self.values: list[Relation] = []  # of each node, its relation; it only grows
        self._bnf, self._lalr, self._item_sets = grammar.bnf, grammar.lalr, item_sets
        self._lookaheads, self._follow = lookaheads, follow
        self._brackets = brackets
        self._end = bits.from_members(lookaheads[END])
        self._reduced_on = _list_reduced(grammar, lookaheads)
        self._same = find_equivalent(grammar, item_sets, self._reduced_on)
        self._number: dict[Node, int] = {}
        # Of each node: the node with the dot one symbol further, and who reads the node as that.
        self._after: list[int] = []
        self._readers: list[list[int]] = []
        # What a nonterminal derives from a state is the union over its productions that start
        # there. By number: the union, its parts, who reads it; of each node what it reads and adds.
        self._derived_number: dict[_Derived, int] = {}
        self._derived: list[Relation] = []
        self._parts: list[list[int]] = []
        self._derivers: list[list[int]] = []
        self._reads: list[int] = []
        self._adds_to: list[int] = []

    def visit_all(self) -> None:
        """Enter each kernel item, and what lies on the way to its end.

        Of the items that a state begins those are entered from which no other state begins alike.
        """
        for base in range(self._brackets.most + 1):
            for state, kernel in zip(
                self._item_sets.states(), self._item_sets.kernels, strict=True
            ):
                same, closure = self._same[state], self._item_sets.closures[state]
                started = [p for n, ps in closure.items() if same[n] == state for p in ps]
                for production, dot in (*kernel, *((p, 0) for p in started)):
                    self._visit((state, production, dot, base))

    def _visit(self, node: Node) -> None:
        """Enter an item, and it with the dot further and further."""
        before = _NONE
        while True:
            number = self._number.get(node, _NONE)
            is_new = number == _NONE
            if is_new:
                number = self._enter(node)
            if before != _NONE:
                self._after[before] = number
                self._readers[number].append(before)
            state, production, dot, base = node
            right_side = self._item_sets.right_sides[production]
            if not is_new or dot == len(right_side):
                return
            target = self._lalr.target(state, right_side[dot])
            before, node = number, (target, production, dot + 1, base)

    def _enter(self, node: Node) -> int:
        """Number a node, and note what of nonterminals it reads and adds to."""
        state, production, dot, base = node
        number = self._number[node] = len(self.nodes)
        right_side = self._item_sets.right_sides[production]
        reads = adds_to = _NONE
        if dot < len(right_side) and right_side[dot] < 0:
            depth = self._brackets.at((production, dot), base)
            nonterminal = -1 - right_side[dot]
            reads = self._find_derived((self._same[state][nonterminal], nonterminal, depth))
            self._derivers[reads].append(number)
        if dot == 0 and production != ROOT:
            adds_to = self._find_derived((state, self._bnf.productions[production].lhs, base))
            self._parts[adds_to].append(number)
        self.nodes.append(node)
        self.values.append(NOTHING)
        self._after.append(_NONE)
        self._readers.append([])
        self._reads.append(reads)
        self._adds_to.append(adds_to)
        return number

    def _find_derived(self, key: _Derived) -> int:
        number = self._derived_number.setdefault(key, len(self._derived))
        if number == len(self._derived):
            self._derived.append(NOTHING)
            self._parts.append([])
            self._derivers.append([])
        return number

    def run(self) -> None:
        """Compute relations until none grows.

        Invariant: a node that is not pending has the relation that its readings give it, and what
        a nonterminal derives is the union of the relations of the productions that start there.
        Relations only grow and there are finitely many, so the work ends, with the least ones.

        Of what is pending, that is computed first which others read: what is not recursive is
        computed once.
        """
        order = self._order()
        rank = [0] * len(order)
        for i, node in enumerate(order):
            rank[node] = i
        pending = list(range(len(order)))  # ranks; a heap
        queued = [True] * len(order)
        while pending:
            node = order[heappop(pending)]
            queued[node] = False
            value = self._compute(node)
            if value == self.values[node]:
                continue
            self.values[node] = value
            for reader in (*self._readers[node], *self._derive(node, value)):
                if not queued[reader]:
                    queued[reader] = True
                    heappush(pending, rank[reader])

    def _order(self) -> list[int]:
        """Return the nodes, what a node reads before it where that is possible: depth first."""
        found: list[int] = []
        entered = [False] * len(self.nodes)
        for root in range(len(self.nodes)):
            if entered[root]:
                continue
            entered[root] = True
            calls = [(root, self._list_read(root))]
            while calls:
                node, to_read = calls[-1]
                if not to_read:
                    calls.pop()
                    found.append(node)
                    continue
                other = to_read.pop()
                if not entered[other]:
                    entered[other] = True
                    calls.append((other, self._list_read(other)))
        return found

    def _list_read(self, node: int) -> list[int]:
        after, reads = self._after[node], self._reads[node]
        found = [] if reads == _NONE else list(self._parts[reads])
        return found if after == _NONE else [*found, after]

    def _derive(self, node: int, value: Relation) -> Sequence[int]:
        """Add a relation to what its left side derives; return who reads that, if it grew."""
        key = self._adds_to[node]
        if key == _NONE:
            return ()
        known = self._derived[key]
        joined = value if known is NOTHING else known | value
        if joined == known:
            return ()
        self._derived[key] = joined
        return self._derivers[key]

    def _compute(self, node: int) -> Relation:
        """Return the relation of ``X -> α . β`` from those that it reads.

        It depends on the symbol after the dot:

        - At the end: the lookaheads on which Lark's table reduces, each with itself.
        - A nonterminal Y: what Y derives here, then the item with the dot after Y.
        - A terminal t: each lookahead λ of t, then what may follow λ and the item with the dot
          after t goes on with; so one row ``{λ} × M`` for each λ. None for what ends a line, where
          brackets are open.
        """
        number = self._after[node]
        if number == _NONE:
            state, production, _, _ = self.nodes[node]
            at_end = self._end if production == ROOT else self._reduced_on[state].get(production, 0)
            return Relation(at_end, ())
        after, reads = self.values[number], self._reads[node]
        if reads != _NONE:
            return self._derived[reads].then(after)
        _, production, dot, base = self.nodes[node]
        terminal, brackets = self._item_sets.right_sides[production][dot], self._brackets
        if terminal in brackets.lines and brackets.at((production, dot), base):
            return NOTHING
        inside = brackets.at((production, dot + 1), base) > 0
        target = self.nodes[number][0]
        parts = []
        for lookahead in self._lookaheads.get(terminal, ()):
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
