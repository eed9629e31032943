"""Is there a value of some kind that is none of a few, and does one fit?

We look at the few values part by part. If a part of a value can be other than in all of them, there
is one; else that part is as in some of them, and the rest is looked at among those. So each of the
few is followed once, however many values there are.

Example: of the pairs of Booleans ``[true, true]`` and ``[true, false]`` are not all: an item
``false`` is in none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from maskc.runtime.schema.machine.fields import Field, Fields
from maskc.runtime.schema.machine.nodes import LITERALS
from maskc.runtime.schema.machine.variety import Variety, list_bits
from maskc.runtime.schema.plan.objects import N_MEMBERS, OTHERS, SEEN, WISHES, Members, ObjectRule
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import Place
from maskc.runtime.schema.plan.values import Value, decimal_of, items_of, members_of, read_value
from maskc.runtime.schema.strings.other_keys import has_key, list_keys

_MOST_REMEMBERED = 1_000
LITERAL_VALUES = tuple(read_value(text) for text in LITERALS)
Rests = Sequence[Mapping[str, Value]]  # of each value, the members that are left
Tails = Sequence[tuple[Value, ...]]  # of each value, the items that are left


class Choices:
    """Finds values beside some others.

    Args:
        plan: what is asked.
        variety: of its positions.
    """

    def __init__(self, plan: Plan, variety: Variety) -> None:
        self._plan, self._variety = plan, variety
        self._texts: dict[frozenset[Value], list[str]] = {}

    def texts_of(self, values: Collection[Value]) -> list[str]:
        """Return the strings among some values, in ascending order."""
        # The values of an array are asked for again and again, and know their hash.
        known = values if isinstance(values, frozenset) else frozenset(values)
        found = self._texts.get(known)
        if found is None:
            found = sorted(value[1] for value in known if value[0] == "string")
            if len(self._texts) > _MOST_REMEMBERED:
                self._texts.clear()
            self._texts[known] = found
        return found

    def has_other(self, position: int, values: Collection[Value]) -> bool:
        """Return whether some value that fits a position is none of a few."""
        if not values or self._variety.of_position(position):
            return True
        plan = self._plan
        rules = plan.positions[position]
        if any(
            rules.literals >> n & 1 and value not in values
            for n, value in enumerate(LITERAL_VALUES)
        ):
            return True
        if rules.numbers:
            known = frozenset(values)
            if any(plan.numbers_without(n, known).is_satisfiable for n in rules.numbers):
                return True
        if rules.strings:
            texts = self.texts_of(values)
            strings = [plan.strings[n] for n in rules.strings]
            if any(rule.has_other(rule.body.dfa.start, rule.begin, "", texts) for rule in strings):
                return True
        if rules.arrays:
            tails = [items_of(value) for value in values if value[0] == "array"]
            starts = [(n, plan.arrays[n].start) for n in rules.arrays]
            if any(self.has_other_items(n, start, tails, more=False) for n, start in starts):
                return True
        rests = [members_of(value) for value in values if value[0] == "object"]
        return any(self.has_other_members(n, plan.objects[n].start, rests) for n in rules.objects)

    def fits(self, position: int, value: Value) -> bool:
        """Return whether a value fits a position."""
        plan, kind = self._plan, value[0]
        rules = plan.positions[position]
        if kind == "number":
            number = decimal_of(value)
            return number is not None and any(
                plan.numbers[n].has_value(number) for n in rules.numbers
            )
        if kind == "string":
            return any(self.fits_string(n, value[1]) for n in rules.strings)
        if kind == "array":
            items = items_of(value)
            return any(self.fits_items(n, plan.arrays[n].start, items) for n in rules.arrays)
        if kind == "object":
            members = members_of(value)
            return any(self.fits_members(n, plan.objects[n].start, members) for n in rules.objects)
        return bool(rules.literals >> LITERAL_VALUES.index(value) & 1)

    def fits_string(self, number: int, text: str) -> bool:
        """Return whether a string fits a rule."""
        return self._plan.strings[number].has(text)

    def ways(self, number: int, place: Place) -> Iterator[tuple[Place, int]]:
        """Yield the place after an array's next item, but for its value, with its position.

        Args:
            number: of the array's rule.
            place: where it is.
        """
        array = self._plan.arrays[number]
        for after, position in array.enter(place):
            if (
                after.values is None
                or self._variety.of_position(position)
                or self.has_other(position, array.barred(after))
            ):
                yield after, position

    def has_other_items(self, number: int, start: Place, tails: Tails, *, more: bool) -> bool:
        """Return whether an array can go on otherwise than in some ways.

        Args:
            number: of its rule.
            start: where it is.
            tails: the ways, item by item.
            more: whether at least one more item must come.
        """
        array = self._plan.arrays[number]
        open_: list[tuple[Place, int, Tails]] = [(start, 0, tails)]
        while open_:
            place, n_read, left = open_.pop()
            may_close = array.may_close(place) and (n_read > 0 or not more)
            if not left or may_close and all(len(tail) > n_read for tail in left):
                return True
            by_item: dict[Value, list[tuple[Value, ...]]] = {}
            for tail in left:
                if len(tail) > n_read:
                    by_item.setdefault(tail[n_read], []).append(tail)
            for after, position in self.ways(number, place):
                only = array.only(after)
                if only is None and self.has_other(position, array.barred(after).union(by_item)):
                    return True
                if any(v not in by_item and self.fits(position, v) for v in only or ()):
                    return True
                for item, some in by_item.items():
                    made = array.add(after, item)
                    if made is not None and self.fits(position, item):
                        open_.append((made, n_read + 1, some))
        return False

    def fits_items(
        self, number: int, start: Place, items: Sequence[Value], *, more: bool = False
    ) -> bool:
        """Return whether an array may go on with some items and end.

        Args:
            number: of its rule.
            start: where it is.
            items: that come.
            more: whether at least one must.
        """
        array = self._plan.arrays[number]
        places = {start} if items or not more else set()
        for item in items:
            found = {
                array.add(after, item)
                for place in places
                for after, position in array.enter(place)
                if self.fits(position, item)
            }
            places = {place for place in found if place is not None}
        return any(map(array.may_close, places))

    def has_other_members(
        self, number: int, start: Members, rests: Rests, *, more: bool = False
    ) -> bool:
        """Return whether an object can go on otherwise than in some ways.

        Args:
            number: of its rule.
            start: what has been read of it.
            rests: the members that come in each way.
            more: whether at least one must.
        """
        if not rests:
            return True
        rule, members = self._plan.objects[number].loosen(start)
        labels = rule.open_labels(members)
        fields: dict[str, int] = {}
        for key in dict.fromkeys(key for rest in rests for key in rest):
            label = _label_of(rule, key)
            if label >= 0 and labels >> label & 1 and not has_key(members[OTHERS], key):
                fields[key] = label
        if _has_more_keys(rule, members, labels, fields):
            return True
        left = [rest for rest in rests if rest.keys() <= fields.keys()]
        missing = rule.required & ~members[SEEN]
        known = [
            Field(
                key,
                tuple(rule.options[label]),
                label < rule.n_names and bool(missing >> label & 1),
            )
            for key, label in fields.items()
        ]
        return self._choose(
            Fields(known, max(rule.low, members[N_MEMBERS] + more), rule.high),
            (members[N_MEMBERS], members[WISHES]),
            left,
        )

    def _choose(self, fields: Fields, start: tuple[int, int], rests: Rests) -> bool:
        """Return whether some choice of members is none of a few.

        Args:
            fields: the members.
            start: how many were read, and the wishes that are left.
            rests: the choices, all of these members.
        """
        open_ = [(0, *start, rests)]
        while open_:
            place, n_members, wishes, left = open_.pop()
            if not fields.may_end(place, n_members, wishes):
                continue
            if not left:
                return True
            if place == len(fields.fields):
                continue
            key, options, is_needed = fields.fields[place]
            if not is_needed:
                without = [rest for rest in left if key not in rest]
                open_.append((place + 1, n_members, wishes, without))
            by_value: dict[Value, list[Mapping[str, Value]]] = {}
            for rest in left:
                if key in rest:
                    by_value.setdefault(rest[key], []).append(rest)
            for d, child in options:
                after = (place + 1, n_members + 1, wishes & ~d)
                if not fields.may_end(*after):
                    continue
                if self.has_other(child, by_value.keys()):
                    return True
                open_ += [
                    (*after, some) for value, some in by_value.items() if self.fits(child, value)
                ]
        return False

    def fits_members(
        self, number: int, start: Members, rest: Mapping[str, Value], *, more: bool = False
    ) -> bool:
        """Return whether an object may go on with some members, and no more.

        Args:
            number: of its rule.
            start: what has been read of it.
            rest: the members.
            more: whether at least one must come.
        """
        if more and not rest:
            return False
        rule, loose = self._plan.objects[number].loosen(start)
        ways = {(loose[SEEN], loose[WISHES])}
        for key, value in rest.items():
            label = _label_of(rule, key)
            if label < 0 or has_key(loose[OTHERS], key):
                return False
            bit = 1 << label if label < rule.n_names else 0
            ways = {
                (seen | bit, wishes & ~d)
                for seen, wishes in ways
                if not seen & bit
                for d, child in rule.options[label]
                if self.fits(child, value)
            }
        n = loose[N_MEMBERS] + len(rest)
        return any(rule.can_close((seen, loose[OTHERS], n, wishes)) for seen, wishes in ways)


def _label_of(rule: ObjectRule, key: str) -> int:
    state = rule.dfa.read(key)
    return rule.dfa.labels[state] if state > 0 else -1


def _has_more_keys(
    rule: ObjectRule, members: Members, labels: int, fields: Mapping[str, int]
) -> bool:
    """Return whether a key of some labels may come that is none of some fields."""
    if rule.has_endless(labels):
        return True
    known = list(fields.values())
    for label in list_bits(labels):
        n_known = known.count(label)
        if label >= rule.n_names:
            n_known += sum(_label_of(rule, key) == label for key in list_keys(members[OTHERS]))
        if n_known < rule.size_of(label):
            return True
    return False
