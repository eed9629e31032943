r"""The body of a JSON string, byte by byte: an automaton over characters, read as it is written.

A character is written in UTF-8 or escaped, so that ``\u0061`` is ``a``. Between two characters a
state is that of the automaton over characters; inside one it is what has been read of it, with all
that the rest can make of it. States are made when they are first reached, and have numbers.

Strings are sequences of Unicode characters: half of a surrogate pair alone is not one.

Example: with ``^a`` after ``\u00`` only ``61`` leads on.
"""

from __future__ import annotations

import threading
from typing import Any

from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.transitions import DEAD, only

UNKNOWN = -1
SHORT_ESCAPES = {0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9}
_QUOTE, _BACKSLASH, SLASH = 0x22, 0x5C, 0x2F
_HEX = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}
# Characters that may be written \uXXXX, by layout; pairs of surrogates only where any may be.
ANY_ESCAPED = ((0, 0xD7FF), (0xE000, 0xFFFF))
MUST_ESCAPED = ((0, 7), (0xB, 0xB), (0xE, 0x1F))
FIRST_BYTES = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}

_Key = tuple[Any, ...]


class Body:
    """The bytes of strings whose characters an automaton reads; shared by threads.

    Args:
        dfa: over characters.
        minimal: whether only what must be escaped may be.

    Attributes:
        characters: state → the state of ``dfa`` between two characters, ``UNKNOWN`` inside one.
        targets: state → states of ``dfa`` that the character under way can lead to; the own one
            between two characters.
    """

    def __init__(self, dfa: CharDfa, *, minimal: bool) -> None:
        self.dfa = dfa
        self._minimal = minimal
        self._escaped = MUST_ESCAPED if minimal else ANY_ESCAPED
        self._number: dict[_Key, int] = {}
        self._lock = threading.Lock()
        self._keys: list[_Key] = []
        self._begun: list[tuple[int, bytes] | None] = []
        self.characters: list[int] = []
        self.targets: list[frozenset[int]] = []
        self._known: list[dict[int, int]] = []
        self._add(("c", DEAD), frozenset())
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
        is_whole = key[0] == "c"
        self.characters.append(key[1] if is_whole else UNKNOWN)
        self._begun.append((key[1], b"") if is_whole else None)
        self.targets.append(targets)
        self._known.append({})
        self._keys.append(key)
        return len(self._keys) - 1

    def _character(self, state: int) -> int:
        return 0 if state == DEAD else self._add(("c", state), only(state))

    def _make(self, key: _Key, byte: int) -> int:
        kind = key[0]
        if kind == "c":
            return self._begin(key[1], byte)
        if kind == "escape":
            return self._escape(key[1], byte)
        if kind == "utf8":
            _, state, bits, n_left = key
            return self._continue(state, bits, n_left, byte) if 0x80 <= byte <= 0xBF else 0
        if kind == "first":
            # Inside a character whose first byte bounds the second.
            _, state, lead, n_left = key
            low, most = FIRST_BYTES[lead]
            bits = lead & (0x0F if lead < 0xF0 else 0x07)
            return self._continue(state, bits, n_left, byte) if low <= byte <= most else 0
        if kind == "same8":
            _, target, low, most, n_left = key
            if not low <= byte <= most:
                return 0
            return self._same8(target, 0x80, 0xBF, n_left - 1)
        return self._make_hex(key, byte)

    def _begin(self, state: int, byte: int) -> int:
        if byte < 0x20 or byte == _QUOTE:
            return 0
        if byte == _BACKSLASH:
            return self._escape_state(state)
        if byte < 0x80:
            return self._character(self.dfa.step(state, byte))
        if not 0xC2 <= byte <= 0xF4:
            return 0
        n_left = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        bits = byte & (0x1F, 0x0F, 0x07)[n_left - 1]
        low, high = bits << 6 * n_left, (bits + 1 << 6 * n_left) - 1
        first, last = FIRST_BYTES.get(byte, (0x80, 0xBF))
        if byte in FIRST_BYTES:
            low = max(low, (bits << 6 | first & 0x3F) << 6 * (n_left - 1))
            high = min(high, ((bits << 6 | last & 0x3F) + 1 << 6 * (n_left - 1)) - 1)
        targets = self.dfa.targets(state, low, high)
        if len(targets) == 1:
            return self._same8(next(iter(targets)), first, last, n_left)
        if byte in FIRST_BYTES:
            return self._add(("first", state, byte, n_left), targets - {DEAD})
        return self._add(("utf8", state, bits, n_left), targets - {DEAD})

    def _same8(self, target: int, low: int, high: int, n_left: int) -> int:
        if n_left == 0 or target == DEAD:
            return self._character(target)
        return self._add(("same8", target, low, high, n_left), only(target))

    def _continue(self, state: int, bits: int, n_left: int, byte: int) -> int:
        bits, n_left = bits << 6 | byte & 0x3F, n_left - 1
        if n_left == 0:
            return self._character(self.dfa.step(state, bits))
        targets = self.dfa.targets(state, bits << 6 * n_left, (bits + 1 << 6 * n_left) - 1)
        if len(targets) == 1:
            return self._same8(next(iter(targets)), 0x80, 0xBF, n_left)
        return self._add(("utf8", state, bits, n_left), targets - {DEAD})

    def _escape_state(self, state: int) -> int:
        targets = {self.dfa.step(state, c) for c in SHORT_ESCAPES.values() if c != SLASH}
        if not self._minimal:
            targets.add(self.dfa.step(state, SLASH))
            targets |= self.dfa.targets(state, 0x10000, 0x10FFFF)
        for low, high in self._escaped:
            targets |= self.dfa.targets(state, low, high)
        if targets == {DEAD}:
            return 0
        return self._add(("escape", state), frozenset(targets - {DEAD}))

    def _escape(self, state: int, byte: int) -> int:
        if byte == ord("u"):
            return self._hex(state, 0, 0)
        if byte not in SHORT_ESCAPES or byte == SLASH and self._minimal:
            return 0
        return self._character(self.dfa.step(state, SHORT_ESCAPES[byte]))

    def _hex(self, state: int, bits: int, n_read: int) -> int:
        r"""Return the state after some digits of ``\\uXXXX``."""
        n_left = 4 - n_read
        low, high = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
        targets: set[int] = set()
        plain = True
        covered = 0
        for first, last in self._escaped:
            if max(low, first) <= min(high, last):
                covered += min(high, last) - max(low, first) + 1
                targets |= self.dfa.targets(state, max(low, first), min(high, last))
        if not self._minimal and low <= 0xDBFF and high >= 0xD800:
            plain = False
            first, last = max(low, 0xD800) - 0xD800, min(high, 0xDBFF) - 0xD800
            targets |= self.dfa.targets(
                state, 0x10000 + (first << 10), 0x10000 + (last + 1 << 10) - 1
            )
        if not targets or targets == {DEAD}:
            return 0
        if n_left == 0:
            if plain:
                return self._character(next(iter(targets)))
            return self._pair(state, bits, 0, 0)
        if plain and len(targets) == 1 and covered == high - low + 1:
            target = next(iter(targets))
            return self._add(("same16", target, n_left), only(target))
        return self._add(("hex", state, bits, n_read), frozenset(targets - {DEAD}))

    def _pair(self, state: int, lead: int, bits: int, n_read: int) -> int:
        r"""Return the state after the first half of a pair, and ``n_read`` of ``\\uDXXX``."""
        base = 0x10000 + (lead - 0xD800 << 10)
        if n_read <= 3:
            low, high = base, base + 0x3FF
        else:
            n_left = 6 - n_read
            first, last = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
            low, high = base + max(first, 0xDC00) - 0xDC00, base + min(last, 0xDFFF) - 0xDC00
            if low > high:
                return 0
        targets = self.dfa.targets(state, low, high)
        if targets == {DEAD}:
            return 0
        if n_read == 6:
            return self._character(next(iter(targets)))
        if len(targets) == 1:
            target = next(iter(targets))
            return self._add(("samepair", target, n_read), only(target))
        return self._add(("pair", state, lead, bits, n_read), targets - {DEAD})

    def _make_hex(self, key: _Key, byte: int) -> int:
        kind = key[0]
        digit = _HEX.get(byte)
        if kind == "hex":
            _, state, bits, n_read = key
            return 0 if digit is None else self._hex(state, bits << 4 | digit, n_read + 1)
        if kind == "same16":
            _, target, n_left = key
            if digit is None:
                return 0
            if n_left == 1:
                return self._character(target)
            return self._add(("same16", target, n_left - 1), only(target))
        n_read = key[-1]
        if not _fits_pair(n_read, byte):
            return 0
        if kind == "samepair":
            target = key[1]
            if n_read == 5:
                return self._character(target)
            return self._add(("samepair", target, n_read + 1), only(target))
        _, state, lead, bits, _ = key
        return self._pair(state, lead, bits << 4 | digit if digit is not None else 0, n_read + 1)


def _fits_pair(n_read: int, byte: int) -> bool:
    r"""Return whether a byte may come after so many of the second half: ``\``, ``u``, digits."""
    if n_read == 0:
        return byte == _BACKSLASH
    if n_read == 1:
        return byte == ord("u")
    digit = _HEX.get(byte)
    if n_read == 2:
        return digit == 0xD
    if n_read == 3:
        return digit is not None and digit >= 0xC
    return digit is not None
