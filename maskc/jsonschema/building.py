"""Positions: what is asked where a value stands, each once, with those of the values inside.

From the root on, each formula that is asked somewhere becomes a position: its alternatives by type,
as drafts of rules that refer to other positions. Then the positions that some value fits are found
as a least fixed point: what only an endless value would fit, fits nothing.

Example: ``{"required": ["a"], "properties": {"a": {"$ref": "#"}}, "type": "object"}`` fits nothing.

Limits: more than ``MAX_POSITIONS`` are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.alternatives import Alternatives, Atoms
from maskc.jsonschema.automata import (
    TooLargeError,
    combine,
    complement,
    intersect,
    of_length,
    of_texts,
)
from maskc.jsonschema.drafts import ArrayDraft, ObjectDraft, PositionDraft, StringDraft
from maskc.jsonschema.expressions import Formula, Keys, Space
from maskc.jsonschema.numbers import build_rule
from maskc.jsonschema.values import FALSE, NULL, TRUE, sort_key
from maskc.runtime.schema.arrays import Counter
from maskc.runtime.schema.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.objects import MAX_WISHES
from maskc.runtime.schema.plan import Layout

MAX_POSITIONS = 20_000
_MAX_COUNTERS = 4


class Builder:
    """Builds the positions of one schema.

    Args:
        space: where formulas live.
        layout: how texts are written.
        pointers: where formulas come from.
    """

    def __init__(self, space: Space, layout: Layout, pointers: dict[Formula, str]) -> None:
        self.space, self.layout = space, layout
        self._pointers = pointers
        self._alternatives = Alternatives(space)
        self.drafts: list[PositionDraft] = []
        self._number: dict[Formula, int] = {}
        self._open: list[tuple[Formula, int]] = []
        self._strings: dict[Atoms, list[StringDraft]] = {}

    def add(self, formula: Formula, pointer: str) -> int:
        """Return the position of a formula.

        Raises:
            SchemaError: there are too many positions.
        """
        number = self._number.get(formula)
        if number is None:
            number = self._number[formula] = len(self.drafts)
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
        space, pointer = self.space, draft.pointer
        for bit, value in enumerate((NULL, TRUE, FALSE)):
            if space.holds(formula, value):
                draft.literals |= 1 << bit
        for atoms in self._alternatives.find(formula, "number", pointer):
            draft.numbers.append(build_rule(_sorted(atoms), pointer))
        for atoms in self._alternatives.find(formula, "string", pointer):
            draft.strings.append(self._build_string(atoms, pointer))
        for atoms in self._alternatives.find(formula, "array", pointer):
            draft.arrays += self._build_arrays(atoms, pointer)
        for atoms in self._alternatives.find(formula, "object", pointer):
            draft.objects += self._build_objects(atoms, pointer)

    def _too_large(self, pointer: str, keyword: str) -> SchemaError:
        return SchemaError(
            pointer,
            keyword,
            "makes too large an automaton with what else is asked of the same string",
            "write a simpler one",
        )

    def _build_string(self, atoms: Atoms, pointer: str) -> StringDraft:
        low, high = _bounds(atoms, "length")
        space = self.space
        lists = [atom.args[0] for atom in atoms if atom.kind == "values"]
        try:
            if lists:
                texts = sorted(value[1] for value in frozenset.intersection(*lists))
                return StringDraft(_unlabelled(of_texts(texts)), 0, None)
            parts = []
            for atom in _sorted(atoms):
                if atom.kind == "string":
                    number, wanted = atom.args
                    parts.append(space.dfas[number if wanted else space.complement_of(number)])
                elif atom.kind == "novalues":
                    texts = sorted(value[1] for value in atom.args[0])
                    parts.append(complement(_unlabelled(of_texts(texts))))
            return StringDraft(intersect(parts), low, high)
        except TooLargeError:
            raise self._too_large(pointer, "pattern") from None

    def string_language(self, formula: Formula, pointer: str) -> CharDfa:
        """Return the automaton of the strings that a formula holds of.

        Raises:
            SchemaError: it is too large.
        """
        parts = []
        try:
            for atoms in self._alternatives.find(formula, "string", pointer):
                draft = self._build_string(atoms, pointer)
                bounded = [draft.dfa]
                if draft.low or draft.high is not None:
                    bounded.append(of_length(draft.low, draft.high))
                parts.append(intersect(bounded))
            if len(parts) == 1:
                return parts[0]
            return combine(parts, lambda labels: NO_LABEL if set(labels) <= {NO_LABEL} else 0)
        except TooLargeError:
            raise self._too_large(pointer, "propertyNames") from None

    def _build_arrays(self, atoms: Atoms, pointer: str) -> list[ArrayDraft]:
        lists = [atom.args[0] for atom in atoms if atom.kind == "values"]
        if lists:
            values = frozenset.intersection(*lists)
            return [
                self._constant_array(value[1], pointer) for value in sorted(values, key=sort_key)
            ]
        low, high = _bounds(atoms, "size")
        ordered = _sorted(atoms)
        gone = [atom for atom in ordered if atom.kind == "novalues"]
        items = [atom.args for atom in ordered if atom.kind == "items"]
        counted = [atom.args for atom in ordered if atom.kind == "contains"]
        if gone:
            return self._without(
                atoms - frozenset(gone), frozenset().union(*(a.args[0] for a in gone)), pointer
            )
        unique = any(atom.kind == "unique" for atom in ordered)
        if len(counted) > _MAX_COUNTERS:
            raise SchemaError(
                pointer,
                "contains",
                f"counts items in more than {_MAX_COUNTERS} ways at once",
                "write fewer contains, or fewer negated items",
            )
        cuts = {0}
        for start, stop, *_ in (*items, *counted):
            cuts.update([start] if stop is None else [start, stop])
        pieces = []
        for start in sorted(cuts):
            if high is not None and start >= high and start:
                continue
            fits = [f for first, stop, f in items if first <= start and _before(start, stop)]
            active = [
                n
                for n, (first, stop, *_) in enumerate(counted)
                if first <= start and _before(start, stop)
            ]
            pieces.append((start, self._item_options(fits, active, counted, pointer)))
        counters = [Counter(first, stop, a, b) for first, stop, _, a, b in counted]
        return [ArrayDraft(pieces, low, high, counters, unique)]

    def _item_options(
        self,
        fits: list[Formula],
        active: list[int],
        counted: list[tuple[Any, ...]],
        pointer: str,
    ) -> list[tuple[int, int]]:
        space = self.space
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
                    found.append((bits, self.add(formula, pointer)))
        return found

    def _constant_array(self, items: tuple[Any, ...], pointer: str) -> ArrayDraft:
        pieces = [
            (n, [(0, self.add(self.space.values([item]), pointer))]) for n, item in enumerate(items)
        ]
        return ArrayDraft(pieces or [(0, [])], len(items), len(items), [], unique=False)

    def _without(self, atoms: Atoms, gone: frozenset[Any], pointer: str) -> list[ArrayDraft]:
        """Return the drafts of arrays that are none of some values."""
        space = self.space
        formula = space.both(
            [
                *atoms,
                *(
                    space.either(
                        [
                            space.negate(space.make("size", len(items), len(items))),
                            *(
                                space.make("items", n, n + 1, space.negate(space.values([item])))
                                for n, item in enumerate(items)
                            ),
                        ]
                    )
                    for _, items in sorted(gone, key=sort_key)
                ),
            ]
        )
        found = []
        for inner in self._alternatives.find(formula, "array", pointer):
            found += self._build_arrays(inner, pointer)
        return found

    def _build_objects(self, atoms: Atoms, pointer: str) -> list[ObjectDraft]:
        lists = [atom.args[0] for atom in atoms if atom.kind == "values"]
        if lists:
            values = frozenset.intersection(*lists)
            return [
                self._constant_object(value[1], pointer) for value in sorted(values, key=sort_key)
            ]
        gone = [atom for atom in atoms if atom.kind == "novalues"]
        if gone:
            values = frozenset().union(*(atom.args[0] for atom in gone))
            return self._objects_without(atoms - frozenset(gone), values, pointer)
        members = [a for a in _sorted(atoms) if a.kind in ("all", "some")]
        required, wishes, alls = dict[str, None](), [], []
        for atom in members:
            keys, fits = atom.args
            if atom.kind == "all":
                alls.append((keys, fits))
            elif keys[0] == "names" and len(keys[1]) == 1:
                required.update(dict.fromkeys(keys[1]))
                alls.append((keys, fits))
            else:
                wishes.append((keys, fits))
        if len(wishes) > MAX_WISHES or wishes and self.layout.key_order == "schema":
            raise SchemaError(
                pointer,
                "additionalProperties",
                "(or patternProperties, propertyNames) is negated, by not, oneOf or if, "
                + (
                    "which is not supported with the keys in the schema's order"
                    if len(wishes) <= MAX_WISHES
                    else f"in more than {MAX_WISHES} ways at once"
                ),
                "leave it out of the negated schema, or compile with the keys in any order",
            )
        order = [a.args[0] for a in _sorted(atoms) if a.kind == "order"]
        names = self._collect_names(order, alls, wishes, required)
        low, high = _bounds(atoms, "count")
        dfa, classes = self._build_keys(names, [k for k, _ in (*alls, *wishes)], pointer)
        members_of = _MembersByName(self.space, alls)
        options = [
            self._member_options(
                members_of.fits(name), _chosen_by(self.space, name, wishes), pointer
            )
            for name in names
        ]
        for sets in classes:
            fits = [formula for keys, formula in alls if keys in sets]
            fulfilled = [(n, f) for n, (keys, f) in enumerate(wishes) if keys in sets]
            options.append(self._member_options(fits, fulfilled, pointer))
        place = {name: n for n, name in enumerate(names)}
        bits = sum(1 << place[name] for name in required)
        plain = (
            tuple(names)
            if len(dfa.labels) and len(classes) == 1 and _is_plain(alls, wishes)
            else None
        )
        return [ObjectDraft(dfa, len(names), options, bits, low, high, len(wishes), plain)]

    def _collect_names(
        self,
        order: list[tuple[str, ...]],
        alls: list[tuple[Keys, Formula]],
        wishes: list[tuple[Keys, Formula]],
        required: dict[str, None],
    ) -> list[str]:
        """Return the names that are told apart, in the schema's order."""
        names: dict[str, None] = {name: None for listed in order for name in listed}
        for keys, _ in alls:
            if keys[0] == "names":
                names.update(dict.fromkeys(sorted(keys[1])))
        names.update(required)
        for keys, _ in (*alls, *wishes):
            if keys[0] in ("names", "other"):
                names.update(dict.fromkeys(sorted(keys[1])))
        return list(names)

    def _build_keys(
        self, names: list[str], keys: list[Keys], pointer: str
    ) -> tuple[CharDfa, list[frozenset[Keys]]]:
        """Return the automaton of keys, and for each class which sets it is in."""
        space = self.space
        asked = list(dict.fromkeys(k for k in keys if k[0] != "names"))
        parts: dict[Any, CharDfa] = {}
        for key in asked:
            if key[0] == "dfa":
                parts["dfa", key[1]] = space.dfas[key[1]]
            elif key[0] == "other":
                parts.update({("dfa", n): space.dfas[n] for n in key[2]})
            elif key[0] == "strings":
                parts[key] = self.string_language(key[1], pointer)
        order = list(parts)
        classes: dict[frozenset[Keys], int] = {}

        def classify(labels: tuple[int, ...]) -> int:
            inside = {name for name, label in zip(order, labels, strict=True) if label != NO_LABEL}
            member = frozenset(
                key
                for key in asked
                if (key in inside)
                or key[0] == "other"
                and not any(("dfa", n) in inside for n in key[2])
            )
            return len(names) + classes.setdefault(member, len(classes))

        trie = of_texts(names, len(names) + (1 << 20))
        try:
            if not parts:
                other = classify(())
                return of_texts(names, other), list(classes)
            dfa = combine(
                [trie, *parts.values()],
                lambda labels: labels[0] if labels[0] < len(names) else classify(labels[1:]),
            )
        except TooLargeError:
            raise self._too_large(pointer, "patternProperties") from None
        return dfa, list(classes)

    def _member_options(
        self, fits: list[Formula], fulfilled: list[tuple[int, Formula]], pointer: str
    ) -> list[tuple[int, int]]:
        """Return the options of a name, or of a class of keys.

        Args:
            fits: what is asked of the value in any case.
            fulfilled: wishes that it can fulfil: number and what that asks.
            pointer: where it is asked, for an error.
        """
        found = []
        for n in range(len(fulfilled), -1, -1):
            for chosen in combinations(fulfilled, n):
                formula = self.space.both([*fits, *(asked for _, asked in chosen)])
                if formula is not self.space.false:
                    bits = sum(1 << wish for wish, _ in chosen)
                    found.append((bits, self.add(formula, pointer)))
        return found

    def _constant_object(self, members: tuple[tuple[str, Any], ...], pointer: str) -> ObjectDraft:
        names = [name for name, _ in members]
        options = [[(0, self.add(self.space.values([value]), pointer))] for _, value in members]
        bits = (1 << len(names)) - 1
        return ObjectDraft(of_texts(names), len(names), options, bits, 0, None, 0)

    def _objects_without(
        self, atoms: Atoms, gone: frozenset[Any], pointer: str
    ) -> list[ObjectDraft]:
        """Return the drafts of objects that are none of some values."""
        space = self.space
        parts: list[Formula] = [*atoms]
        for _, members in sorted(gone, key=sort_key):
            ways = []
            for name, value in members:
                keys: Keys = ("names", frozenset([name]))
                ways.append(space.all(keys, space.negate(space.values([value]))))
            others: Keys = ("other", frozenset(name for name, _ in members), ())
            ways.append(space.make("some", others, space.true))
            parts.append(space.either(ways))
        found = []
        for inner in self._alternatives.find(space.both(parts), "object", pointer):
            found += self._build_objects(inner, pointer)
        return found


