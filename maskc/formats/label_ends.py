"""Can a label be ended, and by which characters, if it may have so many octets?

A character more makes a label longer by one octet to nine, seldom shorter, so near the end all that
the rules let follow are measured at once.

Example: where one octet is left an ASCII letter or digit may follow, or what Punycode writes by one
more letter.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maskc.formats.label_kinds import label_codes
from maskc.formats.labels import ACE, Label
from maskc.formats.punycode import lengths_after

_MOST_FITTING = 16  # of a megabyte at most
_KANA = 0x30A2
# Letters, a digit, Greek, what joiners join in both directions, Katakana.
_ENDING = "al1\u03b1\u0628\u1820\u30a2"


def is_live(label: Label, room: int) -> bool:
    """Return whether a text is a label of so many octets, or one more character makes it one."""
    if label.may_end:
        return label.length <= room
    if label.is_ascii:
        return label.length < room  # a hyphen at its end, or a dot that wants a letter
    if label.length > room:
        return False
    for character in dict.fromkeys(label.text[::-1] + _ENDING):
        made = label.follow(ord(character), is_strict=True)
        if made is not None and made.needs_kana:
            made = made.follow(_KANA, is_strict=True)  # what comes next cannot be that
        if made is not None and made.may_end and made.length <= room:
            return True
    ends = (label.follow(code, is_strict=True) for code in fitting_after(label.text, room).tolist())
    return any(made is not None and made.may_end for made in ends)


@lru_cache(maxsize=_MOST_FITTING)
def fitting_after(text: str, room: int) -> NDArray[np.int64]:
    """Return the characters, not ASCII, with which a label has so many octets at most, ascending.

    Whether the rules let them follow is not asked.
    """
    codes = label_codes()
    return codes[lengths_after(text, codes) + len(ACE) <= room]
