"""Short values of a JSON Schema, and short completions of an open one.

A value is as short as what it must have: the keys that are required, as many items and characters
as there must be. What is shortest at a position depends on others, also on itself, so it is found
by iteration (Knuth 1977). What is open is finished level by level.

Of what items have to do with each other only the texts are looked at: where the machine refuses a
text, another one is searched for.

Example: after ``{"title": "a`` with title and price required the words are ``"`` and
``,"price":0}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import TypeVar

from maskc.errors import LimitError
from maskc.runtime.budget.completions import CompletionWriting, Proposal, Texts
from maskc.runtime.budget.strings import (
    ALL_LABELS,
    Folded,
    KeyAbstraction,
    ShortStrings,
    finish_number,
    list_ends,
)
from maskc.runtime.cache import ENTRY_BYTES
from maskc.runtime.machine import Hypotheses
from maskc.runtime.schema.machine import SchemaMachine
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
    STATE,
    STRING,
    VALUE,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.plan.arrays import ArrayRule
from maskc.runtime.schema.plan.objects import (
    CONSTRAINTS,
    N_MEMBERS,
    OTHERS,
    SEEN,
    Members,
    ObjectRule,
    list_bits,
)
from maskc.runtime.schema.plan.rules import ArrayEntry
from maskc.runtime.schema.strings.keys import OtherKeys, count_begun, has_key, unread_key
from maskc.runtime.step_budget import charge_steps

_MOST_BYTES = 20_000  # of a value, and of what finishes a level
_FAR_BYTES = 1_000_000  # what is unknown counts for so many
_MEMBER_STEPS = 5  # that writing a member takes
_Items = tuple[int, tuple[int, ...]]  # how many items an array has, and what is counted of them
_Here = TypeVar("_Here")
# What is missing with it, its length, its text, and what was read with it.
_Part = tuple[int, int, bytes, _Here]
_FILLERS = b"abcdefghijklmnopqrstuvwxyz .-0"


class JsonTexts(Texts):
    """Short texts of one schema."""

    def __init__(self, machine: SchemaMachine, writing: CompletionWriting) -> None:
        self._plan, self._strings = (
            machine.plan,
            ShortStrings(_find_filler(writing), machine.plan.layout.escapes),
        )
        self._abstraction = KeyAbstraction(machine, writing.index.tokens)
        # Position → its value, ``None`` if none is known.
        self._values: dict[int, bytes | None] = {}
        self._numbers: dict[int, bytes | None] = {}
        # Of an object and a label, the keys that were written, and those to come.
        self._keys: dict[tuple[ObjectRule, int], tuple[list[str], Iterator[tuple[str, int]]]] = {}
        # Of a node, how many bytes finish it with all below, and the first of these.
        self._ends = Folded(self._find_end)

    def propose(self, hypotheses: Hypotheses) -> Iterable[Proposal]:
        return sorted(map(self._ends.find, hypotheses[0].nodes))

    def stand_in(self, hypotheses: Hypotheses) -> Hypotheses:
        found = self._abstraction.stand_in(hypotheses[0])
        return hypotheses if found is hypotheses[0] else (found,)

    def key_at(self, hypotheses: Hypotheses) -> int:
        return self._abstraction.key_at(hypotheses[0])

    def _find_end(self, node: Node, below: list[tuple[int, bytes]]) -> tuple[int, bytes]:
        own, (n_below, following) = self._own(node[STATE]), min(below, default=(0, b""))
        return (_FAR_BYTES, b"") if own is None else (len(own) + n_below, own or following)

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
            asked = self._list_unknown(position)
            self._values.update(dict.fromkeys(asked))
            try:
                while sum(map(self._shorten, reversed(asked))):
                    pass
            except LimitError:
                for here in asked:
                    del self._values[here]
                raise
        return self._values[position]

    def _shorten(self, position: int) -> bool:
        before, found = self._values[position], self._find_shortest(position)
        if found is None or before is not None and len(before) <= len(found):
            return False
        self._values[position] = found
        return True

    def _list_unknown(self, position: int) -> list[int]:
        """Return the positions of what a value may have to have whose values are not known yet."""
        found, todo, plan = dict[int, None](), [position], self._plan
        while todo:
            here = todo.pop()
            if here in found or here in self._values:
                continue
            found[here] = None
            for rule in (plan.objects[n] for n in plan.position(here).objects):
                for label, options in enumerate(rule.options):
                    if rule.low or rule.n_constraints or rule.required >> label & 1:
                        todo += [child for _, child in options]
            for entry in (plan.arrays[n] for n in plan.position(here).arrays):
                if not entry.rule.can_close(*entry.rule.start):
                    parts = (part for _, options in entry.rule.pieces for _, part in options)
                    todo += [child for part in parts for child in entry.split(part)]
        return list(found)

    def _find_shortest(self, position: int) -> bytes | None:
        rules, plan = self._plan.position(position), self._plan
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
        rules, plan = self._plan.position(position), self._plan
        yield from (word for n, word in enumerate(LITERALS) if rules.literals >> n & 1)
        for n in rules.numbers:
            found = list_ends(plan.numbers[n], plan.numbers[n].start)
            yield from (text for text in found if text.isdigit())
        for rule in (plan.strings[n] for n in rules.strings):
            for text, _ in self._strings.keys(rule.body.dfa, rule.body.dfa.start, ALL_LABELS):
                if rule.low <= len(text) and (rule.high is None or len(text) <= rule.high):
                    yield b'"' + self._strings.write(text) + b'"'
        if rules.arrays or rules.objects:
            value = self.value(position)
            if value is not None and value[:1] in b"[{":
                yield value

    def _finish_object(self, rule: ObjectRule, members: Members, phase: int) -> bytes | None:
        list_parts = partial(self._list_members, rule)
        return _close(members, rule.can_close, list_parts, phase, b"}")

    def _list_members(
        self, rule: ObjectRule, members: Members, _before: Sequence[bytes]
    ) -> Iterator[_Part[Members]]:
        for label in _list_labels(rule, members):
            charge_steps(_MEMBER_STEPS)
            key = self._key_of(rule, label, members[OTHERS])
            for after, child in () if key is None else rule.enter(members, label, key):
                text = _after(b'"%s":' % self._strings.write(key or ""), self.value(child))
                if text is not None:
                    yield after[CONSTRAINTS].bit_count(), len(text), text, after

    def _key_of(self, rule: ObjectRule, label: int, others: OtherKeys) -> str | None:
        """Return a short key of a label that is not among others, ``None`` if none is known."""
        if (rule, label) not in self._keys:
            self._keys[rule, label] = [], self._strings.keys(rule.dfa, rule.dfa.start, 1 << label)
        known, rest = self._keys[rule, label]
        for at in count(count_begun(others, "") if label >= rule.n_names else 0):
            known += [key for key, _ in islice(rest, max(0, at + 1 - len(known)))]
            if at >= len(known) or not has_key(others, known[at]):
                return known[at] if at < len(known) else None
        return None

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
        _, number, (index, counts, values), phase, _ = state
        entry = self._plan.arrays[number]
        list_parts = partial(self._list_items, entry if values is not None else None, entry.rule)
        rule = entry.rule
        return _close((index, counts), lambda here: rule.can_close(*here), list_parts, phase, b"]")

    def _list_items(
        self, compared: ArrayEntry | None, rule: ArrayRule, here: _Items, before: Sequence[bytes]
    ) -> Iterator[_Part[_Items]]:
        used = set(before) if compared is not None and not compared.repeats else set()
        for after, child in rule.enter(*here):
            pairs = zip(rule.counters, after[1], strict=True)
            missing = sum(max(0, counter.low - n) for counter, n in pairs)
            for position in (child,) if compared is None else compared.split(child):
                text = self.value(position)
                if text in used:
                    others = self._list_values(position)
                    text = next((each for each in others if each not in used), None)
                if text is not None:
                    yield missing, len(text), text, after


def _close(
    here: _Here,
    can_close: Callable[[_Here], bool],
    list_parts: Callable[[_Here, Sequence[bytes]], Iterable[_Part[_Here]]],
    phase: int,
    bracket: bytes,
) -> bytes | None:
    """Return what closes a bracket: the parts that have to come, each time the best one."""
    found, n_bytes = list[bytes](), 0
    while not can_close(here) or phase == NEXT and not found:
        best = min(list_parts(here, found), default=None)
        if best is None or n_bytes > _MOST_BYTES:
            return None
        _, n_more, text, here = best
        found.append(text)
        n_bytes += n_more + 1
    return (b"," if found and phase == AFTER else b"") + b",".join(found) + bracket


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


def _find_filler(writing: CompletionWriting) -> str:
    """Return the character of which one token writes the most."""
    index = writing.index
    found: str | None = index.shared.get("filler")
    if found is None:
        texts = (text for text in index.texts if text[:1] in _FILLERS)
        runs = [text for text in texts if not text.strip(text[:1])]
        found = max(sorted(runs), key=len, default=_FILLERS[:1])[:1].decode()
        index.shared.keep("filler", found, ENTRY_BYTES)
    return found
