"""What is asked of a value, as a formula: true, false, and, or, and atoms about one type.

The atoms are those of :mod:`maskc.jsonschema.formulas`. Each formula exists
once, so equal ones are the same object. Negation is pushed inwards as it is asked for; schemas that
a reference names stay closed until then, so recursion costs nothing.

Example: ``not (required a)`` is ``types object and all {a} false``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any, Final

from maskc.jsonschema.automata import complement, intersect
from maskc.jsonschema.formulas import (
    ABOUT,
    BIT,
    EVERY_TYPE,
    Formula,
    Holding,
    Keys,
    Value,
    in_order,
)
from maskc.runtime.schema.strings.characters import DEAD, CharDfa

_MOST_PAIRS: Final = 10_000  # of states of two automata that are looked at together


class Space(Holding):
    """The formulas of one compilation.

    Attributes:
        dfas: automata over characters, by number.
        lexical: whether a number's spelling counts, as in draft 4.
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[str, tuple[Any, ...]], Formula] = {}
        self._negations: dict[int, Formula] = {}  # number of a formula → its negation
        self.true = self.make("true")
        self.false = self.make("false")
        self._complements: dict[int, int] = {}
        self._apart: dict[tuple[int, int], bool] = {}
        self.lexical = False

    def make(self, kind: str, *args: Any) -> Formula:
        key = (kind, args)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Formula(len(self._known), kind, args)
        return found

    def types(self, mask: int) -> Formula:
        if mask == EVERY_TYPE:
            return self.true
        return self.make("types", mask) if mask else self.false

    def values(self, values: Iterable[Value]) -> Formula:
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

    def any(self, parts: Iterable[Formula]) -> Formula:
        """Return that one of some atoms holds: each is ``some``, or ``all`` about one name."""
        atoms = in_order(parts)
        if len(atoms) == 1:
            return atoms[0]
        pairs = tuple([atom.args for atom in atoms if atom.args[1] is not self.false])
        names = (atom.args[0][1] for atom in atoms if atom.kind == "all")
        return self.make("any", pairs, frozenset[str]().union(*names))

    def add_dfa(self, dfa: CharDfa) -> int:
        self.dfas.append(dfa)
        return len(self.dfas) - 1

    def complement_of(self, number: int) -> int:
        found = self._complements.get(number)
        if found is None:
            found = self._complements[number] = self.add_dfa(complement(self.dfas[number]))
        return found

    def both(self, parts: Iterable[Formula]) -> Formula:
        open_ = [part for part in parts if part is not self.true]
        if len(open_) < 2:
            return open_[0] if open_ else self.true
        mask, found = EVERY_TYPE, dict[Formula, None]()
        values: frozenset[Value] | None = None
        excluded: frozenset[Value] = frozenset()
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
            elif part.kind == "novalues":
                excluded |= part.args[0]
            else:
                found[part] = None
        excluded = frozenset(value for value in excluded if BIT[value[0]] & mask)
        if excluded and values is None:
            found[self.make("novalues", excluded)] = None
        elif values is not None:
            values -= excluded
        if mask != EVERY_TYPE and any(part.kind == "or" for part in found):
            narrowed = [self._narrow(part, mask) for part in found]
            if narrowed != list(found):
                rest = [self.types(mask), *narrowed]
                return self.both(rest if values is None else [self.values(values), *rest])
        if values is not None:
            return self._filter(values, mask, list(found))
        for part in found:
            if self.is_negated_in(part, found):
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

    def _narrow(self, part: Formula, mask: int) -> Formula:
        """Return what a disjunction asks of values of some types; any other formula is left."""
        if part.kind != "or":
            return part
        left = []
        for option in in_order(part.args[0]):
            if option.kind == "types":
                if option.args[0] & mask == mask:
                    return self.true
                if not option.args[0] & mask:
                    continue
            elif option.kind == "values" and not any(BIT[v[0]] & mask for v in option.args[0]):
                continue
            left.append(option)
        return part if len(left) == len(part.args[0]) else self.either(left)

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
        open_ = list(parts)
        if len(open_) == 1:
            return open_[0]
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
            if self.is_negated_in(part, found):
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

    def close(
        self, key: Any, build: Callable[[], Formula], pointer: str, keyword: str = "$ref"
    ) -> Formula:
        """Return a formula that is built when it is first looked into."""
        return self.make("ref", self.references.close(key, build, pointer, keyword))

    def expand(self, ref: Formula) -> Formula:
        """Return what a closed formula says."""
        return self.references.expand(ref.args[0])

    def negate(self, formula: Formula) -> Formula:
        found = self._negations.get(formula.number)
        if found is None:
            found = self._negations[formula.number] = self._negate(formula)
            self._negations.setdefault(found.number, formula)
        return found

    def is_negated_in(self, formula: Formula, others: Container[Formula]) -> bool:
        """Return whether the negation of a formula, if it has been asked for, is one of some."""
        negated = self._negations.get(formula.number)
        return negated is not None and negated in others

    def _negate(self, formula: Formula) -> Formula:
        kind, args = formula.kind, formula.args
        simple = {"true": self.false, "false": self.true}
        if kind in simple:
            return simple[kind]
        if kind == "and":
            return self.either(self.negate(part) for part in in_order(args[0]))
        if kind == "or":
            return self.both(self.negate(part) for part in in_order(args[0]))
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
        if kind == "string":
            doubt = self.doubts.get(args[0])
            return self.make(kind, doubt.wider if doubt else args[0], not args[1])
        if kind == "multiple":
            return self.make(kind, args[0], not args[1])
        if kind in ("length", "count", "size", "contains"):
            *asked, low, high = args
            parts = [self.make(kind, *asked, 0, low - 1)] if low > 0 else []
            if high is not None:
                parts.append(self.make(kind, *asked, high + 1, None))
            return self.either(parts)
        if kind == "bounds":
            low, low_open, high, high_open = args
            parts = []
            if low is not None:
                parts.append(self.make(kind, None, False, low, not low_open))
            if high is not None:
                parts.append(self.make(kind, high, not high_open, None, False))
            return self.either(parts)
        if kind == "lexical_form":
            return self.make(kind, 3 - args[0])
        if kind == "order":
            return self.false
        if kind == "all":
            keys, fits = args
            if keys[0] == "unlike":  # a format that is negated is not all but the format
                keys = ("strings", self.negate(keys[1]))
            return self.make("some", keys, self.negate(fits))
        if kind == "some":
            return self.all(args[0], self.negate(args[1]))
        if kind == "any":
            has = [self.some(("names", frozenset([name])), self.true) for name in sorted(args[1])]
            return self.both([*has, *(self.all(k, self.negate(fits)) for k, fits in args[0])])
        if kind == "items":
            start, stop, fits = args
            return self.make("contains", start, stop, self.negate(fits), 1, None)
        return self.make("unique", not args[0])

    def is_refuted(self, formula: Formula) -> bool:
        """Return whether nothing fits a formula, looking at its disjunctions; not complete."""
        if formula.kind != "and":
            return formula is self.false
        parts = in_order(formula.args[0])
        if _is_void(parts):
            return True
        for part in parts:
            if part.kind == "or":
                others = [other for other in parts if other is not part]
                found = [self.both([*others, option]) for option in in_order(part.args[0])]
                if all(f is self.false or f.kind == "and" and _is_void(f.args[0]) for f in found):
                    return True
        return False

    def implies(self, known: Formula, asked: Formula, *, by_strings: bool) -> bool:
        """Return whether what is known of a value says what is asked; not complete.

        Args:
            by_strings: whether to look at which strings automata accept, too.
        """
        both = self.both([known, asked])
        if both is known or known is self.false:
            return True
        if not by_strings or both is self.false:
            return False
        held = known.args[0] if known.kind == "and" else {known}
        accepted = [p.args[0] for p in held if p.kind == "string" and p.args[1]]
        return all(
            part in held
            or part.kind == "string"
            and not part.args[1]
            and any(self._are_apart(part.args[0], number) for number in accepted)
            for part in (both.args[0] if both.kind == "and" else [both])
        )

    def _are_apart(self, first: int, second: int) -> bool:
        """Return whether no string is accepted by two automata; it is not asked of large ones."""
        key = (min(first, second), max(first, second))
        found = self._apart.get(key)
        if found is None:
            pair = [self.dfas[first], self.dfas[second]]
            is_small = pair[0].n_states * pair[1].n_states <= _MOST_PAIRS
            is_small = is_small and not pair[0].reader and not pair[1].reader
            found = self._apart[key] = is_small and intersect(pair).start == DEAD
        return found


def _is_void(parts: Iterable[Formula]) -> bool:
    """Return whether atoms of a conjunction about one type contradict each other; not complete."""
    mask = EVERY_TYPE
    signs: dict[tuple[str, Any], bool] = {}
    bounds: dict[str, tuple[int, int | None]] = {}
    types = set[str]()
    for part in parts:
        kind, args = part.kind, part.args
        if kind == "types":
            mask = args[0]
        elif kind in ("string", "multiple"):
            if signs.setdefault((kind, args[0]), args[1]) != args[1]:
                types.add(ABOUT[kind])
        elif kind in ("length", "size", "count"):
            low, high = bounds.get(kind, (0, None))
            low = max(low, args[0])
            if args[1] is not None:
                high = args[1] if high is None else min(high, args[1])
            bounds[kind] = low, high
            if high is not None and low > high:
                types.add(ABOUT[kind])
    return not mask & ~sum(BIT[name] for name in types)
