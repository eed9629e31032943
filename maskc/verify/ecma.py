r"""A pattern of JSON Schema (ECMA-262, of code points) as one that means the same to ``re``.

It is written for the judge and shares nothing with the compiler's reader. What only looks the same
in both is written out: ``\d``, ``\w``, ``\s`` and ``\b`` are about few characters in ECMA-262,
``$`` is the very end, ``.`` leaves out four line breaks, ``[^]`` is any character.

Source: ECMA-262, 22.2.1 (patterns) and annex B.1.2 (signs and escapes that mean themselves).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import regex

Range = tuple[int, int]
Ranges = tuple[Range, ...]

_LAST = 0x10FFFF
_DIGITS: Ranges = ((0x30, 0x39),)
_WORDS: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_BLANKS: Ranges = ((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A))
_BLANKS += ((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_BLANKS += ((0xFEFF, 0xFEFF),)
_LINES: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _BLANKS}
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B, "0": 0x00}

_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_NUMBERED = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_CONTROL, _PROPERTY = re.compile(r"\\c([A-Za-z])"), re.compile(r"\\([pP])\{([^}]*)\}")
_QUANTIFIER = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_NAMED = re.compile(r"\(\?<[^=!>][^>]*>")


def to_python(pattern: str) -> str:
    """Return the pattern as ``re`` reads it.

    Raises:
        ValueError: it is no pattern, or ``re`` has nothing like it.
    """
    written = "".join(_translate(pattern))
    try:
        re.compile(written)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return written


def _translate(pattern: str) -> Iterator[str]:
    index = 0
    while index < len(pattern):
        sign = pattern[index]
        if sign == "[":
            ranges, index = _read_class(pattern, index)
            yield _write(ranges)
            continue
        if sign == "\\":
            found, end = _read_escape(pattern, index)
            name = pattern[index:end]
            if name in ("\\b", "\\B"):
                yield _write_boundary(is_one=name == "\\b")
            else:
                yield re.escape(chr(found)) if isinstance(found, int) else _write(found)
            index = end
            continue
        named, counted = _NAMED.match(pattern, index), _QUANTIFIER.match(pattern, index)
        if named is not None:
            yield "("
            index = named.end()
            continue
        if counted is not None:
            yield counted[0]
            index = counted.end()
            continue
        yield {
            "$": r"\Z",
            ".": _write(_complement(_LINES)),
            "{": r"\{",
            "}": r"\}",
            "]": r"\]",
        }.get(sign, sign)
        index += 1


def _read_class(pattern: str, index: int) -> tuple[Ranges, int]:
    """Return what the brackets at an index hold, and where they end."""
    index += 1
    is_other = pattern.startswith("^", index)
    index += is_other
    ranges: list[Range] = []
    while not pattern.startswith("]", index):
        low, index = _read_member(pattern, index)
        if not isinstance(low, int):
            ranges += low
            continue
        high = low
        if pattern.startswith("-", index) and not pattern.startswith("-]", index):
            bound, after = _read_member(pattern, index + 1)
            # Before a class of characters the dash is one of them itself.
            if isinstance(bound, int):
                high, index = bound, after
        if high < low:
            raise ValueError("a range of characters ends before it begins")
        ranges.append((low, high))
    joined = _join(ranges)
    return (_complement(joined) if is_other else joined), index + 1


def _read_member(pattern: str, index: int) -> tuple[int | Ranges, int]:
    if index >= len(pattern):
        raise ValueError("brackets are not closed")
    if pattern[index] != "\\":
        return ord(pattern[index]), index + 1
    if pattern[index : index + 2] == "\\b":
        return 0x08, index + 2
    return _read_escape(pattern, index)


def _read_escape(pattern: str, index: int) -> tuple[int | Ranges, int]:
    """Return what an escape stands for, and where it ends."""
    if index + 1 == len(pattern):
        raise ValueError("an escape is not finished")
    sign = pattern[index + 1]
    pair = _PAIR.match(pattern, index)
    if pair is not None:
        high, low = (int(half, 16) for half in pair.groups())
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), pair.end()
    numbered = _NUMBERED.match(pattern, index)
    if numbered is not None:
        code = int(next(filter(None, numbered.groups())), 16)
        if code > _LAST:
            raise ValueError(f"there is no character {code:x}")
        return code, numbered.end()
    control, named = _CONTROL.match(pattern, index), _PROPERTY.match(pattern, index)
    if control is not None:
        return ord(control[1]) % 32, control.end()
    if named is not None:
        ranges = _list_property(named[2])
        return (ranges if named[1] == "p" else _complement(ranges)), named.end()
    if sign.lower() in _CLASSES:
        ranges = _CLASSES[sign.lower()]
        return (ranges if sign.islower() else _complement(ranges)), index + 2
    return _CONTROLS.get(sign, ord(sign)), index + 2


@lru_cache(maxsize=64)
def _list_property(name: str) -> Ranges:
    name = name.removeprefix("General_Category=").removeprefix("gc=")
    try:
        matches = regex.compile(rf"\p{{{name}}}").match
    except regex.error as error:
        raise ValueError(str(error)) from None
    codes = (code for code in range(_LAST + 1) if matches(chr(code)))
    return _join([(code, code) for code in codes])


def _join(ranges: list[Range]) -> Ranges:
    """Return ranges in order, none touching another.

    >>> _join([(5, 6), (1, 2), (3, 4)])
    ((1, 6),)
    """
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return tuple(found)


def _complement(ranges: Ranges) -> Ranges:
    """Return all other characters; the ranges are in order.

    >>> _complement(((0, 9), (20, 0x10FFFF)))
    ((10, 19),)
    """
    lows = [0, *(high + 1 for _, high in ranges)]
    highs = [*(low - 1 for low, _ in ranges), _LAST]
    return tuple((low, high) for low, high in zip(lows, highs, strict=True) if low <= high)


def _write(ranges: Ranges) -> str:
    r"""Return brackets that hold some characters.

    >>> _write(((0x30, 0x39), (0x5D, 0x5D)))
    '[\\U00000030-\\U00000039\\U0000005d]'
    """
    if not ranges:
        return "(?!)"
    parts = (f"\\U{a:08x}" if a == b else f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges)
    return f"[{''.join(parts)}]"


def _write_boundary(*, is_one: bool) -> str:
    word = _write(_WORDS)
    pairs = (("(?<!", "(?="), ("(?<=", "(?!")) if is_one else (("(?<=", "(?="), ("(?<!", "(?!"))
    return "(?:" + "|".join(f"{before}{word}){after}{word})" for before, after in pairs) + ")"
