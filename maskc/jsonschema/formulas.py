"""JSON values, and formulas about them: their kinds, and the type that each atom is about.

A value is a tuple of its type and what it holds, and can be hashed. Numbers are exact fractions.
Values are equal as JSON Schema compares them: ``1`` is ``1.0``, the order of keys does not count.
So ``{"a": [1.0]}`` is ``("object", (("a", ("array", (("number", Fraction(1, 1)),))),))``.

An atom about a type holds of all values of other types, as a keyword does.

Atoms, by kind:

- ``types`` a bit mask of types; ``values`` one of a set; ``novalues`` none of a set.
- ``string`` an automaton's number, and whether it must accept; ``length`` from … to ….
- ``bounds`` low, open, high, open; ``multiple`` of a number or not; ``lexical_form`` of a
  draft-4 integer.
- ``all`` members whose key is in a set have values that fit; ``some`` member does; ``any``: some
  member does, of several sets and what fits them, or one of some names is missing; ``count``;
  ``order`` asks nothing, and says in which order a schema names its keys.
- ``items`` from … to … fit; ``contains`` between so many of them fit; ``size``;
  ``unique``: all items differ, or not all.

A reference is a closed formula, built when it is first looked into, so recursion costs nothing. One
that leads back to itself at the same value says nothing, and is refused.

Example: ``{"maxLength": 3}`` is ``length(0, 3)``, which every number fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

from maskc.acyclic import mypyc_attr
from maskc.errors import SchemaError
from maskc.runtime.schema.numbers.powers import write_digits
from maskc.runtime.schema.plan.custom import accepts
from maskc.runtime.schema.strings.characters import CharDfa

Value = tuple[Any, ...]

NULL: Value = ("null",)
TRUE: Value = ("boolean", True)
FALSE: Value = ("boolean", False)
LITERALS: Final = (NULL, TRUE, FALSE)

# 10 to this power, or its inverse: beyond it nothing is compared.
MAX_EXPONENT: Final = 5_000


def freeze(raw: Any, pointer: str = "", keyword: str = "") -> Value:
    """Return the value of parsed JSON."""
    if raw is None:
        return NULL
    if isinstance(raw, bool):
        return TRUE if raw else FALSE
    if isinstance(raw, str):
        return ("string", raw)
    if isinstance(raw, list | tuple):
        return ("array", tuple(freeze(item, pointer, keyword) for item in raw))
    if isinstance(raw, dict):
        items = {key: freeze(value, pointer, keyword) for key, value in raw.items()}
        return ("object", tuple(sorted(items.items())))
    return ("number", to_fraction(raw, pointer, keyword))


def to_fraction(raw: Any, pointer: str = "", keyword: str = "") -> Fraction:
    """Return a number exactly."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise SchemaError(pointer, keyword, "needs a number", "write a number")
    if isinstance(raw, float):
        raw = Decimal(repr(raw))
    if isinstance(raw, Decimal):
        _, _, exponent = raw.as_tuple()
        if (
            not isinstance(exponent, int)
            or abs(exponent) > MAX_EXPONENT
            or (raw and abs(raw.adjusted()) > MAX_EXPONENT)
        ):
            raise SchemaError(
                pointer,
                keyword,
                f"has a number beyond 10 to the power of {MAX_EXPONENT:,}",
                "leave such a bound out",
            )
    return Fraction(raw)


