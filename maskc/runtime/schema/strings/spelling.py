r"""Which characters can begin with some bytes of a JSON string?

A token may end inside a character: after the first bytes of its UTF-8, after ``\``, or after some
digits of ``\uXXXX``. What is read of the character leaves ranges of characters that it can still
become, whatever an automaton makes of them.

Example: after ``\u004`` it is one of ``@`` to ``O``.
"""

from __future__ import annotations

import json

from maskc.runtime.schema.strings.strings import (
    ANY_ESCAPED,
    FIRST_BYTES,
    MUST_ESCAPED,
    SHORT_ESCAPES,
    SLASH,
)

# Characters from the first to the last, both included.
Ranges = tuple[tuple[int, int], ...]

_BACKSLASH = 0x5C
_PAIRS = (0x10000, 0x10FFFF)


def ranges_after(raw: bytes, *, minimal: bool) -> Ranges:
    r"""Return the characters that can begin with some bytes, which are not a whole one.

    Args:
        raw: at least one byte, with which some character begins.
        minimal: whether only what must be escaped may be.

    >>> ranges_after(b"\\u004", minimal=False), ranges_after(b"\xc3", minimal=False)
    (((64, 79),), ((192, 255),))
    """
    if raw[0] != _BACKSLASH:
        return (_of_utf8(raw),)
    escaped = MUST_ESCAPED if minimal else ANY_ESCAPED
    if len(raw) == 1:
        short = sorted(c for c in SHORT_ESCAPES.values() if c != SLASH or not minimal)
        return (*((c, c) for c in short), *escaped, *([] if minimal else [_PAIRS]))
    if len(raw) >= 6:
        return (_of_pair(raw),)
    n_left = 6 - len(raw)
    bits = int(raw[2:] or b"0", 16)
    low, high = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
    found = [
        (max(low, first), min(high, last))
        for first, last in escaped
        if max(low, first) <= min(high, last)
    ]
    if not minimal and low <= 0xDBFF and high >= 0xD800:
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
    if len(raw) == 1 and lead in FIRST_BYTES:
        first, last = FIRST_BYTES[lead]
        low = (bits << 6 | first & 0x3F) << 6 * (n_left - 1)
        high = ((bits << 6 | last & 0x3F) + 1 << 6 * (n_left - 1)) - 1
    return low, high


def _of_pair(raw: bytes) -> tuple[int, int]:
    r"""Return the characters after the first half of a pair, and some of ``\uDXXX`` after it."""
    base = 0x10000 + (int(raw[2:6], 16) - 0xD800 << 10)
    digits = raw[8:]
    if len(digits) < 2:
        return base, base + 0x3FF
    n_left = 4 - len(digits)
    bits = int(digits, 16)
    first, last = bits << 4 * n_left, (bits + 1 << 4 * n_left) - 1
    return base + max(first, 0xDC00) - 0xDC00, base + min(last, 0xDFFF) - 0xDC00


def decode_character(raw: bytes) -> str:
    """Return the character that some bytes write."""
    if raw[0] != _BACKSLASH:
        return raw.decode()
    if raw[1] != ord("u"):
        return chr(SHORT_ESCAPES[raw[1]])
    code = int(raw[2:6], 16)
    if len(raw) > 6:
        code = 0x10000 + (code - 0xD800 << 10) + int(raw[8:], 16) - 0xDC00
    return chr(code)


def decode_body(raw: bytes) -> str:
    """Return the characters of a string's body."""
    text: str = json.loads(b'"' + raw + b'"')
    return text


def write_body(text: str) -> bytes:
    """Return the characters of a string as they stand in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


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


def begins(text: str, raw: bytes, *, minimal: bool) -> bool:
    r"""Return whether some spelling of a text's characters begins with a string's body.

    Args:
        text: a whole string, decoded.
        raw: what has been read of one.
        minimal: whether only what must be escaped may be.

    >>> begins("ab", b"\\u0061", minimal=False), begins("ab", b"a\\u007", minimal=False)
    (True, False)
    """
    prefix, begun = split_body(raw)
    if not text.startswith(prefix):
        return False
    if not begun:
        return True
    ranges = ranges_after(begun, minimal=minimal) if len(text) > len(prefix) else ()
    return any(low <= ord(text[len(prefix)]) <= high for low, high in ranges)
