"""What the compiler froze: positions, rules and automata, read from an artifact and checked.

The plan is one JSON text in an array of the artifact. Everything that the machine indexes with is
checked here, once; a plan that someone made up can be wrong, but never makes the machine fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any, Final

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.fields import PlanError, Scope, parse_plan, read_list, read_number
from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.listed import Decimal, Excluded
from maskc.runtime.schema.numbers.powers import scale
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.plan.blanks import Blanks
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.records import (
    RECORDS,
    Position,
    make_array,
    make_object,
    read_dfa,
    write_dfa,
)
from maskc.runtime.schema.plan.rules import ArrayEntry, StringRule
from maskc.runtime.schema.plan.values import Value, decimal_of
from maskc.runtime.schema.strings import ESCAPES, Body, decode_body
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.keys import OtherKeys

# No part of a plan is inside itself, which would take a third of the time to make sure of.
ENCODER: Final = json.JSONEncoder(separators=(",", ":"), sort_keys=True, check_circular=False)
KEY_ORDERS: Final = ("any", "schema")
NUMBERS: Final = (*SPELLINGS, "digits")
MOST_DIGITS: Final = 4_000  # of a fraction
_MOST_POWER: Final = 20_000  # of a number that is written out
_POSITION_BYTES, _OPTION_BYTES, _STATE_BYTES = 20, 7, 12  # as they are mostly written
_VALUE_BYTES: Final = 300  # of an excluded value, with its entries in two tables


@dataclass(frozen=True, slots=True)
class JsonLayout:
    """How a JSON text may be written."""

    key_order: str = "any"  # any, or schema: as the schema names them, others last
    blanks: str = "bounded"  # compact, bounded, any or `at most N`
    escapes: str = "any"  # one of those of maskc.runtime.schema.strings
    # one of those of maskc.runtime.schema.numbers.spellings, or digits: as usual, but integers have
    # neither fraction nor exponent
    numbers: str = "usual"
    # how many a fraction has at most, None: any. It is part of the plan's rules
    digits: int | None = None

    def __reduce__(self) -> tuple[type[JsonLayout], tuple[str, str, str, str, int | None]]:
        # Compiled, a frozen value is not filled after it is made, as pickle does.
        return JsonLayout, self.choices

    def __post_init__(self) -> None:
        for name, choices in (
            ("key_order", KEY_ORDERS),
            ("escapes", ESCAPES),
            ("numbers", NUMBERS),
        ):
            if getattr(self, name) not in choices:
                raise PlanError(f"{name} is not one of {', '.join(choices)}")
        try:
            Blanks(self.blanks)
        except ValueError as error:
            raise PlanError(str(error)) from None
        if self.digits is not None and not 0 < self.digits <= MOST_DIGITS:
            raise PlanError(f"digits is not one of 1 to {MOST_DIGITS:,}")

    @property
    def choices(self) -> tuple[str, str, str, str, int | None]:
        """All of them, in order."""
        return self.key_order, self.blanks, self.escapes, self.numbers, self.digits

    @property
    def has_exponents(self) -> bool:
        """Whether numbers may have exponents."""
        return self.numbers not in ("plain", "short")

    def spell(self, rule: Rule) -> Numbers:
        """Return the numbers of a rule as this layout spells them."""
        if not rule.lexical_form and self.numbers in ("digits", "short") and rule.is_whole:
            rule = replace(rule, lexical_form=1)
        return Numbers(rule, written="usual" if self.numbers == "digits" else self.numbers)

    def to_dict(self) -> dict[str, str | int]:
        """Return it as the artifact's header has it, without what is not bounded."""
        return {name: chosen for name, chosen in asdict(self).items() if chosen is not None}


class FrozenPlan:
    """A plan as JSON, or as records if it was made in this process.

    Records are automata and what :data:`RECORDS` read, by name, and the number of the root.
    Positions may wait among them: they are ``None``. ``grow`` then builds one of them, and adds
    whatever records that asks for.
    """

    def __init__(
        self,
        data: bytes = b"",
        records: dict[str, Any] | None = None,
        grow: Callable[[int], None] | None = None,
    ) -> None:
        self._data, self.records, self.grow = data, records, grow

    @property
    def data(self) -> bytes:
        """The JSON; nothing waits."""
        records = self.records
        if not self._data and records is not None:
            parts = {name: list(map(field.write, records[name])) for name, field in RECORDS.items()}
            parts["dfas"] = list(map(write_dfa, records["dfas"]))
            self._data = ENCODER.encode({**parts, "root": records["root"]}).encode()
        return self._data

    @property
    def n_bytes(self) -> int:
        """About how long the JSON is."""
        if self.records is None:
            return len(self._data)
        found = _POSITION_BYTES * len(self.records["positions"])
        for entry in self.records["objects"]:
            found += _OPTION_BYTES * len(entry[2])
        for dfa in self.records["dfas"]:
            found += dfa.n_states * (_STATE_BYTES if dfa.texts is None else 1)
        return found


def _read_records(data: bytes) -> dict[str, Any]:
    """Return the records that JSON holds, each checked by itself."""
    raw = parse_plan(data)
    scope = Scope({name: len(read_list(raw.get(name))) for name in ("dfas", *RECORDS)})
    found: dict[str, Any] = {"dfas": [read_dfa(entry, scope) for entry in raw["dfas"]]}
    for name, field in RECORDS.items():
        found[name] = [field.read(entry, scope) for entry in raw[name]]
    found["root"] = read_number(raw.get("root"), scope.sizes["positions"])
    return found