class _MembersByName:
    """Finds what is asked of a name's value without looking at what is asked of other names."""

    def __init__(self, space: Space, alls: list[tuple[Keys, Formula]]) -> None:
        self._space, self._alls = space, alls
        self._named: dict[str, list[int]] = {}
        self._general = []
        for number, (keys, _) in enumerate(alls):
            if keys[0] == "names":
                for name in keys[1]:
                    self._named.setdefault(name, []).append(number)
            else:
                self._general.append(number)

    def fits(self, name: str) -> list[Formula]:
        """Return what is asked of the value of a name, in the order in which it was given."""
        found = list(self._named.get(name, ()))
        for number in self._general:
            if self._space.contains_key(self._alls[number][0], name):
                found.append(number)
        return [self._alls[number][1] for number in sorted(found)]


def _chosen_by(
    space: Space, name: str, wishes: list[tuple[Keys, Formula]]
) -> list[tuple[int, Formula]]:
    """Return the wishes that the member of a name can fulfil."""
    return [(n, asked) for n, (keys, asked) in enumerate(wishes) if space.contains_key(keys, name)]


def _is_plain(*parts: list[tuple[Keys, Formula]]) -> bool:
    """Return whether only names tell keys apart."""
    return all(
        keys[0] == "names" or keys[0] == "other" and not keys[2]
        for part in parts
        for keys, _ in part
    )


def _before(start: int, stop: int | None) -> bool:
    return stop is None or start < stop


def _sorted(atoms: Iterable[Formula]) -> list[Formula]:
    return sorted(atoms, key=lambda atom: atom.number)


def _bounds(atoms: Atoms, kind: str) -> tuple[int, int | None]:
    bounds = [atom.args for atom in atoms if atom.kind == kind]
    highs = [high for _, high in bounds if high is not None]
    return max((low for low, _ in bounds), default=0), min(highs, default=None)


def _unlabelled(dfa: CharDfa) -> CharDfa:
    """Return an automaton whose accepting states all have the label 0."""
    labels = [NO_LABEL if label == NO_LABEL else 0 for label in dfa.labels]
    return CharDfa(dfa.starts, dfa.classes, dfa.defaults, dfa.rows, labels, dfa.start)
