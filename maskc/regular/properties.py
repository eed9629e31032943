r"""Properties of Unicode, ``\p{…}``, as sets of characters, and in patterns of Python's ``re``.

Categories are those of Python's own Unicode. Scripts and binary properties, such as
``Script=Latin``, ``Alphabetic`` and ``Emoji``, are asked of the package ``regex``, by its Unicode,
for the names that ECMA-262 has.

Example: ``[\p{ASCII_Hex_Digit}_]`` is the pattern ``[\U00000030-\U00000039…_]`` of ``re``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from maskc.formats.ecma_sets import is_property
from maskc.regular.charset import (
    CodePoints,
    every_character,
    find_category,
    intersect_any,
    negate,
    ranges_of,
)

_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)([^{}]*)\}|([A-Z]))")
_POSIX = re.compile(r"\[:\^?[a-z]+:\]")


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
    found = find_category(name)
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
