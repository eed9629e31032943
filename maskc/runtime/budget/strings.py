r"""Short completions of strings, keys and numbers of a JSON Schema.

Of the characters that lead from one state of a string's automaton to another, one is as good as any
other; the filler is preferred, of which one token writes the most.

Example: of ``^[a-z]+-[0-9]$``, what finishes ``"ab`` is ``-0"``, and not ``b-0"``; of the numbers
of at least 34,007 the shortest is ``5e4``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import TypeVar

from maskc.runtime.schema.numbers import Numbers
from maskc.runtime.schema.numbers.spellings import State as NumberState
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings import Body, write_body
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
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
