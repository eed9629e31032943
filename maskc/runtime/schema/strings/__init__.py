r"""The body of a JSON string: how its characters are written, and an automaton over its bytes.

A character is written in UTF-8 or escaped. A token may end inside one: after the first bytes of its
UTF-8, after ``\``, or after some digits of ``\uXXXX``. What is read of the character leaves ranges
of characters that it can still become, whatever an automaton makes of them. Strings are sequences
of Unicode characters: half of a surrogate pair alone is not one.

A layout has one of these escapes: ``any``, as JSON allows; ``minimal``, only what must be escaped;
``ascii``, that and all beyond ASCII, as ``json.dumps`` writes it.

Between two characters a state of a :class:`Body` is that of the automaton over characters; inside
one it is what has been read of it, with all that the rest can make of it. Where that is one state
of the automaton, beginnings that the same bytes end are one state. States are made when they are
first reached, and have numbers.

Example: after ``\u004`` it is one of ``@`` to ``O``. With ``^a`` after ``\u00`` only ``61`` leads
on.
"""

from __future__ import annotations

import codecs
import json
import re
import threading
from typing import Final

from maskc.acyclic import mypyc_attr
from maskc.runtime.schema.strings.characters import DEAD, CharDfa, only

# Characters from the first to the last, both included.
Ranges = tuple[tuple[int, int], ...]

# What read_character says of bytes that are no whole character.
BEGUN: Final = -1
NONE: Final = -2

_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
_SLASH: Final = 0x2F
_SHORT_ESCAPES: Final = {0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13}
_SHORT_ESCAPES[0x74] = 9
ESCAPES: Final = ("any", "minimal", "ascii")
# Characters that may be written \uXXXX, by layout; pairs of surrogates but for minimal escapes.
_MUST_ESCAPED: Ranges = ((0, 7), (0xB, 0xB), (0xE, 0x1F))
_ESCAPED_AS: dict[str, Ranges] = {
    "any": ((0, 0xD7FF), (0xE000, 0xFFFF)),
    "minimal": _MUST_ESCAPED,
    "ascii": (*_MUST_ESCAPED, (0x7F, 0xD7FF), (0xE000, 0xFFFF)),
}
_PAIRS: Final = (0x10000, 0x10FFFF)
# Bytes that bound the one after them.
_SECOND_BYTES: Final = {
    0xE0: (0xA0, 0xBF),
    0xED: (0x80, 0x9F),
    0xF0: (0x90, 0xBF),
    0xF4: (0x80, 0x8F),
}
_HEX = rb"[0-9A-Fa-f]"
_LEAD, _TRAIL = rb"[Dd][89ABab]HH".replace(b"H", _HEX), rb"\\u[Dd][C-Fc-f]HH".replace(b"H", _HEX)
_ESCAPED: Final = re.compile(
    rb'\\["\\/bfnrt]|\\u(?:[0-9A-CEFa-cef]HHH|[Dd][0-7]HH)'.replace(b"H", _HEX)
    + rb"|\\u"
    + _LEAD
    + _TRAIL
)
_ESCAPING: Final = re.compile(
    rb"\\(?:u(?:H{0,3}|[Dd][89ABab]HH(?:\\(?:u(?:[Dd](?:[C-Fc-f]H?)?)?)?)?)?)?".replace(b"H", _HEX)
)
_UTF8: Final = codecs.getincrementaldecoder("utf-8")
UNKNOWN: Final = -1  # the character of a state inside one
# Characters of one byte that are written as they are.
_FIRST_PLAIN: Final = 0x20
_LAST_PLAIN: Final = 0x7F  # but for those two
_PLAIN: Final = re.compile(rb"[\x20\x21\x23-\x5b\x5d-\x7f]*")

# Whether any rest of the character leads to the state of the automaton that follows, or which one
# it is depends on what has been read from that state on; what has been read.
_Key = tuple[bool, int, bytes]


def read_character(raw: bytes, *, escapes: str) -> int:
    r"""Return the character that bytes of a string write, ``BEGUN`` if it is not whole.

    ``NONE`` if no character begins so.

    >>> read_character(b"\\u0041", escapes="any"), read_character(b"\xc3", escapes="any")
    (65, -1)
    """
    if raw[0] != _BACKSLASH:
        if raw[0] < 0x20 or raw[0] == _QUOTE or escapes == "ascii" and raw[0] > 0x7F:
            return NONE
        try:
            text = _UTF8().decode(raw)
        except UnicodeDecodeError:
            return NONE
        if text:
            return ord(text) if len(text) == 1 else NONE
        low, high = _SECOND_BYTES.get(raw[0], (0x80, 0xBF))
        return BEGUN if len(raw) == 1 or low <= raw[1] <= high else NONE
    if _ESCAPED.fullmatch(raw) is None:
        is_begun = _ESCAPING.fullmatch(raw) is not None and ranges_after(raw, escapes=escapes)
        return BEGUN if is_begun else NONE
    if raw[1] != ord("u"):
        return NONE if escapes != "any" and raw[1] == _SLASH else _SHORT_ESCAPES[raw[1]]
    code = int(raw[2:6], 16)
    if len(raw) > 6:
        code = 0x10000 + (code - 0xD800 << 10) + int(raw[8:], 16) - 0xDC00
        return NONE if escapes == "minimal" else code
    is_legal = any(low <= code <= high for low, high in _ESCAPED_AS[escapes])
    return code if is_legal else NONE


