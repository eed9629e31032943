r"""How the characters of a JSON string are written, and which can begin with some bytes.

A character is written in UTF-8 or escaped. A token may end inside one: after the first bytes of its
UTF-8, after ``\``, or after some digits of ``\uXXXX``. What is read of the character leaves ranges
of characters that it can still become, whatever an automaton makes of them.

Strings are sequences of Unicode characters: half of a surrogate pair alone is not one.

A layout has one of these escapes: ``any``, as JSON allows; ``minimal``, only what must be escaped;
``ascii``, that and all beyond ASCII, as ``json.dumps`` writes it.

Example: after ``\u004`` it is one of ``@`` to ``O``.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Final

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
