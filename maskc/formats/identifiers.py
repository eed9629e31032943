"""The characters that may stand in the name of a group, ``(?<name>…)``.

They are those of identifiers (ECMA-262, 15th edition, 22.2.1: RegExpIdentifierName): ID_Start,
``$`` and ``_`` anywhere, ID_Continue and the two joiners after the first character, as UAX #31
derives them, of the Unicode that Python has.

Example: ``a1`` is a name, and ``1a`` is none.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_right
from functools import lru_cache

_STARTS = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Nl"])
_CONTINUES = _STARTS | {"Mn", "Mc", "Nd", "Pc"}
# $, _, and Other_ID_Start; Pattern_Syntax among letters.
_MORE_STARTS = frozenset([0x24, 0x5F, 0x1885, 0x1886, 0x2118, 0x212E, 0x309B, 0x309C])
_SYNTAX = 0x2E2F
# The joiners, and Other_ID_Continue.
_MORE_CONTINUES = _MORE_STARTS | {0x200C, 0x200D, 0xB7, 0x387, *range(0x1369, 0x1372), 0x19DA}


@lru_cache(maxsize=2)
def _ranges(*, is_first: bool) -> tuple[list[int], list[int]]:
    """Return the first and the last characters of ranges, ascending."""
    categories, more = (_STARTS, _MORE_STARTS) if is_first else (_CONTINUES, _MORE_CONTINUES)
    firsts, lasts = list[int](), list[int]()
    for code, category in enumerate(map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))):
        if code != _SYNTAX and (category in categories or code in more):
            if lasts and lasts[-1] == code - 1:
                lasts[-1] = code
            else:
                firsts.append(code)
                lasts.append(code)
    return firsts, lasts


@lru_cache(maxsize=2)
def name_ranges(*, is_first: bool) -> tuple[tuple[str, str], ...]:
    """Return ASCII, and ranges of the other characters that may stand in a name."""
    firsts, lasts = _ranges(is_first=is_first)
    pairs = zip(map(chr, firsts), map(chr, lasts), strict=True)
    return (("\0", "\x7f"), *(pair for pair in pairs if pair[0] > "\x7f"))


def has_identifier(low: int, high: int, *, is_first: bool) -> bool:
    """Return whether some character of a range may stand in a name.

    Args:
        low: the first character of the range.
        high: the last.
        is_first: whether the name begins with it.

    >>> has_identifier(0x30, 0x39, is_first=False), has_identifier(0x30, 0x39, is_first=True)
    (True, False)
    """
    firsts, lasts = _ranges(is_first=is_first)
    at = bisect_right(firsts, high) - 1
    return at >= 0 and lasts[at] >= low
