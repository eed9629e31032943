r"""Which characters are of a general category of Unicode?

Example: ``Lu`` and ``Uppercase_Letter`` are the capital letters.

Limits: other properties, as ``Script=Greek``, are not known: Python's own tables lack them.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from maskc.jsonschema.charsets import LAST, CharSet

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
