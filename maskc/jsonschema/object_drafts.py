"""What is asked of an object: its keys as an automaton, and what the value of each fits.

Keys that nothing tells apart are one class. An *existential constraint* is that some member with a
key of a set fits (``not additionalProperties`` and its like), or one of several members, or that
one of some names is missing; a member's options say which constraints it fulfils.

Example: ``{"properties": {"a": A}, "additionalProperties": B}`` has the name ``a`` and one class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.automata import of_texts
from maskc.jsonschema.demands import (
    Atoms,
    MemberConstraints,
    MemberDemands,
    intersect_bounds,
    sort_values,
)
from maskc.jsonschema.drafts import ObjectDraft
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula, Keys
from maskc.jsonschema.products import label_strings
from maskc.jsonschema.strings import StringDrafts, too_large
from maskc.runtime.schema.plan.series import MAX_CONSTRAINTS, MOST_COMBINATIONS, count_combinations
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

MAX_CASES: Final = 64  # of the constraints that a value fulfils
_SWAPPED: Final = str.maketrans("01", "10")


class ObjectDrafts:
    """Builds the drafts of objects.

    Args:
        add: returns the position of a formula, asked at a JSON pointer.
    """

    def __init__(
        self,
        space: Space,
        alternatives: Alternatives,
        strings: StringDrafts,
        add: Callable[[Formula, str], int],
        *,
        ordered: bool,
    ) -> None:
        self._space, self._alternatives, self._strings = space, alternatives, strings
        self._add, self._ordered = add, ordered
        # Many objects that are alternatives of each other have the same keys.
        self._known_keys: dict[Any, tuple[CharDfa, list[frozenset[Keys]]]] = {}

    def build(self, atoms: Atoms, pointer: str) -> list[ObjectDraft]:
        """Return the drafts of the objects that atoms hold of."""
        values, excluded, ordered = sort_values(atoms)
        if values is not None:
            return [self._constant(value[1], pointer) for value in values]
        if excluded:
            formula = self._space.both([*ordered, *(self._exclude(value[1]) for value in excluded)])
            parts = self._alternatives.find(formula, "object", pointer)
            return [draft for inner in parts for draft in self.build(inner, pointer)]
        space, members = self._space, MemberDemands(self._space, ordered)
        constraints, required = members.constraints, members.required
        order = [atom.args[0] for atom in ordered if atom.kind == "order"]
        names = self._collect_names(order, members)
        pairs = [*members.general, *chain.from_iterable(demand.pairs for demand in constraints)]
        sets = [keys for keys, _ in pairs]
        is_plain = all(keys[0] == "names" or keys[0] == "other" and not keys[2] for keys in sets)
        may_have_others = not is_plain or not any(
            fits is space.false for keys, fits in members.general if keys[0] == "other"
        )
        dfa, classes = self._build_keys(names, sets, pointer, has_others=may_have_others)
        fits_of = [members.fits(name) for name in names]
        fits_of += [[fits for keys, fits in members.general if keys in own] for own in classes]
        lacked = list[int]()
        fulfilled: list[list[tuple[int, Formula]]] = [[] for _ in fits_of]
        if constraints:
            count = partial(self._alternatives.count_step, pointer, 0)
            found = MemberConstraints(space, names, fits_of, required, count).find(
                constraints, classes
            )
            if found is None:
                return []
            for n, constraint in enumerate(found):
                lacked.append(sum(1 << label for label in constraint.lacked))
                for label, formula in constraint.fits.items():
                    fulfilled[label].append((n, formula))
        self._check_constraints(len(lacked), pointer)
        options = [
            self._member_options(fits, asked_of, pointer)
            for fits, asked_of in zip(fits_of, fulfilled, strict=True)
        ]
        if lacked and count_combinations(options, len(names), lacked) > MOST_COMBINATIONS:
            raise _too_many_constraints(pointer)
        label_of = {name: n for n, name in enumerate(names)}
        bits = sum(1 << label_of[name] for name in required)
        plain = tuple(names) if is_plain else None
        low, high = intersect_bounds(atoms, "count")
        return [ObjectDraft(dfa, len(names), options, bits, low, high, tuple(lacked), plain)]

    def _check_constraints(self, n_constraints: int, pointer: str) -> None:
        if n_constraints > MAX_CONSTRAINTS:
            raise _too_many_constraints(pointer)
        if n_constraints and self._ordered:
            raise SchemaError(
                pointer,
                "additionalProperties",
                "(or patternProperties, propertyNames) is negated, by not, oneOf or if, "
                "which is not supported with the keys in the schema's order",
                "leave it out of the negated schema, or compile with the keys in any order",
            )

    def _collect_names(self, order: list[tuple[str, ...]], members: MemberDemands) -> list[str]:
        """Return the names that are told apart, in the schema's order."""
        names = dict.fromkeys([*chain.from_iterable(order), *members.named])
        for keys, _ in chain(members.general, *(demand.pairs for demand in members.constraints)):
            if keys[0] in ("names", "other"):
                names.update(dict.fromkeys(sorted(keys[1])))
        for demand in members.constraints:
            names.update(dict.fromkeys(sorted(demand.lacked)))
        return list(names)

    def _build_keys(
        self, names: list[str], keys: list[Keys], pointer: str, *, has_others: bool
    ) -> tuple[CharDfa, list[frozenset[Keys]]]:
        """Return the automaton of keys, and for each class which sets it is in."""
        asked = tuple(dict.fromkeys(k for k in keys if k[0] != "names"))
        key = (tuple(names), asked, has_others)
        found = self._known_keys.get(key)
        if found is None:
            found = self._combine_keys(names, asked, pointer, has_others=has_others)
            self._known_keys[key] = found
        return found

    def _combine_keys(
        self, names: list[str], asked: tuple[Keys, ...], pointer: str, *, has_others: bool
    ) -> tuple[CharDfa, list[frozenset[Keys]]]:
        space = self._space
        parts: dict[Any, CharDfa] = {}
        for key in asked:
            if key[0] == "dfa":
                parts["dfa", key[1]] = space.dfas[key[1]]
            elif key[0] == "other":
                parts.update({("dfa", n): space.dfas[n] for n in key[2]})
            elif key[0] in ("strings", "unlike"):
                parts[key] = self._strings.language(key[1], pointer)
        order = list(parts)
        classes: dict[frozenset[Keys], int] = {}

        def classify(labels: tuple[int, ...]) -> int:
            inside = {name for name, label in zip(order, labels, strict=True) if label != NO_LABEL}
            member = frozenset(
                key
                for key in asked
                if (key in inside) != (key[0] == "unlike")
                or key[0] == "other"
                and not any(("dfa", n) in inside for n in key[2])
            )
            return len(names) + classes.setdefault(member, len(classes))

        try:
            if not parts:
                other = classify(())
                return of_texts(names, other if has_others else NO_LABEL), list(classes)
            trie = of_texts(names)
            dfa = label_strings(
                [trie, *parts.values()],
                lambda labels: classify(labels[1:]) if labels[0] == NO_LABEL else labels[0],
            )
        except TooLargeError:
            raise too_large(pointer, "patternProperties") from None
        return dfa, list(classes)

    def _member_options(
        self, fits: list[Formula], fulfilled: list[tuple[int, Formula]], pointer: str
    ) -> list[tuple[int, int]]:
        """Return the options of a name, or of a class of keys.

        Args:
            fulfilled: constraints that it can fulfil: number and what that asks.
        """
        space = self._space
        if not fulfilled:
            formula = space.both(fits)
            return [] if formula is space.false else [(0, self._add(formula, pointer))]
        # What the value fits if it fulfils exactly these constraints, or more.
        cases = {0: space.both(fits)}
        for constraint, asked in fulfilled:
            self._alternatives.count_step(pointer, 8 * len(cases))
            for bits, formula in list(cases.items()):
                both = space.both([formula, asked])
                if both is formula:
                    del cases[bits]
                if both is not space.false:
                    cases[bits | 1 << constraint] = both
            if len(cases) > MAX_CASES:
                raise _too_many_constraints(pointer)
        order = sorted(cases, key=lambda bits: (-bits.bit_count(), _reverse(bits)))
        return [
            (bits, self._add(cases[bits], pointer))
            for bits in order
            if cases[bits] is not space.false
        ]

    def _constant(self, members: tuple[tuple[str, Any], ...], pointer: str) -> ObjectDraft:
        names = [name for name, _ in members]
        options = [[(0, self._add(self._space.values([value]), pointer))] for _, value in members]
        bits = (1 << len(names)) - 1
        return ObjectDraft(of_texts(names), len(names), options, bits, 0, None)

    def _exclude(self, members: tuple[tuple[str, Any], ...]) -> Formula:
        """Return that an object is another one than that of some members."""
        space, differences = self._space, list[Formula]()
        for name, value in members:
            keys: Keys = ("names", frozenset([name]))
            differences.append(space.all(keys, space.negate(space.values([value]))))
        others: Keys = ("other", frozenset(name for name, _ in members), ())
        return space.either([*differences, space.make("some", others, space.true)])


def _reverse(bits: int) -> str:
    """Return what sets of bits are in order by, those with the first bits first."""
    return f"{bits:b}"[::-1].translate(_SWAPPED)


def _too_many_constraints(pointer: str) -> SchemaError:
    return SchemaError(
        pointer,
        "additionalProperties",
        "(or patternProperties, or propertyNames) is negated, by not, oneOf or if, in more than "
        f"{MAX_CONSTRAINTS} ways for one object, or in more than {MAX_CASES} combinations",
        "make the branches differ in a required constant, or leave it out of the negated schema",
    )
