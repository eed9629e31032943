"""Makes the table of the characters that names of groups in patterns are made of.

Usage: python -m tools.identifier_table >
    maskc/runtime/schema/strings/identifier_table.py

ID_Start and ID_Continue are worked out as UAX #31 has it, of the Unicode Character Database in
Python 3.11's ``unicodedata`` (Unicode 14.0, Unicode License v3), so that whichever Python runs
reads the same patterns.
"""

from __future__ import annotations

import sys
import unicodedata
from itertools import groupby

_VERSION = "14.0.0"
_LAST = 0x10FFFF
_STARTS = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Nl"])
_CONTINUES = frozenset(["Mn", "Mc", "Nd", "Pc"])
_OTHER_STARTS = frozenset([0x1885, 0x1886, 0x2118, 0x212E, 0x309B, 0x309C])
_OTHER_CONTINUES = frozenset([0xB7, 0x387, *range(0x1369, 0x1372), 0x19DA])
# Pattern_Syntax among letters.
_SYNTAX = frozenset([0x2E2F])


def describe(code: int) -> str:
    """Return s for what may begin a name, c for what may only stand in it, else nothing."""
    category = unicodedata.category(chr(code))
    if (category in _STARTS or code in _OTHER_STARTS) and code not in _SYNTAX:
        return "s"
    return "c" if category in _CONTINUES or code in _OTHER_CONTINUES else ""


def main() -> int:
    """Print the table."""
    if unicodedata.unidata_version != _VERSION:
        print(f"this Python has not Unicode {_VERSION}", file=sys.stderr)
        return 1
    words, end = [], 0
    for kind, run in groupby(range(_LAST + 1), describe):
        codes = list(run)
        if kind:
            words.append(f"{codes[0] - end:x}:{len(codes):x}{kind}")
            end = codes[-1] + 1
    print(f'"""The characters of names in patterns: Unicode {_VERSION}, ID_Start and ID_Continue.')
    print()
    print("Made by ``python -m tools.identifier_table``, which says of what and under")
    print("which licence; not to be changed by hand.")
    print()
    print("Attributes:")
    print("    RUNS: hexadecimal, how many characters are left out before, how many there are, and")
    print("        whether they may begin a name (s) or only stand in it (c).")
    print('"""')
    print()
    print('RUNS = """')
    line = ""
    for word in words:
        if len(line) + len(word) > 98:
            print(line)
            line = ""
        line += f" {word}" if line else word
    print(line)
    print('"""')
    return 0


if __name__ == "__main__":
    sys.exit(main())
