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

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.transitions import DEAD, only

UNKNOWN = -1
_MANY = 64  # bytes that are not looked up one by one
SHORT_ESCAPES = {0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9}
_QUOTE, _BACKSLASH, SLASH = 0x22, 0x5C, 0x2F
_HEX = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}
# Characters that may be written \uXXXX, by layout; pairs of surrogates only where any may be.
ANY_ESCAPED = ((0, 0xD7FF), (0xE000, 0xFFFF))
MUST_ESCAPED = ((0, 7), (0xB, 0xB), (0xE, 0x1F))
FIRST_BYTES = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}

# Kinds of states that lead to one state of the automaton, whatever comes of the character.
_TO_ONE = frozenset({"c", "same8", "same16", "samepair"})

# Kinds of states inside a character in which few bytes lead on, and these.
_BYTES_INSIDE = {
    "escape": frozenset({*SHORT_ESCAPES, ord("u")}),
    "hex": frozenset(_HEX),
    "pair": frozenset({_BACKSLASH, ord("u"), *_HEX}),
}

_Key = tuple[Any, ...]


class Body:
    """The bytes of strings whose characters an automaton reads.

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
        self._special: dict[tuple[int, int], frozenset[int] | None] = {}
        self._first: dict[int, frozenset[int] | None] = {}
        self._lock = threading.Lock()
        self._keys: list[_Key] = []
        self.characters: list[int] = []
        self.targets: list[frozenset[int]] = []
        self._known: list[dict[int, int]] = []
        self._table: NDArray[np.int32] | None = None
        self._add(("c", DEAD), frozenset())
        self.start = self._character(dfa.start)

    def step(self, state: int, byte: int) -> int:
        """Return the state after a byte; 0 if no character begins so."""
        known = self._known[state]
        found = known.get(byte)
        if found is None:
            found = self._make(self._keys[state], byte) if state else 0
            known[byte] = found
            if self._table is not None:
                self._table[state, byte] = found
        return found

    @property
    def table(self) -> NDArray[np.int32]:
        """int32[n, 256]: the next state, ``UNKNOWN`` where nobody asked yet."""
        if self._table is None:
            with self._lock:
                made = np.full((max(16, 2 * len(self._keys)), 256), UNKNOWN, dtype=np.int32)
                made[0] = 0
                for state, known in enumerate(self._known):
                    for byte, after in list(known.items()):
                        made[state, byte] = after
                self._table = made
        return self._table

    def key_of(self, state: int) -> tuple[Any, ...]:
        """Return what a state is, which does not depend on the order of visits."""
        return self._keys[state]

    def state_of(self, key: tuple[Any, ...], targets: frozenset[int]) -> int:
        """Return the state that is a key, of a body over an equal automaton."""
        return self._add(key, targets)

    def usual_target(self, state: int) -> int:
        """Return where most characters under way lead, if strings are free there, else ``DEAD``."""
        kind, target = self._keys[state][:2]
        if kind not in _TO_ONE:
            target = self.dfa.defaults[target]
        is_free = target != DEAD and not self.dfa.reader and self.dfa.is_free(target)
        return target if is_free else DEAD

    def leads_to(self, state: int, target: int) -> bool:
        """Return whether all that goes on from a state is what goes on from one between characters.

        Args:
            state: of the body.
            target: of the automaton, to which the rest of any character leads.
        """
        key = self._keys[state]
        return key[0] in _TO_ONE and key[1] == target

    def begun_before(self, target: int, key: tuple[Any, ...]) -> int:
        """Return the state inside a character that is the same as one of another body.

        Args:
            target: of the automaton: every character leads back to it.
            key: the other body's state.
        """
        kind = key[0]
        if kind == "escape":
            return self._escape_state(target)
        if kind == "hex":
            return self._hex(target, key[2], key[3])
        if kind == "pair":
            return self._pair(target, key[2], key[3], key[4])
        if kind == "utf8":
            return self._same8(target, 0x80, 0xBF, key[3])
        if kind == "first":
            low, high = FIRST_BYTES[key[2]]
            return self._same8(target, low, high, key[3])
        return self._add((kind, target, *key[2:]), only(target))

    def first_bytes(self, state: int) -> frozenset[int] | None:
        """Return bytes outside of which none leads on, ``None`` if they are many."""
        if state not in self._first:
            found: frozenset[int] | None = None
            at = self.characters[state]
            if at > DEAD and self.dfa.defaults[at] == DEAD:
                found = self._lead_bytes({k for k, t in self.dfa.rows[at].items() if t})
                if found is not None:
                    found |= {_QUOTE, _BACKSLASH}
            self._first[state] = found
        return self._first[state]

    def special_bytes(self, state: int, sink: int) -> frozenset[int] | None:
        """Return the bytes that may lead elsewhere than any string's would.

        Args:
            state: of the body.
            sink: the state of the automaton in which every character is free; all other bytes lead
                there, or nowhere in any string.

        Returns:
            ``None`` if they are many.
        """
        kind = self._keys[state][0]
        if kind != "c":
            return _BYTES_INSIDE.get(kind)
        key = (state, sink)
        if key not in self._special:
            dfa, at = self.dfa, self.characters[state]
            row, default = dfa.rows[at], dfa.defaults[at]
            kinds = {kind for kind in set(dfa.classes) if row.get(kind, default) != sink}
            found = self._lead_bytes(kinds)
            self._special[key] = None if found is None else found | {_QUOTE, _BACKSLASH}
        return self._special[key]

    def _lead_bytes(self, kinds: set[int]) -> frozenset[int] | None:
        """Return the first bytes of the characters of some classes, ``None`` if many."""
        found: set[int] = set()
        for low, high in self.dfa.ranges_of(kinds):
            if high - low >= _MANY or len(found) >= _MANY:
                return None
            for code in range(low, high):
                if code < 0x80:
                    found.add(code)
                elif code < 0x800:
                    found.add(0xC0 | code >> 6)
                else:
                    found.add(0xE0 | code >> 12 if code < 0x10000 else 0xF0 | code >> 18)
        return frozenset(found)

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
        number = len(self._keys)
        self.characters.append(key[1] if key[0] == "c" else UNKNOWN)
        self.targets.append(targets)
        self._known.append({})
        if self._table is not None and number == len(self._table):
            grown = np.full((2 * number, 256), UNKNOWN, dtype=np.int32)
            grown[:number] = self._table
            self._table = grown
        self._keys.append(key)
        return number

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
