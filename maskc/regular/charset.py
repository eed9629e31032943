r"""The code points that one character of a regular expression matches.

What depends on Unicode is asked of ``re`` itself: ``\w`` and its like are run once over every code
point that UTF-8 can encode, and a class that ignores case over every character that has cases
(:func:`cased_characters`). Case folding and flags are then right by construction. The rest of a
class is ranges, their union, and its complement.

Of the properties ``\p{…}``, categories are those of Python's own Unicode. Scripts and binary
properties, such as ``Script=Latin``, ``Alphabetic`` and ``Emoji``, are asked of the package
``regex``, by its Unicode, for the names that ECMA-262 has.

A set is a sorted tuple of inclusive ranges, e.g. ``[a-c]`` is ``((97, 99),)``. The pattern
``[\p{ASCII_Hex_Digit}_]`` is ``[\U00000030-\U00000039…_]`` of ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from maskc.formats.character_sets import is_property, ranges_of_categories, split_category

CodePoints = tuple[tuple[int, int], ...]

MAX_CODE_POINT = 0x10FFFF
ANY: CodePoints = ((0, 0xD7FF), (0xE000, MAX_CODE_POINT))

_CHUNK = 256

_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}

_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)([^{}]*)\}|([A-Z]))")
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")


@lru_cache(maxsize=4096)
def literal_set(code_point: int, flags: int) -> CodePoints:
    """Return what a literal matches under ``re`` flags."""
    if not flags & re.IGNORECASE or chr(code_point) not in cased_characters():
        return intersect_any(((code_point, code_point),))
    return _match_cased(f"[{_escape(code_point)}]", flags)


@lru_cache(maxsize=1024)
def items_set(items: tuple[tuple[Any, Any], ...], flags: int) -> CodePoints:
    """Return what a parsed ``[...]`` matches: the argument list of an ``IN`` node."""
    parts, ranges, is_negated = [], list[tuple[int, int]](), False
    for opcode, argument in items:
        name = str(opcode)
        if name == "NEGATE":
            is_negated = True
        elif name == "LITERAL":
            parts.append(_escape(argument))
            ranges.append((argument, argument))
        elif name == "RANGE":
            parts.append(f"{_escape(argument[0])}-{_escape(argument[1])}")
            ranges.append(argument)
        else:
            parts.append(_CATEGORIES[str(argument)])
            ranges += class_set(parts[-1], flags & re.ASCII)
    found = unite(ranges)
    if flags & re.IGNORECASE:
        # What has no cases is matched by itself alone, and by a category that it is in.
        without = complement(unite([*complement(found), *_cased_ranges()]))
        found = unite([*without, *_match_cased(f"[{''.join(parts)}]", flags)])
    return complement(found) if is_negated else found


def any_set(flags: int) -> CodePoints:
    return ANY if flags & re.DOTALL else complement(((10, 10),))


@lru_cache(maxsize=1024)
def _match_cased(pattern: str, flags: int) -> CodePoints:
    kept = flags & (re.IGNORECASE | re.ASCII)
    found = re.compile(pattern, kept).findall(cased_characters())
    return unite([(ord(c), ord(c)) for c in found])


def unite(ranges: Iterable[tuple[int, int]]) -> CodePoints:
    """Return the code points of any of some ranges, without surrogates.

    >>> unite([(97, 99), (102, 102), (98, 100)])
    ((97, 100), (102, 102))
    """
    return intersect_any(merge(ranges))


def merge(ranges: Iterable[tuple[int, int]]) -> CodePoints:
    """Return the code points of any of some ranges, with surrogates."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return tuple(found)


@cache
def cased_characters() -> str:
    """Return the characters that another one may match where case is ignored, and some more.

    They are those that change with their case, and what these become.
    """
    every, found = every_character(), set[str]()
    for start in range(0, len(every), _CHUNK):
        chunk = every[start : start + _CHUNK]
        if chunk.lower() != chunk or chunk.upper() != chunk:
            for character in chunk:
                changed = character.lower() + character.upper()
                if changed != 2 * character:
                    found.update(character, changed)
    return "".join(sorted(found))


