"""Makes the table of the characters that internationalized labels are made of.

Usage: python -m tools.label_table > maskc/runtime/schema/strings/label_table.py

The derived property is worked out as RFC 5892 has it, of the Unicode Character Database in Python
3.11's ``unicodedata`` (Unicode 14.0, Unicode License v3). Joining types and scripts, which that
lacks, are those of the package ``idna`` (BSD-3-Clause, of the same database). It is the oldest
version of the Pythons that we run on: how characters that it has are normalised never changes, so
``unicodedata.normalize`` does the same in all of them.

What is worked out is compared with the package's own classes: exit status 1 if they differ.
"""

from __future__ import annotations

import sys
import unicodedata
from itertools import groupby

from idna import idnadata
from idna.intranges import intranges_contain

_VERSION = "14.0.0"
_LAST = 0x10FFFF
# RFC 5892, 2.6.
_EXCEPTIONS_VALID = {0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007}
_CONTEXTO = {0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, *range(0x660, 0x66A), *range(0x6F0, 0x6FA)}
_EXCEPTIONS_OUT = {0x640, 0x7FA, 0x302E, 0x302F, 0x303B, *range(0x3031, 0x3036)}
_JOINERS = {0x200C, 0x200D}
_OLD_JAMO = (range(0x1100, 0x1200), range(0xA960, 0xA97D), range(0xD7B0, 0xD7FC))
# Default_Ignorable_Code_Point among letters and marks.
_IGNORABLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
_IGNORABLE |= {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
_IGNORABLE_BLOCKS = (range(0x20D0, 0x2100), range(0x1D100, 0x1D200), range(0x1D200, 0x1D250))
_LETTER_DIGITS = {"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"}
_SCRIPTS = {"Greek": "g", "Hebrew": "h", "Hiragana": "k", "Katakana": "k", "Han": "k"}


def derive(code: int) -> str:
    """Return P (PVALID), J (CONTEXTJ), O (CONTEXTO), or nothing for what is in no label."""
    character = chr(code)
    if code in _EXCEPTIONS_VALID:
        return "P"
    if code in _CONTEXTO:
        return "O"
    if code in _EXCEPTIONS_OUT or unicodedata.category(character) in ("Cn", "Cs"):
        return ""
    if code == 0x2D or character.isascii() and (character.isdigit() or character.islower()):
        return "P"
    if code in _JOINERS:
        return "J"
    if any(code in jamo for jamo in _OLD_JAMO) or _is_unstable(character) or code in _IGNORABLE:
        return ""
    if any(code in block for block in _IGNORABLE_BLOCKS):
        return ""
    return "P" if unicodedata.category(character) in _LETTER_DIGITS else ""


def _is_unstable(character: str) -> bool:
    folded = unicodedata.normalize("NFKC", character).casefold()
    return unicodedata.normalize("NFKC", folded) != character


def _find_seconds() -> set[int]:
    """Return the characters that compose with one before them."""
    found = set()
    for code in range(_LAST + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and parts[0][0] != "<":
            whole = "".join(chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", whole) == chr(code):
                found.add(int(parts[1], 16))
    return found


def describe(code: int, seconds: set[int]) -> str:
    """Return what the rules ask of a character, nothing if it is in no label."""
    rule = derive(code)
    if not rule:
        return ""
    character = chr(code)
    kinds = idnadata.joining_types.items()
    join = next((kind for kind, ranges in kinds if intranges_contain(code, ranges)), "U")
    names = _SCRIPTS.items()
    script = next((s for n, s in names if intranges_contain(code, idnadata.scripts[n])), "")
    order = unicodedata.combining(character)
    flags = [
        "v" if order == 9 else "",
        "m" if unicodedata.category(character)[0] == "M" else "",
        "c" if order or code in seconds else "",
        script,
    ]
    return f"{rule}.{unicodedata.bidirectional(character)}.{join}.{''.join(flags)}"


def _check(code: int) -> bool:
    classes = idnadata.codepoint_classes
    theirs = [n for n in ("PVALID", "CONTEXTJ", "CONTEXTO") if intranges_contain(code, classes[n])]
    ours = {"P": ["PVALID"], "J": ["CONTEXTJ"], "O": ["CONTEXTO"], "": []}[derive(code)]
    return ours == theirs or unicodedata.category(chr(code)) == "Cn"


def main() -> int:
    """Print the table; return the exit status."""
    if unicodedata.unidata_version != _VERSION:
        print(f"Unicode {_VERSION} is wanted: run it with Python 3.11", file=sys.stderr)
        return 1
    wrong = [code for code in range(_LAST + 1) if not _check(code)]
    if wrong:
        print(f"differs from idna: {[f'{code:X}' for code in wrong]}", file=sys.stderr)
        return 1
    seconds = _find_seconds()
    runs = []
    for (kind, _), group in groupby(
        range(_LAST + 1), lambda code: (describe(code, seconds), code == ord("l"))
    ):
        codes = list(group)
        if kind:
            runs.append((codes[0], len(codes), kind))
    kinds = sorted({kind for _, _, kind in runs})
    print(_HEADER.format(version=_VERSION), end="")
    print("KINDS = (")
    for kind in kinds:
        print(f'    "{kind}",')
    print(')\nRUNS = """')
    line, last = "", 0
    for start, size, kind in runs:
        word = f"{start - last:x}:{size:x}:{kinds.index(kind):x}"
        last = start + size
        if len(line) + len(word) > 98:
            print(line)
            line = ""
        line += f" {word}" if line else word
    print(f'{line}\n"""')
    return 0


_HEADER = '''"""The characters of internationalized labels: Unicode {version}, RFC 5892.

Made by ``python -m tools.label_table``, which says of what and under which
licence; not to be changed by hand.

Attributes:
    KINDS: rule (P, J or O: PVALID, CONTEXTJ, CONTEXTO), bidirectional class, joining type, and
        flags: v for a virama, m for a mark, c where normalisation looks at what stands before; g,
        h, k for Greek, Hebrew, and Hiragana, Katakana or Han.
    RUNS: of characters of one kind, hexadecimal: how many are left out before, how many there are,
        and the kind.
"""

'''

if __name__ == "__main__":
    sys.exit(main())