class Plan:
    """What the machine follows: rules by number, read from a frozen plan and checked.

    Raises:
        PlanError: it is damaged.
    """

    def __init__(self, frozen: FrozenPlan, layout: JsonLayout, budget: Budget) -> None:
        records = frozen.records
        self._records = _read_records(frozen.data) if records is None else records
        self._frozen, self.layout = frozen, layout
        self.blanks = Blanks(layout.blanks)
        self.dfas: list[CharDfa] = self._records["dfas"]
        self._bodies: list[Body] = []
        self.strings: list[StringRule] = []
        self.numbers: list[Numbers] = []
        self.objects: list[ObjectRule] = []
        self.key_bodies: list[Body] = []
        self.arrays: list[ArrayEntry] = []
        self.positions: list[Position | None] = []  # ``None``: it waits
        self.root: int = self._records["root"]
        self._lock: Any = Lock()
        self._open_more()
        self._derived = Cache(budget, _measure)

    def _open_more(self) -> None:
        """Make rules of the records that there are more of than rules."""
        layout = self.layout
        escapes, ordered = layout.escapes, layout.key_order == "schema"
        for dfa in self.dfas[len(self._bodies) :]:
            self._bodies.append(Body(dfa, escapes=escapes))
        for number, low, high in self._more("strings", len(self.strings)):
            self.strings.append(_string_rule(self._bodies[number], low, high, escapes=escapes))
        for rule in self._more("numbers", len(self.numbers)):
            self.numbers.append(layout.spell(rule))
        for entry in self._more("objects", len(self.objects)):
            if self.dfas[entry[0]].reader:
                raise PlanError("the plan leaves keys to a reader")
            self.key_bodies.append(self._bodies[entry[0]])
            self.objects.append(make_object(entry, self.dfas, ordered=ordered))
        for entry in self._more("arrays", len(self.arrays)):
            self.arrays.append(make_array(entry))
        self.positions += self._more("positions", len(self.positions))

    def _more(self, name: str, n_open: int) -> list[Any]:
        records: list[Any] = self._records[name]
        return records[n_open:]

    def position(self, number: int) -> Position:
        """Return what is asked of a value at a position, which is built now if it has waited."""
        found = self.positions[number]
        return self._build(number) if found is None else found

    def _build(self, number: int) -> Position:
        with self._lock:
            found = self.positions[number]
            if found is None:
                grow = self._frozen.grow
                assert grow is not None  # noqa: S101 - only then does a position wait
                grow(number)
                self._open_more()  # before other threads see the position
                built: Position = self._records["positions"][number]
                found = self.positions[number] = built
            return found

    @property
    def data(self) -> bytes:
        """The plan as JSON; all positions are built."""
        number = 0
        while number < len(self.positions):
            self.position(number)
            number += 1
        return self._frozen.data

    def numbers_without(self, number: int, values: frozenset[Value] | None) -> Numbers:
        numbers = self.numbers[number]
        if not values:
            return numbers
        key = (number, values)
        found: Numbers | None = self._derived.get(key)
        if found is None:
            excluded = Excluded(_decimals_of(values))
            found = numbers.without(excluded) if excluded else numbers
            self._derived.put(key, found)
        return found

    def numbers_only(self, number: int, value: Value) -> Numbers | None:
        """Return a rule of numbers with one of its values only, ``None`` if that is too large."""
        decimal = decimal_of(value)
        if decimal is None or abs(decimal[2]) > _MOST_POWER:
            return None
        negative, digits, power = decimal
        key = (number, decimal)
        found: Numbers | None = self._derived.get(key)
        if found is None:
            values = frozenset([scale(-digits if negative else digits, power)])
            found = self.layout.spell(replace(self.numbers[number].rule, values=values))
            self._derived.put(key, found)
        return found

    def key_is_live(self, number: int, labels: int, at: int, raw: bytes, others: OtherKeys) -> bool:
        """Return whether an object's open key, after ``raw``, can become one that may come.

        Args:
            labels: that may come, as bits.
            others: keys without a name that may not come.
        """
        body, keys = self.key_bodies[number], self.objects[number].keys
        is_open = False
        for state in body.targets[at]:
            reach = keys.labels_after(state) & labels
            if reach & (keys.names | keys.infinite[state]):
                return True
            is_open = is_open or bool(reach)
        if not is_open:
            return False
        if body.characters[at] >= 0:
            return bool(keys.reach_left(body.characters[at], decode_body(raw), others) & labels)
        return any(
            self.key_is_live(number, labels, after, raw + bytes([byte]), others)
            for byte in range(256)
            if (after := body.step(at, byte))
        )


def _measure(key: tuple[int, Collection[Any]], _: Numbers) -> int:
    return ENTRY_BYTES + _VALUE_BYTES * len(key[1])


def _decimals_of(values: Iterable[Value]) -> Iterator[Decimal]:
    """Yield the numbers among some values that can be written out."""
    for value in values:
        decimal = decimal_of(value) if value[0] == "number" else None
        if decimal is not None:
            yield decimal


def _string_rule(body: Body, low: int, high: int | None, *, escapes: str) -> StringRule:
    if not body.dfa.reader:
        return StringRule(body, low, high)
    if low or high is not None:
        raise PlanError("the plan counts characters that a reader reads")
    return CustomRule(body, escapes=escapes)
