"""Sets of characters, as ranges.

Example: ``[^a]`` is all characters but one, in two ranges.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

LAST = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)


class CharSet:
    """A set of characters as ascending, disjoint, inclusive ranges."""

    __slots__ = ("_hash", "_lows", "ranges")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        self.ranges = tuple(merged)
        self._lows = [low for low, _ in merged]
        self._hash = hash(self.ranges)

    def __contains__(self, character: int) -> bool:
        place = bisect_right(self._lows, character) - 1
        return place >= 0 and character <= self.ranges[place][1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharSet) and self.ranges == other.ranges

    def __hash__(self) -> int:
        return self._hash

    def negate(self) -> CharSet:
        found, start = [], 0
        for low, high in self.ranges:
            if start < low:
                found.append((start, low - 1))
            start = high + 1
        if start <= LAST:
            found.append((start, LAST))
        return CharSet(found)

    def of_texts(self) -> CharSet:
        """Return a set with the same characters, of which no class holds surrogates alone.

        No text has half of a surrogate pair, so what only these lead to cannot be reached. They
        are made to go with the character before them.

        >>> CharSet([(0xD83D, 0xD83D)]).of_texts().ranges
        ()
        """
        low, high = SURROGATES
        if low - 1 in self:
            return CharSet((*self.ranges, SURROGATES))
        kept = ((a, min(b, low - 1)) for a, b in self.ranges if a < low)
        return CharSet((*kept, *((max(a, high + 1), b) for a, b in self.ranges if b > high)))

    @property
    def starts(self) -> list[int]:
        """Where a character is in the set and the one before is not, or the other way round."""
        cuts = {0}
        for low, high in self.ranges:
            cuts.add(low)
            if high < LAST:
                cuts.add(high + 1)
        return sorted(cuts)


_LONG_NAMES = {
    "Letter": "L",
    "Lowercase_Letter": "Ll",
    "Uppercase_Letter": "Lu",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Number": "N",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "punct": "P",
    "Symbol": "S",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Other": "C",
    "Control": "Cc",
}
_CATEGORIES = frozenset(
    [
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "LC", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
        *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
        *("Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cs", "Co", "Cn"),
    ]
)


@lru_cache(maxsize=64)
def find_category(name: str) -> CharSet | None:
    """Return the characters of a category by its name, ``None`` if it is none."""
    _, equals, value = name.partition("=")
    if equals and name.partition("=")[0] not in ("gc", "General_Category"):
        return None
    short = _LONG_NAMES.get(value or name, value or name)
    if short == "Any":
        return CharSet([(0, LAST)])
    if short == "ASCII":
        return CharSet([(0, 127)])
    if short not in _CATEGORIES:
        return None
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else (short,)
    ranges, start = [], -1
    for code_point in range(LAST + 2):
        inside = code_point <= LAST and unicodedata.category(chr(code_point)).startswith(wanted)
        if inside and start < 0:
            start = code_point
        elif not inside and start >= 0:
            ranges.append((start, code_point - 1))
            start = -1
    return CharSet(ranges)
