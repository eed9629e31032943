"""A label of a host name in Unicode, character by character (RFC 5890 to 5893).

What the rules ask of a label is kept as it is read: which character must come next, whether it runs
from right to left, which digits it has. What no further character can mend is not a label; else one
more character must end it, or it ends here. Its length is that of its Punycode. A character more
makes it longer by one octet to nine, seldom shorter, so near the end all that the rules let follow
are measured at once.

Example: after ``l·`` an ``l`` must come, and after ``אב`` no Latin letter may.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from idna import idnadata
from idna.intranges import intranges_contain
from numpy.typing import NDArray

from maskc.formats.punycode import lengths_after, punycode_length

if not isinstance(next(iter(idnadata.joining_types)), str):
    raise ImportError("the package idna is older than 3.20")

_RULES = {"PVALID": "P", "CONTEXTJ": "J", "CONTEXTO": "O"}
_SCRIPTS = {"Greek": "g", "Hebrew": "h", "Hiragana": "k", "Katakana": "k", "Han": "k"}
_VIRAMA = 9


class CharacterKind(NamedTuple):
    """What the rules ask of a character."""

    rule: str  # P, J or O: PVALID, CONTEXTJ, CONTEXTO; U: a capital letter, which only ASCII has
    bidi: str  # its bidirectional class
    join: str  # its joining type
    # v for a virama, m for a mark; g, h, k for Greek, Hebrew, and Hiragana, Katakana or Han
    flags: str


@lru_cache(maxsize=1 << 16)
def kind_of(code: int) -> CharacterKind | None:
    """Return what RFC 5892 and 5893 ask of a character, ``None`` if it is in no label.

    A character that Python's own tables do not have yet is in no label, as for ``idna``.
    """
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
    known = idnadata.scripts
    scripts = (sign for name, sign in _SCRIPTS.items() if intranges_contain(code, known[name]))
    return CharacterKind(rule, bidi, join, flags + next(scripts, ""))


@lru_cache(maxsize=1)
def label_ranges() -> tuple[tuple[int, int], ...]:
    ranges = (range_ for name in _RULES for range_ in idnadata.codepoint_classes[name])
    pairs = ((packed >> 32, (packed & 0xFFFFFFFF) - 1) for packed in ranges)
    return tuple(sorted((first, last) for first, last in pairs if first >= 0x80))


@lru_cache(maxsize=1)
def label_codes() -> NDArray[np.int64]:
    """Return the characters that are not ASCII and may be in a label: int64[n], ascending."""
    codes = [code for low, high in label_ranges() for code in range(low, high + 1)]
    known = [code for code in codes if unicodedata.bidirectional(chr(code))]
    return np.array(known, dtype=np.int64)


_MOST_FITTING = 16  # of a megabyte at most
_KANA = 0x30A2
# Letters, a digit, Greek, what joiners join in both directions, Katakana.
_ENDING = "al1\u03b1\u0628\u1820\u30a2"
MOST_OCTETS = 63
ACE = "xn--"
_HYPHEN = 0x2D
_MIDDLE_DOT, _KERAIA, _KATAKANA_DOT = 0xB7, 0x375, 0x30FB
_NON_JOINER = 0x200C
_ASCII = range(0x80)
_RIGHT = ("R", "AL")
_AMONG_RIGHT = frozenset(["R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"])
# What the next character must be: an l, Greek, or what a joiner before it joins.
_L, _GREEK, _JOINED = "l", "Greek", "joined"


class Label(NamedTuple):
    """What has been read of a label."""

    text: str = ""  # its characters
    is_ascii: bool = True  # whether they are all ASCII
    is_ace: bool = False  # whether it begins with `xn--`; then only its letters were looked at
    has_capitals: bool = False  # whether there are capital letters
    last: CharacterKind | None = None  # what the rules ask of the last character
    wants: str = ""  # what the next character must be
    digits: str = ""  # the bidirectional class of its Arabic digits, of which there are two kinds
    numerals: str = ""  # that of its digits, if it is written from right to left
    is_right: bool = False  # whether it is
    ends: bool = False  # whether it may end there, if it is
    joins: bool = False  # whether the last character that is not transparent joins the next one
    has_kana: bool = False  # whether there are Hiragana, Katakana or Han
    needs_kana: bool = False  # whether there must be

    @property
    def length(self) -> int:
        """Its octets in ASCII."""
        return len(self.text) if self.is_ascii else len(ACE) + punycode_length(self.text)

    @property
    def may_end(self) -> bool:
        """Whether the rules let it end here; one of ``xn--`` is asked elsewhere."""
        return (
            self.text[-1:] not in ("", "-")
            and not self.wants
            and not self.needs_kana
            and (self.ends or not self.is_right)
        )

    def follow(self, code: int, *, is_strict: bool) -> Label | None:
        """Return the label with one more character, ``None`` if no label begins so.

        If it is strict, hyphens in the third and fourth place say ``xn--``.
        """
        kind, n = kind_of(code), len(self.text)
        if kind is None or n == 0 and (code == _HYPHEN or "m" in kind.flags):
            return None
        found: dict[str, Any] = {"text": self.text + chr(code), "last": kind}
        if code in _ASCII:
            if kind.rule == "U":
                if not self.is_ascii:
                    return None
                found["has_capitals"] = True
            if self.is_ace:
                return self._replace(**found)
            if code == _HYPHEN and n == 3 and self.text[2] == "-":
                found["is_ace"] = is_strict and self.text[:2].lower() == "xn"
                if not self.is_ascii or is_strict and not found["is_ace"]:
                    return None
        elif self.has_capitals or self.text[2:4] == "--":
            return None
        else:
            found["is_ascii"] = False
        directed = self._in_direction(kind)
        fitted = directed and self._in_context(code, kind, is_right=directed["is_right"])
        if not directed or not fitted:
            return None
        if code not in _ASCII and not unicodedata.is_normalized("NFC", found["text"]):
            return None
        if kind.join != "T":
            found["joins"] = kind.join in ("L", "D")
        return self._replace(**found, **directed, **fitted)

    def simplify(self) -> Label:
        """Return a label after which the same may come, with fewer different texts.

        Of ASCII characters between others only their number counts, and what they say of the
        beginning; in a label that runs from right to left digits count, too.
        """
        text = self.text
        if self.is_ace:
            text = text.lower()
        elif not self.is_right:
            filler = "A" if self.has_capitals else "a"
            n_kept = 4 if len(text) < 4 or text[2:4] == "--" else 0
            around = zip(("", *text), text, (*text[1:], "\x80"), strict=False)
            text = "".join(
                filler if n >= n_kept and max(three) < "\x80" else three[1]
                for n, three in enumerate(around)
            )
        return self if text == self.text else self._replace(text=text)

    def _in_context(
        self, code: int, kind: CharacterKind, *, is_right: bool
    ) -> dict[str, Any] | None:
        """Return what a character changes, ``None``: it may not stand here (RFC 5892, appendix A).

        ``is_right`` is of the label with the character.
        """
        wants, last = self.wants, self.last
        found: dict[str, Any] = {"wants": ""}
        if wants == _L and code != ord("l") or wants == _GREEK and "g" not in kind.flags:
            return None
        if wants == _JOINED:
            if kind.join not in "TRD":
                return None
            found["wants"] = wants if kind.join == "T" else ""
        if "k" in kind.flags and kind.rule == "P":
            found |= {"has_kana": True, "needs_kana": False}
        fits = True
        if kind.rule == "J":
            if last is None or "v" not in last.flags:
                found["wants"] = _JOINED
                fits = code == _NON_JOINER and self.joins
        elif kind.rule == "O":
            if code == _MIDDLE_DOT:
                found["wants"] = _L
                fits = self.text[-1:] == "l"
            elif code == _KERAIA:
                found["wants"] = _GREEK
                fits = not is_right  # Greek is written from left to right
            elif code == _KATAKANA_DOT:
                found["needs_kana"] = not self.has_kana
                fits = not is_right  # what it needs is written from left to right
            elif "h" in kind.flags:
                fits = last is not None and "h" in last.flags
            else:
                found["digits"] = kind.bidi
                fits = self.digits in ("", kind.bidi)
        return found if fits else None

    def _in_direction(self, kind: CharacterKind) -> dict[str, Any] | None:
        """Return what a character changes, ``None``: it may not stand here (RFC 5893, section 2).

        A label that does not begin with a letter has none that is written from right to left.
        """
        is_right = self.is_right if self.text else kind.bidi in _RIGHT
        found: dict[str, Any] = {"is_right": is_right}
        if not is_right:
            return None if kind.bidi in _RIGHT or kind.bidi == "AN" else found
        if kind.bidi in ("EN", "AN"):
            if self.numerals not in ("", kind.bidi):
                return None
            found["numerals"] = kind.bidi
        if kind.bidi != "NSM":
            found["ends"] = kind.bidi in ("R", "AL", "EN", "AN")
        return found if kind.bidi in _AMONG_RIGHT else None


EMPTY = Label()


def read_label(text: str, *, is_strict: bool = True) -> Label | None:
    """Return the label of some characters, ``None`` if no label begins so."""
    label: Label | None = EMPTY
    for character in text:
        label = label.follow(ord(character), is_strict=is_strict) if label else None
        if label is None:
            return None
    return label


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