def ranges_after(raw: bytes, *, escapes: str) -> Ranges:
    r"""Return the characters that can begin with some bytes, which are not a whole one.

    Args:
        raw: at least one byte, with which some character begins.
        escapes: of the layout.

    >>> ranges_after(b"\\u004", escapes="any"), ranges_after(b"\xc3", escapes="any")
    (((64, 79),), ((192, 255),))
    """
    if raw[0] != _BACKSLASH:
        return (_of_utf8(raw),)
    escaped = _ESCAPED_AS[escapes]
    has_pairs = escapes != "minimal"
    if len(raw) == 1:
        short = sorted(c for c in _SHORT_ESCAPES.values() if c != _SLASH or escapes == "any")
        return (*((c, c) for c in short), *escaped, *([_PAIRS] if has_pairs else []))
    if len(raw) >= 6:
        return (_of_pair(raw),) if has_pairs else ()
    n_left = 6 - len(raw)
    bits = int(raw[2:] or b"0", 16)
    low, high = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
    found = [
        (max(low, first), min(high, last))
        for first, last in escaped
        if max(low, first) <= min(high, last)
    ]
    if has_pairs and low <= 0xDBFF and high >= 0xD800:
        first, last = max(low, 0xD800) - 0xD800, min(high, 0xDBFF) - 0xD800
        found.append((0x10000 + (first << 10), 0x10000 + (last + 1 << 10) - 1))
    return tuple(found)


def _of_utf8(raw: bytes) -> tuple[int, int]:
    lead = raw[0]
    n_bytes = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    bits = lead & (0x1F, 0x0F, 0x07)[n_bytes - 2]
    for byte in raw[1:]:
        bits = bits << 6 | byte & 0x3F
    n_left = n_bytes - len(raw)
    low, high = bits << 6 * n_left, (bits + 1 << 6 * n_left) - 1
    if len(raw) == 1 and lead in _SECOND_BYTES:
        first, last = _SECOND_BYTES[lead]
        low = (bits << 6 | first & 0x3F) << 6 * (n_left - 1)
        high = ((bits << 6 | last & 0x3F) + 1 << 6 * (n_left - 1)) - 1
    return low, high


def _of_pair(raw: bytes) -> tuple[int, int]:
    base = 0x10000 + (int(raw[2:6], 16) - 0xD800 << 10)
    digits = raw[8:]
    if len(digits) < 2:
        return base, base + 0x3FF
    n_left = 4 - len(digits)
    bits = int(digits, 16)
    first, last = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
    return base + max(first, 0xDC00) - 0xDC00, base + min(last, 0xDFFF) - 0xDC00


def rests_like(raw: bytes, *, escapes: str) -> bytes | None:
    r"""Return the beginning of a character that the same bytes end as another one.

    It is one for all that are alike, ``None`` where few are.

    >>> rests_like(b"\xe3\x81", escapes="any"), rests_like(b"\\u00e", escapes="any")
    (b'\xc2', b'\\u001')
    """
    if raw[0] != _BACKSLASH:
        if len(raw) == 1 and raw[0] in _SECOND_BYTES:
            return raw
        n_bytes = 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
        return (b"\xc2", b"\xe1", b"\xf1")[n_bytes - len(raw) - 1]
    if len(raw) >= 6:
        return b"\\ud800\\udc0"[: len(raw)]
    n_left = 6 - len(raw)
    if sum(high - low + 1 for low, high in ranges_after(raw, escapes=escapes)) != 16**n_left:
        return None
    return (b"\\u001", b"\\u01", b"\\u1")[n_left - 1] if n_left < 4 else None


def decode_body(raw: bytes) -> str:
    text: str = json.loads(b'"' + raw + b'"')
    return text


def write_body(text: str, escapes: str) -> bytes:
    """Return characters of a string as they stand in JSON."""
    return json.dumps(text, ensure_ascii=escapes == "ascii")[1:-1].encode()


def split_body(raw: bytes) -> tuple[str, bytes]:
    """Return the whole characters of a string's body, and what is read of the next one."""
    n_whole = len(raw)
    while True:
        try:
            text = decode_body(raw[:n_whole])
        except ValueError:
            n_whole -= 1
            continue
        if text and 0xD800 <= ord(text[-1]) <= 0xDFFF:
            n_whole -= 6  # the first half of a pair
            continue
        return text, raw[n_whole:]


def begins(text: str, raw: bytes, *, escapes: str) -> bool:
    r"""Return whether some spelling of a text's characters begins with a string's body.

    >>> begins("ab", b"\\u0061", escapes="any"), begins("ab", b"a\\u007", escapes="any")
    (True, False)
    """
    prefix, begun = split_body(raw)
    if not text.startswith(prefix):
        return False
    if not begun:
        return True
    ranges = ranges_after(begun, escapes=escapes) if len(text) > len(prefix) else ()
    return any(low <= ord(text[len(prefix)]) <= high for low, high in ranges)


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
