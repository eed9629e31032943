"""Short texts of a JSON Schema: which values are short, and what finishes what is open?

A value is as short as what it must have: the keys that are required, as many items and characters
as there must be. What is shortest at a position depends on others, also on itself, so it is found
by iteration (Knuth 1977). What is open is finished level by level.

What keys and items have to do with each other is not looked at: where the machine refuses a text,
another one is searched for.

Example: after ``{"title": "a`` with title and price required the words are ``"`` and
``,"price":0}``.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import islice

from maskc.runtime.budget.numbers import finish_number, list_ends
from maskc.runtime.budget.strings import ALL_LABELS, ShortStrings, write
from maskc.runtime.effort import spend
from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    FIRST,
    KEY,
    LITERAL,
    LITERALS,
    NEXT,
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
from maskc.runtime.schema.plan.objects import (
    N_MEMBERS,
    OTHERS,
    SEEN,
    WISHES,
    Members,
    ObjectRule,
    list_bits,
)
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.strings.other_keys import list_keys, unread_key

MOST_BYTES = 20_000  # of a value, and of what finishes a level
FAR_BYTES = 1_000_000  # what is unknown counts for so many
MOST_NODES = 20_000  # of which what finishes them is remembered
_MOST_KEYS = 1_000  # of one class
_MEMBER_STEPS = 5  # that writing a member takes


def list_unknown(top: Node, known: Container[int]) -> Iterator[Node]:
    """Yield a node and what is below it, as far as it is not known, each after its parents.

    Who takes them makes the serial of each known before the next one is asked for.
    """
    todo = [top]
    while todo:
        node = todo[-1]
        is_known = node[SERIAL] in known
        missing = [parent for parent in node[PARENTS] if parent[SERIAL] not in known]
        if missing and not is_known:
            todo += missing
            continue
        todo.pop()
        if not is_known:
            yield node


class ShortValues:
    """Short texts of one plan.

    Args:
        plan: of the schema.
        filler: a character for strings whose characters are free.

    Attributes:
        strings: short strings and keys.
    """

    def __init__(self, plan: Plan, filler: str) -> None:
        self._plan, self.strings = plan, ShortStrings(filler)
        # Position → its value, ``None`` if none is known.
        self._values: dict[int, bytes | None] = {}
        self._numbers: dict[int, bytes | None] = {}
        self._keys: dict[tuple[ObjectRule, int], list[str]] = {}
        # Of a node, by its serial: the bytes that finish it with all below, and what it goes on
        # with below.
        self._lengths: dict[int, tuple[int, Node | None]] = {}

    def measure(self, top: Node) -> tuple[int, Node | None]:
        """Return how many bytes finish a node and all below, and which node is next."""
        known, serial = self._lengths, top[SERIAL]
        if serial in known:
            return known[serial]
        if len(known) > MOST_NODES:
            known.clear()
        for node in list_unknown(top, known):
            spend(2)
            own = self.own(node)
            n_bytes = FAR_BYTES if own is None else len(own)
            below = min(node[PARENTS], key=lambda parent: known[parent[SERIAL]][0], default=None)
            n_below = known[below[SERIAL]][0] if below else 0
            known[node[SERIAL]] = (n_bytes + n_below, below)
        return known[serial]

    def rest(self, here: Configuration) -> bytes:
        """Return what finishes a text, as far as that is known."""
        node: Node | None = min(here.nodes, key=lambda each: self.measure(each)[0])
        found = bytearray()
        while node is not None and len(found) < MOST_BYTES:
            own = self.own(node)
            if own is None:
                break
            found += own
            node = self.measure(node)[1]
        return bytes(found)

    def propose(self, here: Configuration) -> Iterator[bytes]:
        """Yield what finishes what is open on top."""
        for top in sorted(here.nodes, key=lambda each: self.measure(each)[0]):
            node: Node | None = top
            text: bytes | None = b""
            while node is not None and text == b"":
                text, node = self.own(node), self.measure(node)[1]
            if text:
                yield text

    def own(self, node: Node) -> bytes | None:
        """Return what finishes what is open in a node, without what is below."""
        state = node[STATE]
        kind = state[0]
        if kind == END:
            return b""
        if kind == VALUE:
            return self.value(state[1])
        if kind == LITERAL:
            return LITERALS[state[1]][state[2] :]
        if kind == STRING:
            return self.strings.rest(self._plan.strings[state[1]], state[2], state[3])
        if kind == NUMBER:
            numbers = self._plan.numbers_without(state[1], state[3])
            return finish_number(numbers, state[2])
        if kind == COLON:
            value = self.value(state[1])
            return None if value is None else b":" + value
        if kind == OBJECT:
            return self.finish_object(self._plan.objects[state[1]], read_members(state), state[3])
        if kind == ARRAY:
            return self._finish_array(state)
        return self._finish_key(state) if kind == KEY else None

    def value(self, position: int) -> bytes | None:
        """Return a short value of a position, ``None`` if none is known."""
        if position not in self._values:
            self._solve(position)
        return self._values[position]

    def _solve(self, position: int) -> None:
        order, todo = dict[int, None](), [position]
        while todo:
            here = todo.pop()
            if here not in order and here not in self._values:
                order[here] = None
                todo += self._list_children(here)
        self._values.update(dict.fromkeys(order))
        is_new = True
        while is_new:
            is_new = False
            for here in reversed(order):
                before, found = self._values[here], self._find_shortest(here)
                if found is not None and (before is None or len(found) < len(before)):
                    self._values[here], is_new = found, True

    def _list_children(self, position: int) -> Iterable[int]:
        """Return the positions of what a value may have to have."""
        rules, plan = self._plan.positions[position], self._plan
        for rule in (plan.objects[n] for n in rules.objects):
            for label, options in enumerate(rule.options):
                if rule.low or rule.n_wishes or rule.required >> label & 1:
                    yield from (child for _, child in options)
        for entry in (plan.arrays[n] for n in rules.arrays):
            if not entry.rule.can_close(*entry.rule.start):
                for _, options in entry.rule.pieces:
                    yield from (child for _, part in options for child in entry.split(part))

    def _find_shortest(self, position: int) -> bytes | None:
        rules, plan = self._plan.positions[position], self._plan
        found: list[bytes | None] = []
        found += [word for n, word in enumerate(LITERALS) if rules.literals >> n & 1]
        for n in rules.numbers:
            if n not in self._numbers:
                self._numbers[n] = finish_number(plan.numbers[n], plan.numbers[n].start)
            found.append(self._numbers[n])
        for rule in (plan.strings[n] for n in rules.strings):
            text = self.strings.rest(rule, rule.body.start, 0)
            found.append(None if text is None else b'"' + text)
        for n in rules.arrays:
            text = self._finish_array((ARRAY, n, plan.arrays[n].start, FIRST, 0))
            found.append(None if text is None else b"[" + text)
        for n in rules.objects:
            text = self.finish_object(plan.objects[n], plan.objects[n].start, FIRST)
            found.append(None if text is None else b"{" + text)
        return min((text for text in found if text is not None), key=len, default=None)

    def _list_values(self, position: int) -> Iterator[bytes]:
        """Yield some different values of a position."""
        rules, plan = self._plan.positions[position], self._plan
        yield from (word for n, word in enumerate(LITERALS) if rules.literals >> n & 1)
        for n in rules.numbers:
            found = list_ends(plan.numbers[n], plan.numbers[n].start)
            yield from (text for text in found if text.isdigit())
        for rule in (plan.strings[n] for n in rules.strings):
            for text, _ in self.strings.keys(rule.body.dfa, rule.body.dfa.start, ALL_LABELS):
                if rule.low <= len(text) and (rule.high is None or len(text) <= rule.high):
                    yield b'"' + write(text) + b'"'
        if rules.arrays or rules.objects:
            value = self.value(position)
            if value is not None and value[:1] in b"[{":
                yield value

    def finish_object(self, rule: ObjectRule, members: Members, phase: int) -> bytes | None:
        """Return what finishes an open object."""
        chosen = self._choose_members(rule, members, must_come=phase == NEXT)
        if chosen is None:
            return None
        body = b",".join(text for _, text in sorted(chosen))
        text = (b"," if chosen and phase == AFTER else b"") + body + b"}"
        return text if len(text) <= MOST_BYTES else None

    def _choose_members(
        self, rule: ObjectRule, members: Members, *, must_come: bool
    ) -> list[tuple[int, bytes]] | None:
        """Return the members that have to come, each with its label."""
        wishes, missing = members[WISHES], rule.required & ~members[SEEN]
        chosen: list[tuple[int, bytes]] = []
        for label in list_bits(missing):
            member = self._write_member(rule, label, wishes, 0)
            if member is None:
                return None
            wishes &= ~member[0]
            chosen.append((label, member[1]))
        needed = max(rule.low - members[N_MEMBERS] - len(chosen), int(must_come and not chosen))
        if not needed and not wishes:
            return chosen
        rest = rule.allowed & ~missing & ~(members[SEEN] & (1 << rule.n_names) - 1)
        if rule.ordered:
            rest &= ~((1 << members[SEEN].bit_length()) - 1)
            if members[OTHERS]:
                rest &= ~((1 << rule.n_names) - 1)
        n_written = dict.fromkeys(list_bits(rest), len(list_keys(members[OTHERS])))
        while needed > 0 or wishes:
            if len(chosen) > MOST_BYTES // 4:
                return None
            best: tuple[int, int, bytes, int] | None = None
            for label, n_before in n_written.items():
                member = self._write_member(rule, label, wishes, n_before)
                if member is not None and (member[0] or needed > 0):
                    key = (-member[0].bit_count(), len(member[1]), member[1], label)
                    best = key if best is None else min(best, key)
            if best is None:
                return None
            member = self._write_member(rule, best[3], wishes, n_written[best[3]])
            wishes &= ~(member[0] if member else 0)
            chosen.append((best[3], best[2]))
            needed -= 1
            n_written[best[3]] += 1
            if best[3] < rule.n_names:
                del n_written[best[3]]
        return chosen

    def _write_member(
        self, rule: ObjectRule, label: int, wishes: int, n_before: int
    ) -> tuple[int, bytes] | None:
        """Return the wishes that a member with some key of a label fulfils, and its text."""
        spend(_MEMBER_STEPS)
        options = [
            (-(d & wishes).bit_count(), len(value), d & wishes, value)
            for d, child in rule.options[label]
            if (value := self.value(child)) is not None
        ]
        if not options:
            return None
        _, _, d, value = min(options)
        key = self._key_of(rule, label, n_before)
        return None if key is None else (d, b'"' + write(key) + b'":' + value)

    def _key_of(self, rule: ObjectRule, label: int, number: int) -> str | None:
        """Return the key of a name, or one of the keys of a class, the shortest first."""
        keys = self._keys.get((rule, label))
        if keys is None or len(keys) <= number < _MOST_KEYS:
            texts = self.strings.keys(rule.dfa, rule.dfa.start, 1 << label)
            keys = self._keys[rule, label] = [key for key, _ in islice(texts, 2 * number + 1)]
        return keys[number] if number < len(keys) else None

    def _finish_key(self, state: State) -> bytes | None:
        _, number, _, at, _ = state
        members = read_members(state)
        rule = self._plan.objects[number]
        missing = rule.required & ~members[SEEN]
        found = self.strings.key(
            self._plan.key_bodies[number], at, rule.open_labels(members), missing
        )
        if found is None:
            return None
        text, label = found
        for after, child in rule.enter(members, label, unread_key(label)):
            value, rest = self.value(child), self.finish_object(rule, after, AFTER)
            if value is not None and rest is not None:
                return text + b":" + value + rest
        return None

    def _finish_array(self, state: State) -> bytes | None:
        _, number, (index, counts, values), phase, _ = state
        entry = self._plan.arrays[number]
        rule, items = entry.rule, list[bytes]()
        n_bytes, used = 0, set[bytes]()
        while not rule.can_close(index, counts) or phase == NEXT and not items:
            best: tuple[int, int, bytes, int, tuple[int, ...]] | None = None
            for (after, after_counts), child in rule.enter(index, counts):
                missing = sum(
                    max(0, c.low - n) for c, n in zip(rule.counters, after_counts, strict=True)
                )
                for position in (child,) if values is None else entry.split(child):
                    text = self.value(position)
                    if text in used:
                        others = self._list_values(position)
                        text = next((each for each in others if each not in used), None)
                    if text is not None:
                        key = (missing, len(text), text, after, after_counts)
                        best = key if best is None else min(best, key)
            if best is None:
                return None
            _, n_more, text, index, counts = best
            items.append(text)
            n_bytes += n_more + 1
            if n_bytes > MOST_BYTES:
                return None
            if values is not None and not entry.repeats:
                used.add(text)
        return (b"," if items and phase == AFTER else b"") + b",".join(items) + b"]"
