r"""The body of a JSON string, byte by byte: an automaton over characters, read as it is written.

Between two characters a state is that of the automaton over characters; inside one it is what has
been read of it, with all that the rest can make of it. Where that is one state of the automaton,
beginnings that the same bytes end are one state. States are made when they are first reached, and
have numbers.

Example: with ``^a`` after ``\u00`` only ``61`` leads on.
"""

from __future__ import annotations

import re
import threading
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.strings.characters import DEAD, CharDfa, only
from maskc.runtime.schema.strings.spelling import BEGUN, ranges_after, read_character, rests_like

UNKNOWN: Final = -1
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
# Characters of one byte that are written as they are.
_FIRST_PLAIN: Final = 0x20
_LAST_PLAIN: Final = 0x7F  # but for those two
_PLAIN: Final = re.compile(rb"[\x20\x21\x23-\x5b\x5d-\x7f]*")

# Whether any rest of the character leads to the state of the automaton that follows, or which one
# it is depends on what has been read from that state on; what has been read.
_Key = tuple[bool, int, bytes]


@mypyc_attr(acyclic=True)
class Body:
    """The bytes of strings whose characters an automaton reads; shared by threads."""

    def __init__(self, dfa: CharDfa, *, escapes: str) -> None:
        self.dfa = dfa
        self.escapes = escapes  # of the layout
        self._lock = threading.Lock()
        # state of dfa → the state between two characters; inside one → the state
        self._between: dict[int, int] = {DEAD: 0}
        self._inside: dict[_Key, int] = {}
        self._keys: list[_Key] = [(False, DEAD, b"")]
        self._begun: list[tuple[int, bytes] | None] = [(DEAD, b"")]
        # state → the state of dfa between two characters, UNKNOWN inside one
        self.characters: list[int] = [DEAD]
        # state → states of dfa that the character under way can lead to; the own one between two
        # characters
        self.targets: list[frozenset[int]] = [frozenset()]
        # A state and a byte that is no plain character → the state after it.
        self._known: dict[int, int] = {}
        self.start = self._character(dfa.start)

    def step(self, state: int, byte: int) -> int:
        """Return the state after a byte; 0 if no character begins so."""
        character = self.characters[state]
        if character >= 0 and is_plain(byte):
            return self._character(self.dfa.step(character, byte))
        key = state << 8 | byte
        found = self._known.get(key)
        if found is None:
            found = self._make(self._keys[state], byte) if state else 0
            if self._begun[found] is None:
                at, before = self.begun(state)
                self._begun[found] = (at, before + bytes([byte]))
            self._known[key] = found
        return found

    def read_plain(self, state: int, text: bytes, first: int) -> tuple[int, int]:
        """Return the state after the plain characters from an index on, and the index after them.

        Args:
            state: between two characters.
            text: of which they are a part.
            first: where they begin.
        """
        dfa, here = self.dfa, self.characters[state]
        n_read, n_bytes = first, len(text)
        while n_read < n_bytes and here != DEAD and is_plain(text[n_read]):
            before, here = here, dfa.step(here, text[n_read])
            n_read += 1
            if here == before and dfa.is_free(here):
                rest = _PLAIN.match(text, n_read)
                n_read = rest.end() if rest else n_read
        return (self._character(here) if n_read > first else state), n_read

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

    def _character(self, state: int) -> int:
        found = self._between.get(state)
        if found is None:
            # Threads share it, and all lists grow together.
            with self._lock:
                found = self._between.get(state)
                if found is None:
                    found = self._append((False, state, b""), state, only(state))
                    self._between[state] = found
        return found

    def _add(self, key: _Key, targets: frozenset[int]) -> int:
        """Return the state inside a character."""
        found = self._inside.get(key)
        if found is None:
            with self._lock:
                found = self._inside.get(key)
                if found is None:
                    found = self._append(key, UNKNOWN, targets)
                    self._inside[key] = found
        return found

    def _append(self, key: _Key, character: int, targets: frozenset[int]) -> int:
        self.characters.append(character)
        self._begun.append(None if character < 0 else (character, b""))
        self.targets.append(targets)
        self._keys.append(key)
        return len(self._keys) - 1

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


def is_plain(byte: int) -> bool:
    """Return whether a byte between two characters is one of its own."""
    return _FIRST_PLAIN <= byte <= _LAST_PLAIN and byte != _QUOTE and byte != _BACKSLASH