@cache
def _cased_ranges() -> CodePoints:
    return unite((ord(c), ord(c)) for c in cased_characters())


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
    points = np.concatenate([np.arange(low, high + 1, dtype="<u4") for low, high in ANY])
    return str(points.tobytes(), "utf-32-le")


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
    return intersect_any(negate(ranges))


def negate(ranges: CodePoints) -> CodePoints:
    """Return every code point outside the ranges, with surrogates."""
    found, start = [], 0
    for low, high in ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= MAX_CODE_POINT:
        found.append((start, MAX_CODE_POINT))
    return tuple(found)


_WHOLE: dict[str, CodePoints] = {"Any": ((0, MAX_CODE_POINT),), "ASCII": ((0, 127),)}


@lru_cache(maxsize=64)
def find_category(name: str) -> CodePoints | None:
    """Return the characters of a category by its name, ``None`` if it is none."""
    key, _, value = name.rpartition("=")
    inner = split_category(value) if key in ("", "gc", "General_Category") else None
    return None if inner is None else tuple(ranges_of_categories(inner))


class PropertyError(Exception):
    """A pattern names characters as ``re`` does not; the text says how, and what to write."""


@lru_cache(maxsize=64)
def find_property(name: str) -> CodePoints | None:
    """Return the characters of a property, ``None`` if there is none of this name.

    >>> find_property("ASCII_Hex_Digit")
    ((48, 57), (65, 70), (97, 102))
    """
    if name == "Assigned":
        unassigned = find_category("Cn")
        return None if unassigned is None else negate(unassigned)
    found = _WHOLE.get(name) or find_category(name)
    if found is not None or not is_property(name):
        return found
    # Loading it takes longer than most patterns.
    import regex

    try:
        runs = regex.compile(rf"\p{{{name}}}+").finditer(every_character())
    except regex.error:
        return None
    return ranges_of(run[0] for run in runs)


def write_properties(pattern: str) -> str:
    r"""Return a pattern of ``re`` with sets in the place of properties.

    Raises:
        PropertyError: there is no such property, or a set has a POSIX class.

    >>> write_properties(r"[^\p{ASCII}]")
    '[^\\U00000000-\\U0000007f]'
    """
    if "\\p" not in pattern and "\\P" not in pattern and "[:" not in pattern:
        return pattern
    found, at, in_set = list[str](), 0, False
    while at < len(pattern):
        named = _PROPERTY.match(pattern, at)
        if named is not None:
            ranges = _write(named)
            found.append(ranges if in_set else f"[{ranges}]")
            at = named.end()
            continue
        n = 2 if pattern[at] == "\\" else 1
        if in_set:
            posix = _POSIX.match(pattern, at)
            if posix is not None:
                fact = f"has the POSIX class {posix[0]}, which re reads as single characters"
                raise PropertyError(f"{fact}; write them, as a-zA-Z, or a property, as \\p{{L}}")
            in_set = pattern[at] != "]"
        elif pattern[at] == "[":
            in_set = True
            # A bracket that closes nothing yet stands for itself.
            n = len(re.match(r"\[\^?\]?", pattern[at:])[0])  # type: ignore[index]
        found.append(pattern[at : at + n])
        at += n
    return "".join(found)


def _write(named: re.Match[str]) -> str:
    """Return the characters of a property as they stand in a set."""
    letter, caret, inside, short = named.groups()
    name = short or inside
    characters = find_property(name)
    if characters is None:
        fact = f"has the property {name}, which is not known"
        raise PropertyError(f"{fact}; write one of ECMA-262, such as L, Script=Latin or Alphabetic")
    if (letter == "P") != bool(caret):
        characters = negate(characters)
    kept = intersect_any(characters)  # no text has surrogates
    if not kept:
        raise PropertyError(f"has {named[0]}, which is not a character of a text; leave it out")
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in kept)
