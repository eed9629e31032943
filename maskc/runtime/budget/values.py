"""Short texts of a JSON Schema: which values are short, and what finishes what is open?

A value is as short as what it must have: the keys that are required, as many items and characters
as there must be. What is shortest at a position depends on others, also on itself, so it is found
by iteration (Knuth 1977). What is open is finished level by level.

Of what items have to do with each other only the texts are looked at: where the machine refuses a
text, another one is searched for.

Example: after ``{"title": "a`` with title and price required the words are ``"`` and
``,"price":0}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from maskc.runtime.budget.cells import Writing
from maskc.runtime.budget.completions import Texts
from maskc.runtime.budget.forgetting import Folded, Forgetting
from maskc.runtime.budget.strings import ALL_LABELS, ShortStrings, finish_number, list_ends, write
from maskc.runtime.effort import spend
from maskc.runtime.machine import Hypotheses
from maskc.runtime.schema.machine.machine import SchemaMachine
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
    STATE,
    STRING,
    VALUE,
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
from maskc.runtime.schema.strings.other_keys import OtherKeys, count_begun, has_key, unread_key

_MOST_BYTES = 20_000  # of a value, and of what finishes a level
_FAR_BYTES = 1_000_000  # what is unknown counts for so many
_MEMBER_STEPS = 5  # that writing a member takes
_FILLERS = b"abcdefghijklmnopqrstuvwxyz .-0"


class JsonTexts(Texts):
    """Short texts of one schema."""

    def __init__(self, machine: SchemaMachine, writing: Writing) -> None:
        self._plan, self._strings = machine.plan, ShortStrings(_find_filler(writing))
        self._forgetting = Forgetting(machine, writing.index.tokens)
        # Position → its value, ``None`` if none is known.
        self._values: dict[int, bytes | None] = {}
        self._numbers: dict[int, bytes | None] = {}
        # Of an object and a label, the keys that were written, and those to come.
        self._keys: dict[tuple[ObjectRule, int], tuple[list[str], Iterator[tuple[str, int]]]] = {}
        # Of a node, the bytes that finish it with all below, and what it goes on with below.
        self._lengths: Folded[tuple[int, Node | None]] = Folded(self._measure)

    def propose(self, hypotheses: Hypotheses) -> Iterator[bytes]:
        """Yield what finishes what is open on top."""
        for top in sorted(hypotheses[0].nodes, key=self._count):
            node: Node | None = top
            text: bytes | None = b""
            while node is not None and text == b"":
                text, node = self._own(node[STATE]), self._lengths.find(node)[1]
            if text:
                yield text

    def estimate(self, hypotheses: Hypotheses) -> int:
        """Return how many bytes are left."""
        return min(map(self._count, hypotheses[0].nodes))

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses without keys and lengths that do not matter for how they end."""
        found = self._forgetting.forget(hypotheses[0])
        return hypotheses if found is hypotheses[0] else (found,)

    def margin(self, hypotheses: Hypotheses) -> int:
        """Return one where a key may be one that was there."""
        return int(self._forgetting.is_key(hypotheses[0]))

    def _count(self, node: Node) -> int:
        return self._lengths.find(node)[0]

    def _measure(self, node: Node, found: list[tuple[int, Node | None]]) -> tuple[int, Node | None]:
        """Return how many bytes finish a node and all below, and which node is next."""
        spend(2)
        own = self._own(node[STATE])
        n_bytes = _FAR_BYTES if own is None else len(own)
        if not found:
            return n_bytes, None
        least = min(range(len(found)), key=lambda n: found[n][0])
        return n_bytes + found[least][0], node[PARENTS][least]

    def _own(self, state: State) -> bytes | None:
        """Return what finishes what is open on one level."""
        kind, number = state[0], state[1] if len(state) > 1 else 0
        if kind == END:
            return b""
        if kind == VALUE:
            return self.value(number)
        if kind == LITERAL:
            return LITERALS[number][state[2] :]
        if kind == STRING:
            return self._strings.rest(self._plan.strings[number], state[2], state[3])
        if kind == NUMBER:
            return finish_number(self._plan.numbers_without(number, state[3]), state[2])
        if kind == COLON:
            return _after(b":", self.value(number))
        if kind == OBJECT:
            return self._finish_object(self._plan.objects[number], read_members(state), state[3])
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
            found.append(_after(b'"', self._strings.rest(rule, rule.body.start, 0)))
        for n in rules.arrays:
            found.append(_after(b"[", self._own((ARRAY, n, plan.arrays[n].start, FIRST, 0))))
        for n in rules.objects:
            found.append(_after(b"{", self._own((OBJECT, n, plan.objects[n].start, FIRST))))
        return min((text for text in found if text is not None), key=len, default=None)

    def _list_values(self, position: int) -> Iterator[bytes]:
        """Yield some different values of a position."""
        rules, plan = self._plan.positions[position], self._plan
        yield from (word for n, word in enumerate(LITERALS) if rules.literals >> n & 1)
        for n in rules.numbers:
            found = list_ends(plan.numbers[n], plan.numbers[n].start)
            yield from (text for text in found if text.isdigit())
        for rule in (plan.strings[n] for n in rules.strings):
            for text, _ in self._strings.keys(rule.body.dfa, rule.body.dfa.start, ALL_LABELS):
                if rule.low <= len(text) and (rule.high is None or len(text) <= rule.high):
                    yield b'"' + write(text) + b'"'
        if rules.arrays or rules.objects:
            value = self.value(position)
            if value is not None and value[:1] in b"[{":
                yield value

    def _finish_object(self, rule: ObjectRule, members: Members, phase: int) -> bytes | None:
        """Return what finishes an open object: the members that have to come."""
        found: list[bytes] = []
        n_bytes = 0
        while not rule.can_close(members) or phase == NEXT and not found:
            best: tuple[int, int, bytes, Members] | None = None
            for label in _list_labels(rule, members):
                spend(_MEMBER_STEPS)
                key = self._key_of(rule, label, members[OTHERS])
                for after, child in () if key is None else rule.enter(members, label, key):
                    text = _after(b'"%s":' % write(key or ""), self.value(child))
                    if text is not None:
                        each = (after[WISHES].bit_count(), len(text), text, after)
                        best = each if best is None else min(best, each)
            if best is None:
                return None
            _, n_more, text, members = best
            found.append(text)
            n_bytes += n_more + 1
            if n_bytes > _MOST_BYTES:
                return None
        return _close(found, phase, b"}")

    def _key_of(self, rule: ObjectRule, label: int, others: OtherKeys) -> str | None:
        """Return a short key of a label that is not among others, ``None`` if none is known."""
        if (rule, label) not in self._keys:
            self._keys[rule, label] = [], self._strings.keys(rule.dfa, rule.dfa.start, 1 << label)
        known, rest = self._keys[rule, label]
        at = count_begun(others, "") if label >= rule.n_names else 0
        while True:
            while at >= len(known):
                key = next(rest, None)
                if key is None:
                    return None
                known.append(key[0])
            if not has_key(others, known[at]):
                return known[at]
            at += 1

    def _finish_key(self, state: State) -> bytes | None:
        _, number, _, at, _ = state
        members, rule = read_members(state), self._plan.objects[number]
        missing = rule.required & ~members[SEEN]
        found = self._strings.key(
            self._plan.key_bodies[number], at, rule.open_labels(members), missing
        )
        if found is None:
            return None
        text, label = found
        for after, child in rule.enter(members, label, unread_key(label)):
            value, rest = self.value(child), self._finish_object(rule, after, AFTER)
            if value is not None and rest is not None:
                return text + b":" + value + rest
        return None

    def _finish_array(self, state: State) -> bytes | None:
        """Return what finishes an open array: the items that have to come."""
        _, number, (index, counts, values), phase, _ = state
        entry = self._plan.arrays[number]
        rule, found = entry.rule, list[bytes]()
        n_bytes, used = 0, set[bytes]()
        while not rule.can_close(index, counts) or phase == NEXT and not found:
            best: tuple[int, int, bytes, int, tuple[int, ...]] | None = None
            for (after, after_counts), child in rule.enter(index, counts):
                pairs = zip(rule.counters, after_counts, strict=True)
                missing = sum(max(0, counter.low - n) for counter, n in pairs)
                for position in (child,) if values is None else entry.split(child):
                    text = self.value(position)
                    if text in used:
                        others = self._list_values(position)
                        text = next((each for each in others if each not in used), None)
                    if text is not None:
                        each = (missing, len(text), text, after, after_counts)
                        best = each if best is None else min(best, each)
            if best is None:
                return None
            _, n_more, text, index, counts = best
            found.append(text)
            n_bytes += n_more + 1
            if n_bytes > _MOST_BYTES:
                return None
            if values is not None and not entry.repeats:
                used.add(text)
        return _close(found, phase, b"]")


def _list_labels(rule: ObjectRule, members: Members) -> Iterable[int]:
    """Return the labels of which one comes next: that of a name that must, if one may wait."""
    labels = rule.open_labels(members)
    missing = rule.required & ~members[SEEN] & labels
    is_enough = members[N_MEMBERS] + missing.bit_count() >= rule.low
    if missing and (is_enough or not rule.ordered):
        return ((missing & -missing).bit_length() - 1,)
    return list_bits(labels)


def _after(before: bytes, text: bytes | None) -> bytes | None:
    return None if text is None else before + text


def _close(parts: list[bytes], phase: int, bracket: bytes) -> bytes:
    return (b"," if parts and phase == AFTER else b"") + b",".join(parts) + bracket


def _find_filler(writing: Writing) -> str:
    """Return the character of which one token writes the most."""
    index = writing.index
    found: str | None = index.shared.get("filler")
    if found is None:
        texts = (text for text in index.texts if text[:1] in _FILLERS)
        runs = [text for text in texts if not text.strip(text[:1])]
        found = max(sorted(runs), key=len, default=_FILLERS[:1])[:1].decode()
        index.shared.keep("filler", found)
    return found
