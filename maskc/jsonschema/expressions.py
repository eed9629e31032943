"""What is asked of a value, as a formula: true, false, and, or, and atoms about one type.

An atom about a type holds of all values of other types, as a keyword does. Each formula exists
once, so equal ones are the same object. Negation is pushed inwards as it is asked for; schemas that
a reference names stay closed until then, so recursion costs nothing.

Atoms, by kind:

- ``types`` a bit mask of types; ``values`` one of a set; ``novalues`` none of a set.
- ``string`` an automaton's number, and whether it must accept; ``length`` from … to ….
- ``bounds`` low, open, high, open; ``multiple`` of a number or not; ``spelled`` as draft 4 wants.
- ``all`` members whose key is in a set have values that fit; ``some`` member does; ``count``;
  ``order`` asks nothing, and says in which order a schema names its keys.
- ``items`` from … to … fit; ``contains`` between so many of them fit; ``size``; ``unique``.

Example: ``not (required a)`` is ``types object and all {a} false``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.automata import complement
from maskc.jsonschema.values import Value
from maskc.runtime.schema.characters import NO_LABEL, CharDfa

TYPES = ("null", "boolean", "number", "string", "array", "object")
BIT = {name: 1 << place for place, name in enumerate(TYPES)}
EVERY_TYPE = (1 << len(TYPES)) - 1
# Kind of an atom → the type that it is about.
ABOUT = {
    "string": "string",
    "length": "string",
    "bounds": "number",
    "multiple": "number",
    "spelled": "number",
    "all": "object",
    "some": "object",
    "count": "object",
    "order": "object",
    "items": "array",
    "contains": "array",
    "size": "array",
    "unique": "array",
}

# A set of keys: ("names", names), ("dfa", n), ("strings", formula), or all but some:
# ("other", names, automata).
Keys = tuple[Any, ...]


class Formula:
    """A formula; made by a :class:`Space` only."""

    __slots__ = ("args", "is_closed", "kind", "negated", "number")

    def __init__(self, number: int, kind: str, args: tuple[Any, ...]) -> None:
        self.number, self.kind, self.args = number, kind, args
        self.negated: Formula | None = None
        # Whether a reference in it is yet to be looked into.
        self.is_closed = kind in ("ref", "noref") or any(map(_holds_closed, args))

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


class Space:
    """The formulas of one compilation.

    Attributes:
        true: holds of everything.
        false: holds of nothing.
        dfas: automata over characters, by number.
        lexical: whether a number's spelling counts, as in draft 4.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, tuple[Any, ...]], Formula] = {}
        self.true = self.make("true")
        self.false = self.make("false")
        self.dfas: list[CharDfa] = []
        self._complements: dict[int, int] = {}
        self.lexical = False
        self._closed: dict[Any, tuple[Callable[[], Formula], str]] = {}
        self._open: dict[Any, Formula] = {}
        self._checked: set[Any] = set()

    def make(self, kind: str, *args: Any) -> Formula:
        """Return the formula of a kind with these parts."""
        key = (kind, args)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Formula(len(self._known), kind, args)
        return found

    def types(self, mask: int) -> Formula:
        """Return that a value's type is one of a mask."""
        if mask == EVERY_TYPE:
            return self.true
        return self.make("types", mask) if mask else self.false

    def values(self, values: Iterable[Value]) -> Formula:
        """Return that a value is one of a set."""
        found = frozenset(values)
        return self.make("values", found) if found else self.false

    def all(self, keys: Keys, fits: Formula) -> Formula:
        """Return that members with such keys fit."""
        return self.true if fits is self.true else self.make("all", keys, fits)

    def some(self, keys: Keys, fits: Formula) -> Formula:
        """Return that some member with such a key fits."""
        if fits is self.false:
            return self.types(EVERY_TYPE & ~BIT["object"])
        return self.make("some", keys, fits)

    def add_dfa(self, dfa: CharDfa) -> int:
        """Return the number of an automaton."""
        self.dfas.append(dfa)
        return len(self.dfas) - 1

    def complement_of(self, number: int) -> int:
        """Return the number of the automaton that accepts what this one does not."""
        found = self._complements.get(number)
        if found is None:
            found = self._complements[number] = self.add_dfa(complement(self.dfas[number]))
        return found

    def both(self, parts: Iterable[Formula]) -> Formula:
        """Return the conjunction."""
        open_ = list(parts)
        mask, found = EVERY_TYPE, dict[Formula, None]()
        values: frozenset[Value] | None = None
        while open_:
            part = open_.pop()
            if part is self.false:
                return self.false
            if part.kind == "and":
                open_ += part.args[0]
            elif part.kind == "types":
                mask &= part.args[0]
            elif part.kind == "values":
                values = part.args[0] if values is None else values & part.args[0]
            elif part is not self.true:
                found[part] = None
        if values is not None:
            return self._filter(values, mask, list(found))
        for part in found:
            if part.negated is not None and part.negated in found:
                return self.false
        found = {
            part: None for part in found if part.kind not in ABOUT or BIT[ABOUT[part.kind]] & mask
        }
        if mask != EVERY_TYPE:
            if not mask:
                return self.false
            found[self.types(mask)] = None
        if len(found) == 1:
            return next(iter(found))
        return self.make("and", frozenset(found)) if found else self.true

    def _filter(self, values: frozenset[Value], mask: int, others: list[Formula]) -> Formula:
        kept = {value for value in values if BIT[value[0]] & mask}
        left = []
        for other in others:
            if other.is_closed or self.lexical and other.kind != "novalues":
                left.append(other)
            else:
                kept = {value for value in kept if self.holds(other, value)}
        if not kept or not left:
            return self.values(kept)
        return self.make("and", frozenset([self.values(kept), *left]))

    def either(self, parts: Iterable[Formula]) -> Formula:
        """Return the disjunction."""
        open_ = list(parts)
        mask, found = 0, dict[Formula, None]()
        values: set[Value] = set()
        while open_:
            part = open_.pop()
            if part is self.true:
                return self.true
            if part.kind == "or":
                open_ += part.args[0]
            elif part.kind == "types":
                mask |= part.args[0]
            elif part.kind == "values":
                values |= part.args[0]
            elif part is not self.false:
                found[part] = None
        if mask == EVERY_TYPE:
            return self.true
        for part in found:
            if part.negated is not None and part.negated in found:
                return self.true
        if mask:
            found[self.types(mask)] = None
            values = {value for value in values if not BIT[value[0]] & mask}
        if values:
            found[self.values(values)] = None
        if len(found) == 1:
            return next(iter(found))
        return self.make("or", frozenset(found)) if found else self.false

    def exactly_one(self, parts: list[Formula]) -> Formula:
        """Return that one part holds and no other."""
        parts = [part for part in parts if part is not self.false]
        if len(parts) < 2:
            return parts[0] if parts else self.false
        if all(part.kind == "values" for part in parts):
            counts: dict[Value, int] = {}
            for part in parts:
                for value in part.args[0]:
                    counts[value] = counts.get(value, 0) + 1
            return self.values(value for value, n in counts.items() if n == 1)
        return self.make("one", tuple(parts))

    def close(self, key: Any, build: Callable[[], Formula], pointer: str) -> Formula:
        """Return a formula that is built when it is first looked into."""
        self._closed.setdefault(key, (build, pointer))
        return self.make("ref", key)

    def expand(self, ref: Formula) -> Formula:
        """Return what a closed formula says.

        Raises:
            SchemaError: it refers to itself without going into a value.
        """
        key = ref.args[0]
        if key not in self._open:
            self._open[key] = self._closed[key][0]()
        if key not in self._checked:
            self._check_progress(key)
        return self._open[key]

    def _check_progress(self, key: Any) -> None:
        """Raise if a closed formula leads back to itself at the same value."""
        path: list[Any] = [key]
        entered = {key}
        pending = [iter(self._refs_of(key))]
        while pending:
            after = next(pending[-1], None)
            if after is None:
                pending.pop()
                done = path.pop()
                entered.discard(done)
                self._checked.add(done)
            elif after in entered:
                raise SchemaError(
                    self._closed[after][1],
                    "$ref",
                    "leads back to itself without going into a value",
                    "let the circle go through a property or an item",
                )
            elif after not in self._checked:
                path.append(after)
                entered.add(after)
                pending.append(iter(self._refs_of(after)))

    def _refs_of(self, key: Any) -> list[Any]:
        if key not in self._open:
            self._open[key] = self._closed[key][0]()
        found, open_, seen = [], [self._open[key]], set[Formula]()
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

    def negate(self, formula: Formula) -> Formula:
        """Return the negation."""
        if formula.negated is None:
            formula.negated = self._negate(formula)
            if formula.negated.negated is None:
                formula.negated.negated = formula
        return formula.negated

    def _negate(self, formula: Formula) -> Formula:
        kind, args = formula.kind, formula.args
        simple = {"true": self.false, "false": self.true}
        if kind in simple:
            return simple[kind]
        if kind == "and":
            return self.either(self.negate(part) for part in _ordered(args[0]))
        if kind == "or":
            return self.both(self.negate(part) for part in _ordered(args[0]))
        if kind == "types":
            return self.types(EVERY_TYPE & ~args[0])
        swapped = {
            "values": "novalues",
            "novalues": "values",
            "ref": "noref",
            "noref": "ref",
            "one": "noone",
            "noone": "one",
        }
        if kind in swapped:
            return self.make(swapped[kind], *args)
        return self.both([self.types(BIT[ABOUT[kind]]), self._negate_atom(kind, args)])

    def _negate_atom(self, kind: str, args: tuple[Any, ...]) -> Formula:
        if kind in ("string", "multiple"):
            return self.make(kind, args[0], not args[1])
        if kind in ("length", "count", "size"):
            low, high = args
            parts = []
            if low > 0:
                parts.append(self.make(kind, 0, low - 1))
            if high is not None:
                parts.append(self.make(kind, high + 1, None))
            return self.either(parts)
        if kind == "bounds":
            low, low_open, high, high_open = args
            parts = []
            if low is not None:
                parts.append(self.make(kind, None, False, low, not low_open))
            if high is not None:
                parts.append(self.make(kind, high, not high_open, None, False))
            return self.either(parts)
        if kind == "spelled":
            return self.make(kind, 3 - args[0])
        if kind == "order":
            return self.false
        if kind == "all":
            return self.make("some", args[0], self.negate(args[1]))
        if kind == "some":
            return self.all(args[0], self.negate(args[1]))
        if kind == "items":
            start, stop, fits = args
            return self.make("contains", start, stop, self.negate(fits), 1, None)
        if kind == "contains":
            start, stop, fits, low, high = args
            parts = []
            if low > 0:
                parts.append(self.make(kind, start, stop, fits, 0, low - 1))
            if high is not None:
                parts.append(self.make(kind, start, stop, fits, high + 1, None))
            return self.either(parts)
        raise SchemaError(
            "",
            "uniqueItems",
            "is negated (by not, oneOf or if), which is not supported",
            "leave uniqueItems out of the negated schema",
        )

    def contains_key(self, keys: Keys, name: str) -> bool:
        """Return whether a name is in a set of keys."""
        if keys[0] == "names":
            return name in keys[1]
        if keys[0] == "dfa":
            return self._accepts(keys[1], name)
        if keys[0] == "strings":
            return self.holds(keys[1], ("string", name))
        return name not in keys[1] and not any(self._accepts(n, name) for n in keys[2])

    def _accepts(self, number: int, text: str) -> bool:
        dfa = self.dfas[number]
        return dfa.labels[dfa.read(text)] != NO_LABEL

    def holds(self, formula: Formula, value: Value) -> bool:
        """Return whether a formula holds of a value."""
        kind, args = formula.kind, formula.args
        about = ABOUT.get(kind)
        if about is not None:
            return value[0] != about or self._holds_atom(kind, args, value[1])
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "and":
            return all(self.holds(part, value) for part in _ordered(args[0]))
        if kind == "or":
            return any(self.holds(part, value) for part in _ordered(args[0]))
        if kind == "types":
            return bool(BIT[value[0]] & args[0])
        if kind in ("values", "novalues"):
            return bool((value in args[0]) == (kind == "values"))
        if kind in ("one", "noone"):
            return (sum(self.holds(part, value) for part in args[0]) == 1) == (kind == "one")
        inner = self.holds(self.expand(self.make("ref", args[0])), value)
        return inner == (kind == "ref")

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
        if kind == "spelled":
            return bool(held.denominator == 1 or args[0] == 2)
        if kind in ("all", "some"):
            chosen = [v for key, v in held if self.contains_key(args[0], key)]
            outcome = (self.holds(args[1], v) for v in chosen)
            return all(outcome) if kind == "all" else any(outcome)
        if kind == "unique":
            return len(set(held)) == len(held)
        chosen = held[args[0] : args[1]]
        n_fit = sum(self.holds(args[2], v) for v in chosen)
        if kind == "items":
            return n_fit == len(chosen)
        return n_fit >= args[3] and (args[4] is None or n_fit <= args[4])


def _ordered(parts: Iterable[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda part: part.number)
