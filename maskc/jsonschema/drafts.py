"""What is asked where a value stands, before it is known what no value fits.

A draft of a rule refers to other positions by number, some of which may fit nothing.

Example: ``{"items": {"$ref": "#/$defs/a"}}`` has an array's draft with one piece, whose option is
the number of the position of ``a``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.arrays import Counter
from maskc.runtime.schema.strings.characters import CharDfa


@dataclass(frozen=True, slots=True, eq=False)
class StringDraft:
    """An automaton, and bounds on the number of characters."""

    dfa: CharDfa
    low: int
    high: int | None


@dataclass(slots=True, eq=False)
class ObjectDraft:
    """As :class:`maskc.runtime.schema.plan.objects.ObjectRule`; a label may have no option."""

    dfa: CharDfa
    n_names: int
    options: list[list[tuple[int, int]]]
    required: int
    low: int
    high: int | None
    n_wishes: int
    # The names, if nothing but them tells keys apart.
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A number of things, and the keyword that says it: its schema's JSON pointer, its name."""

    number: int
    pointer: str
    keyword: str


@dataclass(slots=True, eq=False)
class ArrayDraft:
    """As the plan's ``ArrayRule``, and whether items must differ, or two not.

    ``widest`` is the largest bound on a number of items, for errors.
    """

    pieces: list[tuple[int, list[tuple[int, int]]]]
    low: int
    high: int | None
    counters: list[Counter]
    unique: bool
    repeats: bool = False
    widest: Bound = Bound(0, "", "contains")


@dataclass(slots=True, eq=False)
class PositionDraft:
    """What is asked of a value, by type."""

    pointer: str
    literals: int = 0
    numbers: list[Rule] = field(default_factory=list)
    strings: list[StringDraft] = field(default_factory=list)
    arrays: list[ArrayDraft] = field(default_factory=list)
    objects: list[ObjectDraft] = field(default_factory=list)
