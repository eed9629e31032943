r"""Which code points does one character of a regular expression match?

Asked of ``re`` itself: the class is compiled alone and run once over every code point that
UTF-8 can encode. Case folding, ``\w``, negation and flags are then right by construction.

A set is a sorted tuple of inclusive ranges, e.g. ``[a-c]`` is ``((97, 99),)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

CodePoints = tuple[tuple[int, int], ...]

MAX_CODE_POINT = 0x10FFFF
ANY: CodePoints = ((0, 0xD7FF), (0xE000, MAX_CODE_POINT))

_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def literal_set(code_point: int, flags: int) -> CodePoints:
    """Return what a literal matches under ``re`` flags."""
    if not flags & re.IGNORECASE:
        return intersect_any(((code_point, code_point),))
    return class_set(f"[{_escape(code_point)}]", flags)


def items_set(items: list[tuple[Any, Any]], flags: int) -> CodePoints:
    """Return what a parsed ``[...]`` matches: the argument list of an ``IN`` node."""
    parts = []
    for opcode, argument in items:
        name = str(opcode)
        if name == "NEGATE":
            parts.append("^")
        elif name == "LITERAL":
            parts.append(_escape(argument))
        elif name == "RANGE":
            parts.append(f"{_escape(argument[0])}-{_escape(argument[1])}")
        else:
            parts.append(_CATEGORIES[str(argument)])
    return class_set(f"[{''.join(parts)}]", flags)


def _escape(code_point: int) -> str:
    return f"\\U{code_point:08x}"


@cache
def class_set(pattern: str, flags: int) -> CodePoints:
    """Return the code points that a one-character pattern matches.

    >>> class_set("[a-c]", 0)
    ((97, 99),)
    """
    kept = flags & (re.IGNORECASE | re.ASCII | re.DOTALL)
    return ranges_of(run[0] for run in re.finditer(f"(?:{pattern})+", every_character(), kept))


def ranges_of(runs: Iterable[str]) -> CodePoints:
    """Return the ranges of runs of :func:`every_character`, which leaves surrogates out."""
    ranges: list[tuple[int, int]] = []
    for run in runs:
        first, last = ord(run[0]), ord(run[-1])
        if first <= 0xD7FF and last >= 0xE000:
            ranges += [(first, 0xD7FF), (0xE000, last)]
        else:
            ranges.append((first, last))
    return tuple(ranges)


@cache
def every_character() -> str:
    """Return all characters that UTF-8 can encode, in order."""
    return "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, MAX_CODE_POINT + 1)))


def intersect_any(ranges: CodePoints) -> CodePoints:
    """Return the ranges without surrogates, which UTF-8 does not encode."""
    found = []
    for low, high in ranges:
        for any_low, any_high in ANY:
            if max(low, any_low) <= min(high, any_high):
                found.append((max(low, any_low), min(high, any_high)))
    return tuple(found)


def complement(ranges: CodePoints) -> CodePoints:
    """Return every encodable code point outside the ranges."""
    found, start = [], 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= MAX_CODE_POINT:
        found.append((start, MAX_CODE_POINT))
    return intersect_any(tuple(found))
