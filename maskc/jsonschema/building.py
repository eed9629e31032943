"""Positions: what is asked where a value stands, each once, with those of the values inside.

From the root on, each formula that is asked somewhere becomes a position: its alternatives by type,
as drafts of rules that refer to other positions. Then the positions that some value fits are found
as a least fixed point: what only an endless value would fit, fits nothing.

Example: ``{"required": ["a"], "properties": {"a": {"$ref": "#"}}, "type": "object"}`` fits nothing.

Limits: more than ``MAX_POSITIONS`` are refused.
"""

from __future__ import annotations

from maskc.errors import SchemaError
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.array_drafts import ArrayDrafts
from maskc.jsonschema.drafts import PositionDraft
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT, Formula, in_order, types_of
from maskc.jsonschema.numbers import build_rule
from maskc.jsonschema.object_drafts import ObjectDrafts
from maskc.jsonschema.string_drafts import StringDrafts
from maskc.jsonschema.values import FALSE, NULL, TRUE
from maskc.runtime.schema.plan.plan import Layout

MAX_POSITIONS = 20_000


class Builder:
    """Builds the positions of one schema.

    Args:
        space: where formulas live.
        layout: how texts are written.
        pointers: where formulas come from.

    Attributes:
        drafts: positions; others than those of formulas may be added.
        formulas: position → what is asked there.
    """

    def __init__(self, space: Space, layout: Layout, pointers: dict[Formula, str]) -> None:
        self.space, self.layout = space, layout
        self._pointers = pointers
        self._alternatives = Alternatives(space)
        self.drafts: list[PositionDraft] = []
        self._number: dict[Formula, int] = {}
        self.formulas: dict[int, Formula] = {}
        self._open: list[tuple[Formula, int]] = []
        self._strings = StringDrafts(space, self._alternatives)
        self._arrays = ArrayDrafts(space, self._alternatives, self.add, pointers)
        self._objects = ObjectDrafts(
            space,
            self._alternatives,
            self._strings,
            self.add,
            ordered=layout.key_order == "schema",
        )

    def add(self, formula: Formula, pointer: str) -> int:
        """Return the position of a formula.

        Raises:
            SchemaError: there are too many positions.
        """
        number = self._number.get(formula)
        if number is None:
            number = self._number[formula] = len(self.drafts)
            self.formulas[number] = formula
            self.drafts.append(PositionDraft(self._point(formula, pointer)))
            self._open.append((formula, number))
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
        """Build all positions that were added, and those inside them."""
        while self._open:
            formula, number = self._open.pop()
            self._build(formula, self.drafts[number])

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
                    draft.numbers.append(build_rule(in_order(atoms), pointer))
                elif type_ == "string":
                    draft.strings.append(self._strings.build(atoms, pointer))
                elif type_ == "array":
                    draft.arrays += self._arrays.build(atoms, pointer)
                else:
                    draft.objects += self._objects.build(atoms, pointer)
