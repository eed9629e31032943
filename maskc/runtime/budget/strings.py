r"""Strings, keys and numbers of JSON texts: short completions, and what is left out of open ones.

Of the characters that lead from one state of a string's automaton to another, one is as good as any
other; the filler is preferred, of which one token writes the most.

Keys of an object must differ, and so each of them leads to a configuration of its own. But where
there are always more keys, how a text ends hardly depends on which there were, nor on what was read
of the open one: should it be one that was there, one more character makes another of it. So keys
are left out, and one configuration stands for thousands. How many characters a string has is left
out once they are enough, where any may follow and its quote ends it. All of this only if each byte
of a character is a token, so that one more character is one more token.

Example: of ``^[a-z]+-[0-9]$``, what finishes ``"ab`` is ``-0"``, and not ``b-0"``; of the numbers
of at least 34,007 the shortest is ``5e4``. Of ``{"type": "object"}``, ``{"a": 1, "b`` and
``{"xyz`` are one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import Final, Generic, TypeVar

from maskc.runtime.budget.completions import COMING_KEY, NO_KEY, OPEN_KEY
from maskc.runtime.schema.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    KEY,
    KIND,
    NEXT,
    OBJECT,
    PARENTS,
    PHASE,
    RULE,
    SERIAL,
    STATE,
    STRING,
    Configuration,
    Node,
    State,
    read_members,
)
from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.spellings import State as NumberState
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings import Body, write_body
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.keys import NO_KEYS, add_key, count_begun, unread_key
from maskc.runtime.schema.tries import ROOT, Trie
from maskc.runtime.step_budget import charge_steps

ALL_LABELS = -1  # as bits
_MOST_CHARACTERS = 10_000  # of one string
_MOST_STATES = 5_000  # of an automaton of keys, that are looked at for one key
_MOST_KEYS = 20_000  # ends of keys that are remembered
_STATE_STEPS = 30  # that the moves of one state take
_USUAL = "".join(map(chr, range(0x20, 0x7F)))
# Bytes with which a character can go on: of an escape, and of UTF-8.
_INSIDE = b'nu0123456789abcdefABCDEF\\"/bfrtdD' + bytes(range(0x80, 0xC0))

_MOST_NUMBERS = 500  # states that are looked at for one
_MOST_DIGITS = 400
_NUMBER_STEPS = 100  # that the moves of one state of a number take
_DIGITS = b"0123456789"
# In which order bytes are taken where digits are many: of a small number they are 0 up to one that
# ends it, and the greatest one that fits ends it at once, as a great exponent does.
_ORDERS = (_DIGITS + b"-.e", _DIGITS[::-1] + b"-.e", b"e-" + _DIGITS[::-1] + b".")
_FEW_DIGITS = 4

_State = TypeVar("_State")


def search(
    start: _State, list_moves: Callable[[_State], Iterable[tuple[int, _State]]], most: int
) -> Iterator[tuple[_State, tuple[int, ...]]]:
    """Yield states of an automaton, each with the shortest text to it, breadth first.

    ``list_moves`` returns the symbols that may follow a state, and where each leads.
    """
    todo, seen = deque[tuple[_State, tuple[int, ...]]]([(start, ())]), {start}
    while todo:
        here, text = todo.popleft()
        yield here, text
        for symbol, after in list_moves(here):
            if after not in seen and len(seen) < most:
                seen.add(after)
                todo.append((after, (*text, symbol)))


class ShortStrings:
    """Finds short ends of strings and keys, of which the filler is the preferred character."""

    def __init__(self, filler: str, escapes: str) -> None:
        self._escapes = escapes
        self._characters = filler + _USUAL.replace(filler, "")
        # By automaton and state: a character to each state that one leads to.
        self._successors: dict[tuple[CharDfa, int], dict[int, str]] = {}
        self._keys: dict[tuple[CharDfa, int, int], tuple[str, int] | None] = {}

    def write(self, characters: str) -> bytes:
        return write_body(characters, self._escapes)

    def rest(self, rule: StringRule, at: int, count: int) -> bytes | None:
        """Return what ends an open string, its quote included; ``None`` if that is too long."""
        if isinstance(rule, CustomRule):
            return rule.finish(at, count or rule.begin)
        opened = self._end_character(rule.body, at, rule, count)
        if opened is None:
            return None
        at, begun = opened
        count += bool(begun)
        most = None if rule.high is None else rule.high - count
        text = self._walk(rule.body.dfa, rule.body.characters[at], rule.low - count, most)
        return None if text is None else begun + self.write(text) + b'"'

    def key(self, body: Body, at: int, labels: int, wanted: int) -> tuple[bytes, int] | None:
        """Return what ends an open key, its quote included, and its label.

        It is one of some labels, as bits, and of the wanted ones if they can be reached.
        """
        opened = self._end_character(body, at)
        if opened is None:
            return None
        state = body.characters[opened[0]]
        found = self._find_key(body.dfa, state, labels & wanted)
        found = found or self._find_key(body.dfa, state, labels)
        return None if found is None else (opened[1] + self.write(found[0]) + b'"', found[1])

    def _find_key(self, dfa: CharDfa, state: int, labels: int) -> tuple[str, int] | None:
        known = (dfa, state, labels)
        if known not in self._keys:
            if len(self._keys) > _MOST_KEYS:
                self._keys.clear()
            self._keys[known] = next(self.keys(dfa, state, labels), None) if labels else None
        return self._keys[known]

    def keys(self, dfa: CharDfa, state: int, labels: int) -> Iterator[tuple[str, int]]:
        """Yield texts from a state on that get one of some labels, each with it.

        The shortest come first, then texts of other characters through the same states.
        """
        todo, n_left = deque([(state, "")]), _MOST_STATES
        entered: dict[int, int] = {}
        found = list[tuple[str, int]]()
        while todo and n_left:
            here, text = todo.popleft()
            label = dfa.labels[here]
            if label >= 0 and labels >> label & 1:
                found.append((text, label))
                yield text, label
            for target, character in self._list_successors(dfa, here).items():
                # More than once, as there may be several keys on a cycle.
                entered[target] = entered.get(target, 0) + 1
                if entered[target] <= len(text) + 1:
                    todo.append((target, text + character))
            n_left -= 1
        for text, label in found:
            yield from ((varied, label) for varied in self._vary(dfa, state, text))

    def _vary(self, dfa: CharDfa, state: int, text: str) -> Iterator[str]:
        """Yield other texts that lead through the same states."""
        options = list[str]()
        for character in text:
            charge_steps(_STATE_STEPS)
            target = dfa.step(state, ord(character))
            others = self._characters.replace(character, "")
            equal = [other for other in others if dfa.step(state, ord(other)) == target]
            options.append(character + "".join(equal))
            state = target
        for varied in islice(product(*options), 1, None):
            charge_steps(2)
            yield "".join(varied)

    def _list_successors(self, dfa: CharDfa, state: int) -> dict[int, str]:
        found = self._successors.get((dfa, state))
        if found is None:
            found = {}
            charge_steps(_STATE_STEPS)
            starts = (c for c in dfa.starts if not 0xD800 <= c <= 0xDFFF)
            for code in (*map(ord, self._characters), *starts):
                target = dfa.step(state, code)
                if target != DEAD and target not in found:
                    found[target] = chr(code)
            self._successors[dfa, state] = found
        return found

    def _walk(self, dfa: CharDfa, state: int, low: int, most: int | None) -> str | None:
        """Return a text from a state on, with so many characters at least and at most."""
        text: list[str] = []
        while low > 0 or dfa.labels[state] == NO_LABEL:
            if len(text) > _MOST_CHARACTERS:
                return None
            charge_steps(2)
            nearest, successors = dfa.nearest(state), self._list_successors(dfa, state)
            low, most = low - 1, None if most is None else most - 1
            for state, character in successors.items():  # noqa: B007  # what is found is gone on with
                if nearest > low:
                    if dfa.nearest(state) == nearest - 1:
                        break
                elif dfa.accepts_length(state, low, most):
                    break
            else:
                return None
            text.append(character)
        return "".join(text)

    def _end_character(
        self, body: Body, at: int, rule: StringRule | None = None, count: int = 0
    ) -> tuple[int, bytes] | None:
        """Return the state of a body where the open character has ended, and what ends it."""

        def list_moves(here: int) -> Iterator[tuple[int, int]]:
            charge_steps(_STATE_STEPS)
            for byte in _INSIDE:
                after = body.step(here, byte)
                n_read = count + (body.characters[after] >= 0)
                if after and (rule is None or rule.is_live(after, rule.cap(n_read))):
                    yield byte, after

        found = search(at, list_moves, _MOST_STATES)
        return next(((at, bytes(text)) for at, text in found if body.characters[at] >= 0), None)


def finish_number(numbers: Numbers, start: NumberState) -> bytes | None:
    """Return what ends a number, ``None`` if that takes too long to find."""
    for text in list_ends(numbers, start):
        return text
    ends = (_follow(numbers, start, order) for order in _ORDERS)
    return min((end for end in ends if end is not None), key=len, default=None)


def list_ends(numbers: Numbers, start: NumberState) -> Iterator[bytes]:
    """Yield what ends a number, the shortest first."""
    for here, text in search(start, lambda here: _list_steps(numbers, here), _MOST_NUMBERS):
        if numbers.may_end(here):
            yield bytes(text)


def _list_steps(numbers: Numbers, here: NumberState) -> list[tuple[int, NumberState]]:
    """Return the bytes that may come next, with the states after them.

    Where only bounds are asked for, a digit between others leads as far as any of them: 0, the
    least, the greatest, and one between them are enough.
    """
    charge_steps(_NUMBER_STEPS)
    steps = [(b, after) for b in _DIGITS + b".-e" if (after := numbers.step(here, b)) is not None]
    digits = [step for step in steps if step[0] in _DIGITS[1:]]
    if len(digits) > _FEW_DIGITS and numbers.has_bounds_only:
        kept = digits[0], digits[len(digits) // 2], digits[-1]
        return [step for step in steps if step in kept or step[0] not in _DIGITS[1:]]
    return steps


def _follow(numbers: Numbers, start: NumberState, order: bytes) -> bytes | None:
    """Return what ends a number that has many digits, of which the first that may come is taken."""
    here, text = start, bytearray()
    while not numbers.may_end(here) and len(text) < _MOST_DIGITS:
        charge_steps(_NUMBER_STEPS)
        for byte in order:
            after = numbers.step(here, byte)
            if after is not None:
                here = after
                text.append(byte)
                break
    return bytes(text) if numbers.may_end(here) else None


_MOST_NODES: Final = 20_000  # of which something is remembered
_Found = TypeVar("_Found")
_BACKSLASH, _FIRST_LEAD, _ESCAPE_BYTES = 0x5C, 0xC0, 6
_HALVES: Final = (b"d8", b"d9", b"da", b"db")
_WRITTEN: Final = (*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF5))
_MOST_LEFT_OUT: Final = 40  # of a text; one character makes another key of each


class Folded(Generic[_Found]):
    """What is found of a node from what is found of its parents, remembered by serial."""

    def __init__(self, find: Callable[[Node, list[_Found]], _Found]) -> None:
        self._find = find
        self._known: dict[int, _Found] = {}

    def find(self, top: Node) -> _Found:
        """Return what is found of a node, however deep it is."""
        known = self._known
        if top[SERIAL] in known:
            return known[top[SERIAL]]
        if len(known) > _MOST_NODES:
            known.clear()
        todo = [top]
        while todo:
            node = todo[-1]
            missing = [parent for parent in node[PARENTS] if parent[SERIAL] not in known]
            if missing:
                todo += missing
                continue
            todo.pop()
            charge_steps(2)
            known[node[SERIAL]] = self._find(node, [known[p[SERIAL]] for p in node[PARENTS]])
        return known[top[SERIAL]]


class KeyAbstraction:
    """Leaves keys and lengths out of one schema's texts."""

    def __init__(self, machine: SchemaMachine, trie: Trie) -> None:
        self._machine, self._plan = machine, machine.plan
        nodes = (trie.child(ROOT, byte) for byte in _WRITTEN)
        self._writes_all = all(node >= 0 and trie.n_ending[node] for node in nodes)
        self._nodes = Folded(self._find)

    def stand_in(self, here: Configuration) -> Configuration:
        """Return the configuration that stands for one; items that are compared keep their keys."""
        if here.captures or not self._writes_all:
            return here
        nodes = {node[SERIAL]: node for node in map(self._nodes.find, here.nodes)}
        if tuple(nodes) == tuple([node[SERIAL] for node in here.nodes]):
            return here
        return Configuration(tuple(nodes.values()), here.gap, here.text)

    def key_at(self, here: Configuration) -> int:
        for state in (node[STATE] for node in here.nodes if self._writes_all):
            is_keyed = state[KIND] == KEY or state[KIND] == OBJECT and state[PHASE] == NEXT
            if is_keyed and self._plan.objects[state[RULE]].has_classes:
                return OPEN_KEY if state[KIND] == KEY else COMING_KEY
        return NO_KEY

    def _find(self, node: Node, found: list[Node]) -> Node:
        state = self._forget(node[STATE])
        above = tuple({parent[SERIAL]: parent for parent in found}.values())
        is_same = state == node[STATE] and above == node[PARENTS]
        return node if is_same else self._machine.node(state, above)

    def _forget(self, state: State) -> State:
        if state[KIND] == STRING:
            string = self._plan.strings[state[RULE]]
            is_free = string.is_any and not isinstance(string, CustomRule)
            return (*state[:3], min(state[3], string.low), *state[4:]) if is_free else state
        if state[KIND] not in (OBJECT, KEY):
            return state
        rule, members = self._plan.objects[state[RULE]], read_members(state)
        seen, others, n_members, constraints = members
        is_free = rule.has_classes and rule.is_flat and rule.high is None and not constraints
        is_enough = rule.low <= n_members + (rule.required & ~seen).bit_count()
        if not is_free or not is_enough or rule.n_names + count_begun(others, "") > _MOST_LEFT_OUT:
            return state
        # In order, none of a name may come after others.
        kept = add_key(NO_KEYS, unread_key(rule.n_names)) if others and rule.ordered else NO_KEYS
        state = (*state[:2], (seen, kept, min(n_members, rule.low), constraints), *state[3:])
        if state[KIND] != KEY:
            return state
        is_whole = self._plan.key_bodies[state[RULE]].characters[state[3]] >= 0
        return (*state[:4], b"" if is_whole else _cut_character(state[4]))


def _cut_character(text: bytes) -> bytes:
    r"""Return the character of a key that is open, which may be two escapes.

    >>> _cut_character(b"a\\ud83d\\ude"), _cut_character(b"\xc3\xa9\xc3")
    (b'\\ud83d\\ude', b'\xc3')
    """
    first = max(at for at, byte in enumerate(text) if byte == _BACKSLASH or byte >= _FIRST_LEAD)
    before = text[max(0, first - _ESCAPE_BYTES) : first]
    is_pair = text[first] == _BACKSLASH and before[:2] == b"\\u" and before[2:4].lower() in _HALVES
    return before + text[first:] if is_pair else text[first:]