def sort_key(value: object) -> str:
    """Return a text by which values are put in order, whatever their types.

    It is what ``repr`` gives, which refuses numbers of more than 4,300 digits.
    """
    if isinstance(value, tuple):
        parts = ", ".join(map(sort_key, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    if isinstance(value, Fraction):
        digits = write_digits(abs(value.numerator)), write_digits(value.denominator)
        return f"Fraction({'-' if value < 0 else ''}{digits[0]}, {digits[1]})"
    return repr(value)


def holds_number(value: Value) -> bool:
    """Return whether a value is a number, or has one inside."""
    kind, *held = value
    if kind == "array":
        return any(map(holds_number, held[0]))
    if kind == "object":
        return any(holds_number(inner) for _, inner in held[0])
    return bool(kind == "number")


TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
BIT: Final = {name: 1 << bit for bit, name in enumerate(TYPES)}
EVERY_TYPE: Final = (1 << len(TYPES)) - 1
# Kind of an atom → the type that it is about.
ABOUT: Final = {
    "string": "string",
    "length": "string",
    "bounds": "number",
    "multiple": "number",
    "lexical_form": "number",
    "all": "object",
    "some": "object",
    "any": "object",
    "count": "object",
    "order": "object",
    "items": "array",
    "contains": "array",
    "size": "array",
    "unique": "array",
}

# A set of keys: ("names", names), ("dfa", n), ("strings", formula), or all but some:
# ("unlike", formula), ("other", names, automata).
Keys = tuple[Any, ...]


@mypyc_attr(acyclic=True)
class Formula:
    """A formula; made by a :class:`Space` only."""

    __slots__ = ("_is_closed", "args", "kind", "number")

    def __init__(self, number: int, kind: str, args: tuple[Any, ...]) -> None:
        self.number, self.kind, self.args = number, kind, args
        self._is_closed: bool | None = None

    @property
    def is_closed(self) -> bool:
        """Whether a reference in it is yet to be looked into."""
        if self._is_closed is None:
            is_reference = self.kind in ("ref", "noref")
            self._is_closed = is_reference or any(map(_holds_closed, self.args))
        return self._is_closed

    def __hash__(self) -> int:
        # Not where it lies in memory: sets of formulas are gone through in the order of hashes.
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"{self.kind}{self.args}"


def _holds_closed(part: Any) -> bool:
    if isinstance(part, Formula):
        return part.is_closed
    if isinstance(part, tuple | frozenset):
        return any(_holds_closed(inner) for inner in part if isinstance(inner, Formula | tuple))
    return False


def types_of(formula: Formula) -> int:
    """Return types outside of which no value fits, as a bit mask; not the least one."""
    if formula.kind == "types":
        mask: int = formula.args[0]
        return mask
    if formula.kind == "and":
        # A conjunction names its types once.
        for part in formula.args[0]:
            if part.kind == "types":
                return types_of(part)
    if formula.kind == "values":
        return sum({BIT[value[0]] for value in formula.args[0]})
    return EVERY_TYPE if formula.kind != "false" else 0


def in_order(parts: Iterable[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda part: part.number)


# Reason and remedy of an error.
NO_PROGRESS: Final = (
    "leads back to itself without going into a value",
    "let the circle go through a property or an item",
)


class References:
    """The closed formulas of one compilation, by number."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._closed: list[tuple[Callable[[], Formula], str, str]] = []
        self._open: dict[int, Formula] = {}
        self._checked: set[int] = set()

    def close(self, key: Any, build: Callable[[], Formula], pointer: str, keyword: str) -> int:
        """Return the number of a closed formula.

        Args:
            key: what tells it from others.
            build: makes it when it is first looked into.
        """
        number = self._numbers.setdefault(key, len(self._closed))
        if number == len(self._closed):
            self._closed.append((build, pointer, keyword))
        return number

    def expand(self, number: int) -> Formula:
        if number not in self._checked:
            self._check_progress(number)
        return self._build(number)

    def _build(self, number: int) -> Formula:
        found = self._open.get(number)
        if found is None:
            found = self._open[number] = self._closed[number][0]()
        return found

    def _check_progress(self, number: int) -> None:
        """Raise if a closed formula leads back to itself at the same value."""
        path = [number]
        entered = {number}
        pending = [iter(self._refs_of(number))]
        while pending:
            after = next(pending[-1], None)
            if after is None:
                pending.pop()
                done = path.pop()
                entered.discard(done)
                self._checked.add(done)
            elif after in entered:
                raise SchemaError(*self._closed[after][1:], *NO_PROGRESS)
            elif after not in self._checked:
                path.append(after)
                entered.add(after)
                pending.append(iter(self._refs_of(after)))

    def _refs_of(self, number: int) -> list[int]:
        found, open_, seen = list[int](), [self._build(number)], set[Formula]()
        while open_:
            part = open_.pop()
            if part in seen:
                continue
            seen.add(part)
            if part.kind in ("ref", "noref"):
                found.append(part.args[0])
            elif part.kind in ("and", "or", "one", "noone"):
                open_ += part.args[0]
        return found


# Formulas inside each other, references included: compiled code has no bound of its own, and the
# interpreter's is about the same.
_MOST_DEPTH: Final = 700


class Doubt(NamedTuple):
    """What is known of strings that an automaton does not accept, though it should accept more."""

    wider: int  # the number of an automaton; what it does not accept either fits for sure nothing
    pointer: str  # of the schema
    format: str  # that the automata are of


class Holding:
    """Says which values formulas hold of."""

    def __init__(self) -> None:
        self.dfas: list[CharDfa] = []  # automata over characters, by number
        # what is known of automata smaller than their format, by number
        self.doubts: dict[int, Doubt] = {}
        self.references = References()  # what closed formulas say
        self._depth = 0

    def contains_key(self, keys: Keys, name: str) -> bool:
        """Return whether a name is in a set of keys."""
        if keys[0] == "names":
            return name in keys[1]
        if keys[0] == "dfa":
            return self._accepts(keys[1], name)
        if keys[0] in ("strings", "unlike"):
            is_like = keys[0] == "strings"
            return bool(self.holds(keys[1], ("string", name)) == is_like)
        return name not in keys[1] and not any(self._accepts(n, name) for n in keys[2])

    def _accepts(self, number: int, text: str) -> bool:
        found = accepts(self.dfas[number], text)
        doubt = self.doubts.get(number)
        if doubt is not None and not found and self._accepts(doubt.wider, text):
            reason = f"is {doubt.format}, and does not tell whether it holds of {text[:40]!r}"
            remedy = f"write {doubt.format}-exact, or leave the string out"
            raise SchemaError(doubt.pointer, "format", reason, remedy)
        return found

    def holds(self, formula: Formula, value: Value) -> bool:
        """Return whether a formula holds of a value.

        Raises:
            RecursionError: it is nested too deep, with its references.
        """
        kind, args = formula.kind, formula.args
        if kind in ABOUT:
            return bool(value[0] != ABOUT[kind] or self._holds_atom(kind, args, value[1]))
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "types":
            return bool(BIT[value[0]] & args[0])
        if kind in ("values", "novalues"):
            return bool((value in args[0]) == (kind == "values"))
        self._depth += 1
        try:
            if self._depth > _MOST_DEPTH:
                raise RecursionError
            if kind in ("and", "or"):
                for part in in_order(args[0]):
                    if self.holds(part, value) != (kind == "and"):
                        return kind == "or"
                return kind == "and"
            if kind in ("one", "noone"):
                n_held = 0
                for part in args[0]:
                    n_held += self.holds(part, value)
                return (n_held == 1) == (kind == "one")
            return self.holds(self.references.expand(args[0]), value) == (kind == "ref")
        finally:
            self._depth -= 1

    def _holds_atom(self, kind: str, args: tuple[Any, ...], held: Any) -> bool:
        if kind == "string":
            return bool(self._accepts(args[0], held) == args[1])
        if kind in ("length", "count", "size"):
            return len(held) >= args[0] and (args[1] is None or len(held) <= args[1])
        if kind == "bounds":
            low, low_open, high, high_open = args
            return (low is None or held > low or held == low and not low_open) and (
                high is None or held < high or held == high and not high_open
            )
        if kind == "multiple":
            return bool(((held / args[0]).denominator == 1) == args[1])
        if kind == "order":
            return True
        if kind == "lexical_form":
            return bool(held.denominator == 1 or args[0] == 2)
        if kind == "any":
            pairs, lacked = args
            return not lacked <= {key for key, _ in held} or any(
                self._holds_atom("some", pair, held) for pair in pairs
            )
        if kind in ("all", "some"):
            chosen = [v for key, v in held if self.contains_key(args[0], key)]
            outcome = (self.holds(args[1], v) for v in chosen)
            return all(outcome) if kind == "all" else any(outcome)
        if kind == "unique":
            return bool((len(set(held)) == len(held)) == args[0])
        items = held[args[0] : args[1]]
        n_fit = sum(self.holds(args[2], v) for v in items)
        if kind == "items":
            return bool(n_fit == len(items))
        return n_fit >= args[3] and (args[4] is None or n_fit <= args[4])
