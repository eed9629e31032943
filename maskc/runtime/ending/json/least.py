"""How many tokens finish a JSON text at least?

The prices of a value are a matrix, from where in a token it begins to where in one it ends, and
what an object or an array must still have is a product of such matrices
(:mod:`maskc.runtime.ending.json.joints`). A value that may contain itself is found by iteration, as
the shortest derivations of a grammar are (Knuth 1977).

Three things are not asked, so that some texts need more than is said: whether keys and items
differ, what members and items are like that need not come, and how many characters a string of some
pattern has.

Example: an object with ``title`` and ``price`` takes nine tokens with llama3, as ``{"``, ``title``,
``":"``, ``","``, ``price``, ``":``, ``0``, ``}`` are tokens, and the end of sequence is one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from maskc.runtime.ending.json.any_json import AnyJson
from maskc.runtime.ending.json.joints import NEVER, Prices, least, times
from maskc.runtime.ending.json.orders import Orders
from maskc.runtime.ending.json.short_values import MOST_NODES, list_unknown
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    FIRST,
    LITERAL,
    NUMBER,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    STRING,
    VALUE,
    Configuration,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.machine.variety import list_bits
from maskc.runtime.schema.plan.arrays import ArrayRule
from maskc.runtime.schema.plan.objects import N_MEMBERS, SEEN, ObjectRule
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.tries.trie import ROOT

_MOST_KEYS = 32  # names that an open key may become, each of which is looked at
_MOST_REMEMBERED = 2_000  # ends of arrays and objects, by what they must still have


class JsonLeast:
    """The least numbers of tokens of one plan's texts.

    Args:
        plan: of the schema.
        usual: the prices of what any text has.
        finish: returns of the bottom of a stack int32[n_after], what finishes all that follows.
    """

    def __init__(self, plan: Plan, usual: AnyJson, finish: Callable[[Node], Prices]) -> None:
        self._plan, self._usual, self._finish = plan, usual, finish
        self._joints, self._leaves = usual.joints, usual.leaves
        self._values: dict[int, Prices] = {}  # by position
        self._keys: dict[tuple[int, int], Prices] = {}  # by rule and label
        self._arrays: dict[tuple[int, int], Prices] = {}
        self._objects: dict[tuple[int, int, int], Prices] = {}
        self._nodes: dict[int, Prices] = {}  # by serial

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        known = (self._values, self._keys, self._arrays, self._objects)
        n_tables = sum(len(tables) for tables in known)
        joints = self._joints
        return 4 * len(joints.after) * (len(joints.after) * n_tables + len(self._nodes))

    def tokens(self, here: Configuration) -> int:
        """Return a number of tokens, the end of sequence included, that fewer do not suffice."""
        return 1 + min(map(self._price, here.nodes))

    def value(self, position: int) -> Prices:
        """Return int32[n_begin, n_after], the prices of a value."""
        known = self._values.get(position)
        return self._solve(position) if known is None else known

    def _solve(self, position: int) -> Prices:
        """Return the same, with those of all that such a value must have."""
        order, todo = dict[int, None](), [position]
        while todo:
            here = todo.pop()
            if here not in order and here not in self._values:
                order[here] = None
                todo += self._list_children(here)
        for here in order:
            self._values[here] = self._find_flat(here)
        is_new = True
        while is_new:
            is_new = False
            for here in reversed(order):
                found = np.minimum(self._values[here], self._find_brackets(here))
                if not np.array_equal(found, self._values[here]):
                    self._values[here], is_new = found, True
        return self._values[position]

    def _list_children(self, position: int) -> Iterator[int]:
        """Yield the positions of what a value must have."""
        rules, plan = self._plan.positions[position], self._plan
        for rule in (plan.objects[n] for n in rules.objects):
            for label in list_bits(rule.required):
                yield from (child for _, child in rule.options[label])
        for array in (plan.arrays[n].rule for n in rules.arrays):
            for start, options in array.pieces:
                if start < array.low:
                    yield from (child for _, child in options)

    def _find_flat(self, position: int) -> Prices:
        """Return the prices of a value that has no brackets."""
        rules, plan, leaves = self._plan.positions[position], self._plan, self._leaves
        found = [self._usual.never]
        found += [leaves.whole_word(n) for n in range(3) if rules.literals >> n & 1]
        found += [leaves.whole_number(plan.numbers[n]) for n in rules.numbers]
        found += [leaves.whole_string(plan.strings[n]) for n in rules.strings]
        return least(found)

    def _find_brackets(self, position: int) -> Prices:
        """Return the prices of a value that is an array or an object, by what is known so far."""
        rules, joints, plan = self._plan.positions[position], self._joints, self._plan
        found = [self._usual.never]
        for array in (plan.arrays[n].rule for n in rules.arrays):
            if not array.low:
                found.append(joints.empty_array)
            if array.high != 0:
                first = times(joints.open_array, self._item(array, 0))
                found.append(times(first, self._end_array(array, 1)))
        for number in rules.objects:
            rule = plan.objects[number]
            needed = max(0, rule.low - rule.required.bit_count())
            if not rule.required and not needed:
                found.append(joints.empty_object)
            found.append(self._open_members(number, rule.required, needed, joints.open_object))
        return least(found)

    def _item(self, rule: ArrayRule, index: int) -> Prices:
        """Return the prices of an item; of one that need not come, those of any value."""
        if index >= rule.low:
            return self._usual.any
        return least((self._usual.never, *(self.value(child) for _, child in rule.options(index))))

    def _end_array(self, rule: ArrayRule, index: int) -> Prices:
        """Return the prices of what ends an array after some items."""
        can_grow = rule.high is None or index < rule.high
        found = self._usual.end_items if can_grow else self._joints.close_array
        if index >= rule.low:
            return found
        runs = []
        for _, stop in rule.pieces_from(index):
            until = rule.low if stop is None else min(stop, rule.low)
            runs.append((self._item(rule, index), until - index))
            index = until
            if index == rule.low:
                break
        for item, n_items in reversed(runs):
            found = _repeat(times(self._joints.next_value, item), n_items, found)
        return found

    def _key(self, number: int, label: int) -> Prices:
        """Return int32[n_keys, n_begin], the prices of a name, after its first quote, and colon."""
        known = self._keys.get((number, label))
        if known is None:
            body, reach = self._plan.key_bodies[number], self._plan.objects[number].keys.reach
            rows = [
                self._leaves.body(self._joints.ends, body, body.start, node, 1 << label, reach)
                for node in self._joints.keys.nodes
            ]
            known = self._keys[number, label] = times(np.stack(rows), self._joints.colon)
        return known

    def _member_value(self, rule: ObjectRule, label: int) -> Prices:
        return least((self._usual.never, *(self.value(child) for _, child in rule.options[label])))

    def _order(self, number: int, missing: int, needed: int) -> Orders:
        """Return the prices of what ends an object, whichever members come first.

        Args:
            number: of its rule.
            missing: names that must come.
            needed: so many other members must come.
        """
        rule, joints = self._plan.objects[number], self._joints
        # Of names that need not come, and others, one is any member, and they may come anywhere.
        is_open = bool(rule.allowed & ~rule.required)
        if rule.ordered and rule.allowed & ~rule.required & (1 << rule.n_names) - 1:
            # In order, other names come last, but these may come before those that must.
            needed = 0
        members = {}
        for label in list_bits(missing):
            member = times(self._key(number, label), self._member_value(rule, label))
            members[label] = times(joints.next_key, member)
        others = times(joints.next_key, self._usual.any_member)
        if is_open:
            members = {label: times(self._usual.more_members, m) for label, m in members.items()}
        end = self._usual.end_members if is_open else joints.close_object
        return Orders(members, (others, needed), end, is_ordered=rule.ordered)

    def _open_members(self, number: int, missing: int, needed: int, opened: Prices) -> Prices:
        """Return the prices of the members and the end of an object of which none was read.

        Args:
            number: of its rule.
            missing: names that must come.
            needed: so many other members must come.
            opened: the prices of what comes before, up to the quote of the first key.
        """
        rule, order = self._plan.objects[number], self._order(number, missing, needed)
        found = [np.full((*opened.shape[:-1], len(self._joints.after)), NEVER, dtype=np.int32)]
        for label in list_bits(missing):
            if order.may_be_first(label):
                member = times(self._key(number, label), self._member_value(rule, label))
                found.append(times(times(opened, member), order.end(label)))
        if rule.allowed & ~rule.required:
            rest = order if not needed else self._order(number, missing, needed - 1)
            found.append(times(times(opened, self._usual.any_member), rest.end(None)))
        return least(found)

    def _end_object(self, number: int, missing: int, needed: int) -> Prices:
        """Return the prices of what ends an object after a member."""
        key = (number, missing, needed)
        known = self._objects.get(key)
        if known is None:
            if len(self._objects) > _MOST_REMEMBERED:
                self._objects.clear()
            known = self._objects[key] = self._order(*key).end(None)
        return known

    def _end(self, state: State) -> Prices:
        """Return the prices of what ends an array or an object after an item or a member."""
        number = state[1]
        if state[0] == OBJECT:
            return self._end_object(number, *self._list_missing(state))
        key = (number, state[2])
        known = self._arrays.get(key)
        if known is None:
            if len(self._arrays) > _MOST_REMEMBERED:
                self._arrays.clear()
            known = self._arrays[key] = self._end_array(self._plan.arrays[number].rule, state[2])
        return known

    def _list_missing(self, state: State) -> tuple[int, int]:
        """Return the names that an object or its open key must have yet, and how many others."""
        rule, members = self._plan.objects[state[1]], read_members(state)
        missing = rule.required & ~members[SEEN]
        return missing, max(0, rule.low - members[N_MEMBERS] - missing.bit_count())

    def _after(self, top: Node) -> Prices:
        """Return int32[n_after], what finishes a node, after a value in it, and all below."""
        known = self._nodes
        if top[SERIAL] not in known and len(known) > MOST_NODES:
            known.clear()
        for node in list_unknown(top, known):
            below = [known[parent[SERIAL]] for parent in node[PARENTS]]
            if node[STATE][0] == END:
                known[node[SERIAL]] = self._finish(node)
            else:
                known[node[SERIAL]] = times(self._end(node[STATE]), least(below))
        return known[top[SERIAL]]

    def _price(self, node: Node) -> int:
        """Return how many tokens finish what is open in a node and below, after a token."""
        state, joints, leaves, plan = node[STATE], self._joints, self._leaves, self._plan
        kind = state[0]
        if kind == END:
            return int(self._finish(node)[0])
        if kind in (OBJECT, ARRAY) and state[3 if kind == OBJECT else 4] == AFTER:
            return int(self._after(node)[0])
        below = least(map(self._after, node[PARENTS]))
        if kind == VALUE:
            own = times(joints.first_value, self.value(state[1]))
        elif kind == LITERAL:
            own = leaves.word(state[1], state[2], ROOT)
        elif kind == STRING:
            own = leaves.string(plan.strings[state[1]], state[2], state[3], ROOT)
        elif kind == NUMBER:
            own = leaves.number(plan.numbers_without(state[1], state[3]), state[2], ROOT)
        elif kind == COLON:
            own = times(joints.colon[0], self.value(state[1]))
        elif kind == OBJECT:
            own = self._open_members(state[1], *self._list_missing(state), joints.first_key)
            if state[3] == FIRST and plan.objects[state[1]].can_close(read_members(state)):
                own = np.minimum(own, joints.close_object[0])
        elif kind == ARRAY:
            own = self._begin_array(state)
        else:
            own = self._end_key(state)
        return int((own + below).min())

    def _begin_array(self, state: State) -> Prices:
        """Return int32[n_after], what ends an array after its bracket or a comma."""
        rule, index = self._plan.arrays[state[1]].rule, state[2]
        values = least(
            (self._usual.never, *(self.value(child) for _, child in rule.options(index)))
        )
        item = times(self._joints.first_value, values)
        found = times(item, self._end_array(rule, index + 1))
        if state[4] == FIRST and not rule.low:
            found = np.minimum(found, self._joints.close_array[0])
        return found

    def _end_key(self, state: State) -> Prices:
        """Return int32[n_after], what ends an open key and its object."""
        _, number, _, at, _ = state
        rule, body = self._plan.objects[number], self._plan.key_bodies[number]
        missing, needed = self._list_missing(state)
        joints, leaves, ends = self._joints, self._leaves, self._joints.ends
        open_ = rule.keys.reach_of(body.targets[at]) & rule.open_labels(read_members(state))
        names = open_ & (1 << rule.n_names) - 1
        found = [np.full(len(joints.after), NEVER, dtype=np.int32)]
        is_many = names.bit_count() > _MOST_KEYS
        for label in list_bits(names & missing if is_many else names):
            key = leaves.body(ends, body, at, ROOT, 1 << label, rule.keys.reach)
            value = times(times(key, joints.colon), self._member_value(rule, label))
            is_missing = missing >> label & 1
            left = missing & ~(1 << label)
            more = needed if is_missing else max(0, needed - 1)
            found.append(times(value, self._end_object(number, left, more)))
        others = open_ & ~names
        if others or is_many:
            key = leaves.characters.rest(ends, body, at, ROOT, 0)
            values = [self._member_value(rule, label) for label in list_bits(others)]
            value = self._usual.any if is_many else least(values)
            price = times(times(key, joints.colon), value)
            found.append(times(price, self._end_object(number, missing, max(0, needed - 1))))
        return least(found)


def _repeat(once: Prices, n_times: int, end: Prices) -> Prices:
    """Return the prices of so many times the same, and an end."""
    while n_times:
        if n_times & 1:
            end = times(once, end)
        once, n_times = times(once, once), n_times >> 1
    return end
