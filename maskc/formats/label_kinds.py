"""What the rules ask of a character of a label (RFC 5892, RFC 5893), by the package ``idna``.

A character that Python's own tables do not have yet is in no label, as for ``idna``.

Example: ``·`` is of CONTEXTO, and a virama a mark that joiners may follow.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from idna import idnadata
from idna.intranges import intranges_contain
from numpy.typing import NDArray

if not isinstance(next(iter(idnadata.joining_types)), str):
    raise ImportError("the package idna is older than 3.20")

_RULES = {"PVALID": "P", "CONTEXTJ": "J", "CONTEXTO": "O"}
_SCRIPTS = {"Greek": "g", "Hebrew": "h", "Hiragana": "k", "Katakana": "k", "Han": "k"}
_VIRAMA = 9


class CharacterKind(NamedTuple):
    """What the rules ask of a character.

    Attributes:
        rule: P, J or O: PVALID, CONTEXTJ, CONTEXTO; U: a capital letter, which only ASCII has.
        bidi: its bidirectional class.
        join: its joining type.
        flags: v for a virama, m for a mark; g, h, k for Greek, Hebrew, and Hiragana, Katakana or
            Han.
    """

    rule: str
    bidi: str
    join: str
    flags: str


@lru_cache(maxsize=1 << 16)
def kind_of(code: int) -> CharacterKind | None:
    """Return what the rules ask of a character, ``None`` if it is in no label."""
    character = chr(code)
    bidi = unicodedata.bidirectional(character)
    if "A" <= character <= "Z":
        return CharacterKind("U", bidi, "U", "")
    classes = idnadata.codepoint_classes
    rule = next((r for name, r in _RULES.items() if intranges_contain(code, classes[name])), "")
    if not rule or not bidi:
        return None
    joins = idnadata.joining_types.items()
    join = next((name for name, ranges in joins if intranges_contain(code, ranges)), "U")
    flags = "v" if unicodedata.combining(character) == _VIRAMA else ""
    flags += "m" if unicodedata.category(character)[0] == "M" else ""
    scripts = (sign for name, sign in _SCRIPTS.items() if _is_of(code, name))
    return CharacterKind(rule, bidi, join, flags + next(scripts, ""))


def _is_of(code: int, script: str) -> bool:
    return intranges_contain(code, idnadata.scripts[script])


@lru_cache(maxsize=1)
def label_ranges() -> tuple[tuple[int, int], ...]:
    """Return the characters that are not ASCII and may be in a label, as ranges."""
    ranges = (range_ for name in _RULES for range_ in idnadata.codepoint_classes[name])
    pairs = ((packed >> 32, (packed & 0xFFFFFFFF) - 1) for packed in ranges)
    return tuple(sorted((first, last) for first, last in pairs if first >= 0x80))


@lru_cache(maxsize=1)
def label_codes() -> NDArray[np.int64]:
    """Return the characters that are not ASCII and may be in a label: int64[n], ascending."""
    codes = [code for low, high in label_ranges() for code in range(low, high + 1)]
    known = [code for code in codes if unicodedata.bidirectional(chr(code))]
    return np.array(known, dtype=np.int64)
