r"""The body of a JSON string, byte by byte: an automaton over characters, read as it is written.

Between two characters a state is that of the automaton over characters; inside one it is what has
been read of it, with all that the rest can make of it. Where that is one state of the automaton,
beginnings that the same bytes end are one state. States are made when they are first reached, and
have numbers.

Example: with ``^a`` after ``\u00`` only ``61`` leads on.
"""

from __future__ import annotations

import threading
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.strings.characters import DEAD, CharDfa, only
from maskc.runtime.schema.strings.spelling import BEGUN, ranges_after, read_character, rests_like

UNKNOWN: Final = -1
_BACKSLASH: Final = 0x5C

# Whether any rest of the character leads to the state of the automaton that follows, or which one
# it is depends on what has been read from that state on; what has been read.
_Key = tuple[bool, int, bytes]


@mypyc_attr(acyclic=True)
class Body:
    """The bytes of strings whose characters an automaton reads; shared by threads."""

    def __init__(self, dfa: CharDfa, *, escapes: str) -> None:
        self.dfa = dfa
        self.escapes = escapes  # of the layout
        self._number: dict[_Key, int] = {}
        self._lock = threading.Lock()
        self._keys: list[_Key] = []
        self._begun: list[tuple[int, bytes] | None] = []
        # state → the state of dfa between two characters, UNKNOWN inside one
        self.characters: list[int] = []
        # state → states of dfa that the character under way can lead to; the own one between two
        # characters
        self.targets: list[frozenset[int]] = []
        self._known: list[dict[int, int]] = []
        self._add((False, DEAD, b""), frozenset())
        self.start = self._character(dfa.start)

    def step(self, state: int, byte: int) -> int:
        """Return the state after a byte; 0 if no character begins so."""
        known = self._known[state]
        found = known.get(byte)
        if found is None:
            found = self._make(self._keys[state], byte) if state else 0
            if self._begun[found] is None:
                at, before = self.begun(state)
                self._begun[found] = (at, before + bytes([byte]))
            known[byte] = found
        return found

    def read(self, raw: bytes) -> int:
        """Return the state after the first bytes of a string; 0 if none begins so."""
        state = self.start
        for byte in raw:
            state = self.step(state, byte)
        return state

    def begun(self, state: int) -> tuple[int, bytes]:
        """Return the state of ``dfa`` before the character under way, and what is read of it.

        Of all beginnings that lead to a state it is one, the first that did.
        """
        found = self._begun[state]
        if found is None:
            raise ValueError("nothing has led to this state")
        return found

    def _add(self, key: _Key, targets: frozenset[int]) -> int:
        number = self._number.get(key)
        if number is None:
            # Threads share it, and all lists grow together.
            with self._lock:
                number = self._number.get(key)
                if number is None:
                    number = self._append(key, targets)
                    self._number[key] = number
        return number

    def _append(self, key: _Key, targets: frozenset[int]) -> int:
        _, state, raw = key
        self.characters.append(UNKNOWN if raw else state)
        self._begun.append(None if raw else (state, b""))
        self.targets.append(targets)
        self._known.append({})
        self._keys.append(key)
        return len(self._keys) - 1

    def _character(self, state: int) -> int:
        return 0 if state == DEAD else self._add((False, state, b""), only(state))

    def _make(self, key: _Key, byte: int) -> int:
        is_settled, state, before = key
        raw = before + bytes([byte])
        code = read_character(raw, escapes=self.escapes)
        if code >= 0:
            return self._character(state if is_settled else self.dfa.step(state, code))
        if code != BEGUN:
            return 0
        targets: set[int] = {state} if is_settled else set()
        if not is_settled:
            for low, high in ranges_after(raw, escapes=self.escapes):
                targets |= self.dfa.targets(state, low, high)
        if len(targets) == 1 and DEAD not in targets:
            representative = rests_like(raw, escapes=self.escapes)
            if representative is not None:
                target = next(iter(targets))
                return self._add((True, target, representative), only(target))
        targets.discard(DEAD)
        if raw[0] == _BACKSLASH:
            raw = raw.lower()  # hexadecimal digits
        return self._add((False, state, raw), frozenset(targets)) if targets else 0
