"""Positions: what is asked where a value stands, each once, with those of the values inside.

From the root on, each formula that is asked somewhere becomes a position: its alternatives by type,
as drafts of rules that refer to other positions. Then the positions that some value fits are found
as a least fixed point: what only an endless value would fit, fits nothing.

Example: ``{"required": ["a"], "properties": {"a": {"$ref": "#"}}, "type": "object"}`` fits nothing.

Limits: more than ``MAX_POSITIONS`` are refused.

An array's indices are cut into pieces in which the same is asked of each item; where items are
counted (``contains``), an item's options say which counters it adds to. So ``{"prefixItems": [A],
"items": B}`` has two pieces, index 0 and those from 1 on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.demands import (
    Atoms,
    Counted,
    ItemDemands,
    Stretch,
    intersect_bounds,
    sort_values,
)
from maskc.jsonschema.drafts import ArrayDraft, KeywordBound, PositionDraft, build_rule
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, FALSE, NULL, TRUE, Formula, in_order, types_of
from maskc.jsonschema.object_drafts import ObjectDrafts
from maskc.jsonschema.strings import StringDrafts
from maskc.runtime.schema.plan import JsonLayout
from maskc.runtime.schema.plan.arrays import Counter

_MAX_COUNTERS: Final = 4


class ArrayDrafts:
    """Builds the drafts of arrays.

    Args:
        add: returns the position of a formula, asked at a JSON pointer.
    """

    def __init__(
        self,
        space: Space,
        alternatives: Alternatives,
        add: Callable[[Formula, str], int],
        pointers: Mapping[Formula, str],
    ) -> None:
        self._space, self._alternatives = space, alternatives
        self._add, self._pointers = add, pointers

    def build(self, atoms: Atoms, pointer: str) -> list[ArrayDraft]:
        """Return the drafts of the arrays that atoms hold of."""
        values, excluded, ordered = sort_values(atoms)
        if values is not None:
            return [self._constant(value[1], pointer) for value in values]
        if excluded:
            formula = self._space.both([*ordered, *(self._exclude(value[1]) for value in excluded)])
            found = self._alternatives.find(formula, "array", pointer)
            return [draft for inner in found for draft in self.build(inner, pointer)]
        low, high = intersect_bounds(atoms, "size")
        stretches = [Stretch(*atom.args) for atom in ordered if atom.kind == "items"]
        count = partial(self._alternatives.count_step, pointer, 0)
        items = ItemDemands(self._space, stretches, low, high, count)
        counted = items.reduce([Counted(*a.args) for a in ordered if a.kind == "contains"])
        if counted is None:
            return []
        low, high = items.low, items.high
        if len(counted) > _MAX_COUNTERS:
            raise SchemaError(
                pointer,
                "contains",
                f"needs more than {_MAX_COUNTERS} counters for the items of one array",
                "write fewer contains, or fewer negated items",
            )
        pieces = self._cut(items.stretches, counted, high, pointer)
        counters = [Counter(first, stop, a, b) for first, stop, _, a, b in counted]
        asked = {atom.args[0] for atom in ordered if atom.kind == "unique"}
        repeats = False in asked
        if repeats and (len(pieces) > 1 or counted):
            raise SchemaError(
                pointer,
                "uniqueItems",
                "is negated (by not, oneOf or if) beside "
                + ("contains, or negated items" if counted else "prefixItems")
                + ", which is not supported",
                "leave uniqueItems out of the negated schema",
            )
        widest = self._find_widest(ordered, pointer)
        low = max(low, 2) if repeats else low
        return [ArrayDraft(pieces, low, high, counters, True in asked, repeats, widest)]

    def _find_widest(self, atoms: list[Formula], pointer: str) -> KeywordBound:
        """Return the largest bound on a number of items, and which keyword says it."""
        bounds = [KeywordBound(0, pointer, "contains")]
        for atom in atoms:
            if atom.kind not in ("size", "contains"):
                continue
            own = self._pointers.get(atom)
            for name, number in zip(("min", "max"), atom.args[-2:], strict=True):
                keyword = name + ("Items" if atom.kind == "size" else "Contains")
                if number is not None:
                    # What is negated stands in no schema as it is.
                    known = (pointer, "contains") if own is None else (own, keyword)
                    bounds.append(KeywordBound(number, *known))
        return max(bounds, key=lambda bound: bound.number)

    def _cut(
        self, items: list[Stretch], counted: list[Counted], high: int | None, pointer: str
    ) -> list[tuple[int, list[tuple[int, int]]]]:
        """Return where each piece of the indices begins, with the options of its items."""
        spans = [(item.start, item.stop) for item in items]
        spans += [(counter.start, counter.stop) for counter in counted]
        cuts = {0, *(cut for span in spans for cut in span if cut is not None)}
        pieces = []
        for index in sorted(cut for cut in cuts if not cut or high is None or cut < high):
            is_in = [start <= index and (stop is None or index < stop) for start, stop in spans]
            fits = [item.fits for n, item in enumerate(items) if is_in[n]]
            active = [n for n in range(len(counted)) if is_in[len(items) + n]]
            pieces.append((index, self._item_options(fits, active, counted, pointer)))
        return pieces

    def _item_options(
        self, fits: list[Formula], active: list[int], counted: list[Counted], pointer: str
    ) -> list[tuple[int, int]]:
        space = self._space
        found = []
        for n in range(len(active) + 1):
            for chosen in combinations(active, n):
                parts = [*fits]
                for k in active:
                    asked, most = counted[k][2], counted[k][4]
                    if k in chosen:
                        parts.append(asked)
                    elif most is not None:
                        parts.append(space.negate(asked))
                formula = space.both(parts)
                if formula is not space.false:
                    bits = sum(1 << k for k in chosen)
                    found.append((bits, self._add(formula, pointer)))
        return found

    def _constant(self, items: tuple[Any, ...], pointer: str) -> ArrayDraft:
        pieces = [
            (n, [(0, self._add(self._space.values([item]), pointer))])
            for n, item in enumerate(items)
        ]
        return ArrayDraft(pieces or [(0, [])], len(items), len(items), [], unique=False)

    def _exclude(self, items: tuple[Any, ...]) -> Formula:
        """Return that an array is another one than that of some items."""
        space = self._space
        differences = [space.negate(space.make("size", len(items), len(items)))]
        for n, item in enumerate(items):
            differences.append(space.make("items", n, n + 1, space.negate(space.values([item]))))
        return space.either(differences)


MAX_POSITIONS: Final = 20_000


class PositionBuilder:
    """Builds the positions of one schema.

    Args:
        list_ahead: returns what has to be built ahead of a formula that waits, each with its
            JSON pointer; ``None`` if it does not wait.
    """

    def __init__(
        self,
        space: Space,
        layout: JsonLayout,
        pointers: dict[Formula, str],
        list_ahead: Callable[[Formula], Iterator[tuple[Formula, str]] | None] = lambda _: None,
    ) -> None:
        self.space, self.layout = space, layout
        self._pointers = pointers
        self._list_ahead = list_ahead
        self._ahead: list[Iterator[tuple[Formula, str]]] = []
        self._alternatives = Alternatives(space)
        # positions; others than those of formulas may be added
        self.drafts: list[PositionDraft] = []
        self._number: dict[Formula, int] = {}
        self.formulas: dict[int, Formula] = {}  # position → what is asked there
        self._open: list[tuple[Formula, int]] = []
        self._strings = StringDrafts(space, self._alternatives)
        self._arrays = ArrayDrafts(space, self._alternatives, self.add, pointers)
        self._objects = ObjectDrafts(
            space, self._alternatives, self._strings, self.add, ordered=layout.key_order == "schema"
        )

    def add(self, formula: Formula, pointer: str) -> int:
        number = self._number.get(formula)
        if number is None:
            number = self._number[formula] = len(self.drafts)
            self.formulas[number] = formula
            self.drafts.append(PositionDraft(self._point(formula, pointer)))
            ahead = self._list_ahead(formula)
            if ahead is None:
                self._open.append((formula, number))
            else:
                self.drafts[number].waits = True
                self._ahead.append(ahead)
            if number >= MAX_POSITIONS:
                raise SchemaError(
                    pointer,
                    "",
                    f"combines its subschemas in more than {MAX_POSITIONS:,} ways",
                    "let fewer of them apply to the same value",
                )
        return number

    def _point(self, formula: Formula, pointer: str) -> str:
        found = self._pointers.get(formula)
        if found is None and formula.kind == "and":
            parts = [self._pointers[p] for p in formula.args[0] if p in self._pointers]
            found = min(parts, default=None)
        return pointer if found is None else found

    def finish(self) -> None:
        while True:
            while self._open:
                formula, number = self._open.pop()
                self._build(formula, self.drafts[number])
            if not self._ahead:
                return
            for formula, pointer in self._ahead.pop():
                self.add(formula, pointer)

    def build(self, number: int) -> None:
        """Build a position that has waited."""
        draft = self.drafts[number]
        draft.waits = False
        self._build(self.space.expand(self.formulas[number]), draft)
        self.finish()

    def _build(self, formula: Formula, draft: PositionDraft) -> None:
        pointer = draft.pointer
        types = types_of(formula)
        for bit, value in enumerate((NULL, TRUE, FALSE)):
            if types & BIT[value[0]] and self.space.holds(formula, value):
                draft.literals |= 1 << bit
        for type_ in ("number", "string", "array", "object"):
            if not types & BIT[type_]:
                continue
            for atoms in self._alternatives.find(formula, type_, pointer):
                if type_ == "number":
                    draft.parts.append(build_rule(in_order(atoms), pointer, self.layout.digits))
                elif type_ == "string":
                    draft.parts.append(self._strings.build(atoms, pointer))
                elif type_ == "array":
                    draft.parts += self._arrays.build(atoms, pointer)
                else:
                    draft.parts += self._objects.build(atoms, pointer)
