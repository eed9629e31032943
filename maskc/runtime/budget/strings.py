r"""Short strings and keys of a JSON Schema: what finishes one that is open?

Of the characters that lead from one state of a string's automaton to another, one is as good as any
other; the filler is preferred, of which one token writes the most.

Example: of ``^[a-z]+-[0-9]$``, what finishes ``"ab`` is ``-0"``, and not ``b-0"``.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator

from maskc.runtime.effort import spend
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.strings.transitions import DEAD

ALL_LABELS = -1  # as bits
MOST_CHARACTERS = 10_000  # of one string
_MOST_STATES = 5_000  # of an automaton of keys, that are looked at for one key
_MOST_KEYS = 20_000  # ends of keys that are remembered
_MOST_WAYS = 50_000  # that are looked at for the widest character
_STATE_STEPS = 30  # that the moves of one state take
_MOST_WRITTEN = 6  # bytes of a character
_USUAL = "".join(map(chr, range(0x20, 0x7F)))
# Bytes with which a character can go on: of an escape, and of UTF-8.
INSIDE = b'nu0123456789abcdefABCDEF\\"/bfrtdD' + bytes(range(0x80, 0xC0))


def write(characters: str) -> bytes:
    """Return characters of a string as they stand in JSON."""
    return json.dumps(characters, ensure_ascii=False)[1:-1].encode()


class ShortStrings:
    """Finds short ends of strings and keys.

    Args:
        filler: the character that is preferred.
    """

    def __init__(self, filler: str) -> None:
        self._characters = filler + _USUAL.replace(filler, "")
        # By automaton and state: a character to each state that one leads to.
        self._ways: dict[tuple[CharDfa, int], dict[int, str]] = {}
        self._keys: dict[tuple[CharDfa, int, int], tuple[str, int] | None] = {}
        self._widest: dict[CharDfa, int] = {}

    def rest(self, rule: StringRule, at: int, count: int) -> bytes | None:
        """Return what ends an open string, its quote included; ``None`` if that is too long."""
        if isinstance(rule, CustomRule):
            return rule.finish(at, count or rule.begin)
        opened = self._end_character(rule.body, at, rule, count)
        if opened is None:
            return None
        begun, at = opened
        count += bool(begun)
        low = rule.low - count
        most = None if rule.high is None else rule.high - count
        text = self._walk(rule.body.dfa, rule.body.characters[at], low, most)
        return None if text is None else begun + write(text) + b'"'

    def key(self, body: Body, at: int, labels: int, wanted: int) -> tuple[bytes, int] | None:
        """Return what ends an open key, its quote included, and its label.

        Args:
            body: of the keys.
            at: its state.
            labels: that may come, as bits.
            wanted: those that must come, which are preferred.
        """
        opened = self._end_character(body, at)
        if opened is None:
            return None
        begun, at = opened
        state, dfa = body.characters[at], body.dfa
        found = self._find_key(dfa, state, labels & wanted) or self._find_key(dfa, state, labels)
        return None if found is None else (begun + write(found[0]) + b'"', found[1])

    def _find_key(self, dfa: CharDfa, state: int, labels: int) -> tuple[str, int] | None:
        """Return the shortest text from a state to one of some labels, and that label."""
        known = (dfa, state, labels)
        if known not in self._keys:
            if len(self._keys) > _MOST_KEYS:
                self._keys.clear()
            todo, seen = deque([(state, "")] if labels else []), {state}
            self._keys[known] = None
            while todo:
                here, text = todo.popleft()
                label = dfa.labels[here]
                if label >= 0 and labels >> label & 1:
                    self._keys[known] = (text, label)
                    break
                for target, character in self._list_ways(dfa, here).items():
                    if target not in seen and len(seen) < _MOST_STATES:
                        seen.add(target)
                        todo.append((target, text + character))
        return self._keys[known]

    def keys(self, dfa: CharDfa, state: int, labels: int) -> Iterator[tuple[str, int]]:
        """Yield texts from a state on, the shortest first, each with its label of some."""
        todo, n_left = deque([(state, "")]), _MOST_STATES
        entered: dict[int, int] = {}
        while todo and n_left:
            here, text = todo.popleft()
            label = dfa.labels[here]
            if label >= 0 and labels >> label & 1:
                yield text, label
            for target, character in self._list_ways(dfa, here).items():
                # More than once, as there may be several keys on a cycle.
                entered[target] = entered.get(target, 0) + 1
                if entered[target] <= len(text) + 1:
                    todo.append((target, text + character))
            n_left -= 1

    def _list_ways(self, dfa: CharDfa, state: int) -> dict[int, str]:
        found = self._ways.get((dfa, state))
        if found is None:
            found = {}
            spend(_STATE_STEPS)
            starts = (c for c in dfa.starts if not 0xD800 <= c <= 0xDFFF)
            for code in (*map(ord, self._characters), *starts):
                target = dfa.step(state, code)
                if target != DEAD and target not in found:
                    found[target] = chr(code)
            self._ways[dfa, state] = found
        return found

    def widest(self, dfa: CharDfa) -> int:
        """Return how many bytes write a character at most, of those that are taken."""
        found = self._widest.get(dfa)
        if found is None:
            found = _MOST_WRITTEN
            if dfa.n_states * len(dfa.starts) < _MOST_WAYS:
                states = (s for s in range(dfa.n_states) if s != DEAD)
                ways = (self._list_ways(dfa, state).values() for state in states)
                found = max((len(write(c)) for way in ways for c in way), default=1)
            self._widest[dfa] = found
        return found

    def _walk(self, dfa: CharDfa, state: int, low: int, most: int | None) -> str | None:
        """Return a text from a state on, with so many characters at least and at most."""
        text: list[str] = []
        while low > 0 or dfa.labels[state] == NO_LABEL:
            if len(text) > MOST_CHARACTERS:
                return None
            spend(2)
            nearest, ways = dfa.nearest(state), self._list_ways(dfa, state)
            low, most = low - 1, None if most is None else most - 1
            for state, character in ways.items():  # noqa: B007  # what is found is gone on with
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
    ) -> tuple[bytes, int] | None:
        """Return what ends the character that is open, and the state then."""
        todo, seen = deque([(at, b"")]), {at}
        while todo:
            here, text = todo.popleft()
            if body.characters[here] >= 0:
                return text, here
            spend(_STATE_STEPS)
            for byte in INSIDE:
                after = body.step(here, byte)
                if not after or after in seen:
                    continue
                is_whole = body.characters[after] >= 0
                if rule is None or rule.is_live(after, rule.cap(count + is_whole)):
                    seen.add(after)
                    todo.append((after, text + bytes([byte])))
        return None
