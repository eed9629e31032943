"""Labels that begin with ``xn--``: decides whether the rest is Punycode, or can become it.

Whatever letters, digits and hyphens were read can be the ASCII characters of a label, if there is
room for a hyphen and for characters to insert. Where that is not so, what follows the last hyphen
is decoded, and the digits that may come are tried.

Example: ``xn--bcher-kva`` is ``bücher``; ``xn--x`` is nothing, but ``xn--x-ug`` begins a label.
"""

from __future__ import annotations

from maskc.formats.label_kinds import kind_of
from maskc.formats.labels import ACE, Label, read_label
from maskc.formats.punycode import DIGITS, Decoding, punycode_length

# A hyphen and three characters that are inserted: at the beginning, among the first and at the end.
ENOUGH = 10
_INSERTED = "ß"
_LAST = 0x323AF
_ONE_INSERTED = 4  # letters, with a hyphen
_MOST_TRIED = 3_000  # digits


def is_ace(text: str) -> bool:
    """Return whether an ASCII label of ``xn--`` is one that stands for a label in Unicode.

    >>> is_ace("xn--bcher-kva"), is_ace("xn--bcher-")
    (True, False)
    """
    found = _decode(text[len(ACE) :].lower())
    return found is not None and _is_label(found)


def may_become_ace(text: str, room: int) -> bool:
    """Return whether some such label begins with a text, with at most ``room`` letters more."""
    if room < 0:
        return False
    if room >= ENOUGH or is_ace(text):
        return True
    body = text[len(ACE) :].lower()
    if any(_fits(body + more, room - len(more)) for more in ("", "a")):
        return True
    found = _decode(body)
    return found is not None and _Search().finds(found, room)


def _decode(body: str) -> Decoding | None:
    """Return what Punycode stands for as far as it goes, ``None`` if no label begins so."""
    basic, hyphen, digits = body.rpartition("-")
    if hyphen and not basic:
        return None
    found = Decoding(basic)
    for digit in digits:
        ended = found.read(digit)
        if ended and kind_of(ended) is None or found.least > _LAST:
            return None
    return found


def _is_label(found: Decoding) -> bool:
    if not found.is_between or max(found.codes, default=0) < 0x80:
        return False
    label = read_label("".join(map(chr, found.codes)))
    return label is not None and label.may_end


def _fits(basic: str, room: int) -> bool:
    """Return whether a label can be made by inserting characters into some."""
    if not basic or room < _ONE_INSERTED:
        return False
    if basic[0] != "-" != basic[-1] and basic[1:3] != "--":
        return True  # in the first place
    ends = [*range(min(len(basic), 2) + 1), len(basic)]
    made = [basic[:at] + _INSERTED + basic[at:] for at in ends]
    made += [text[:at] + _INSERTED + text[at:] for text in made for at in (*ends, len(text))]
    for text in dict.fromkeys(made):
        if punycode_length(text) - len(basic) <= room:
            label: Label | None = read_label(text)
            if label is not None and label.may_end:
                return True
    return False


class _Search:
    """Looks for digits that make a label of what was read."""

    def __init__(self) -> None:
        self._left = _MOST_TRIED

    def finds(self, found: Decoding, room: int) -> bool:
        """Return whether at most so many digits make a label, as far as it looks."""
        if room == 0:
            return False
        level = []
        for digit in DIGITS:
            self._left -= 1
            if self._left < 0:
                return False
            made = found.copy()
            ended = made.read(digit)
            if ended and kind_of(ended) is None or made.least > _LAST:
                continue
            if ended and _is_label(made):
                return True
            level.append(made)
        return any(self.finds(made, room - 1) for made in level)
