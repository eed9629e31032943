"""A label of a host name in Unicode, character by character (RFC 5890 to 5893).

What the rules ask of a label is kept as it is read: which character must come next, whether it runs
from right to left, which digits it has. What no further character can mend is no label; else one
more character must end it, or it ends here. Its length is that of its Punycode.

Example: after ``l·`` an ``l`` must come, and after ``אב`` no Latin letter may.
"""

from __future__ import annotations

import unicodedata

from maskc.formats.label_kinds import Kind, kind_of
from maskc.formats.punycode import punycode_length

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


class Label:
    """What has been read of a label.

    Attributes:
        text: its characters.
        n_octets: its octets in ASCII, -1 where nobody asked yet.
        is_ascii: whether they are all ASCII.
        is_ace: whether it begins with ``xn--``; then only its letters were looked at.
        has_capitals: whether there are capital letters.
        last: what the rules ask of the last character.
        wants: what the next character must be.
        digits: the bidirectional class of its Arabic digits, of which there are two kinds.
        numerals: that of its digits, if it is written from right to left.
        is_right: whether it is.
        ends: whether it may end there, if it is.
        joins: whether the last character that is not transparent joins the next one.
        has_kana: whether there are Hiragana, Katakana or Han.
        needs_kana: whether there must be.
    """

    __slots__ = (
        "digits",
        "ends",
        "has_capitals",
        "has_kana",
        "is_ace",
        "is_ascii",
        "is_right",
        "joins",
        "last",
        "n_octets",
        "needs_kana",
        "numerals",
        "text",
        "wants",
    )

    def __init__(self) -> None:
        self.text = ""
        self.is_ascii, self.is_ace, self.has_capitals = True, False, False
        self.last: Kind | None = None
        self.n_octets = 0
        self.wants = self.digits = self.numerals = ""
        self.is_right = self.ends = self.joins = self.has_kana = self.needs_kana = False

    @property
    def length(self) -> int:
        """Its octets in ASCII."""
        if self.n_octets < 0:
            if self.is_ascii:
                self.n_octets = len(self.text)
            else:
                self.n_octets = len(ACE) + punycode_length(self.text)
        return self.n_octets

    @property
    def is_settled(self) -> bool:
        """Whether nothing must come for what was read, but for a hyphen at its end."""
        return not self.wants and not self.needs_kana and not self.is_right

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

        Args:
            code: the character.
            is_strict: whether hyphens in the third and fourth place say ``xn--``.
        """
        kind, n = kind_of(code), len(self.text)
        if kind is None or n == 0 and (code == _HYPHEN or "m" in kind.flags):
            return None
        made = self._copy(code)
        if code in _ASCII:
            if kind.rule == "U":
                made.has_capitals = True
                if not self.is_ascii:
                    return None
            if self.is_ace:
                return made
            if code == _HYPHEN and n == 3 and self.text[2] == "-":
                made.is_ace = is_strict and self.text[:2].lower() == "xn"
                if not self.is_ascii or is_strict and not made.is_ace:
                    return None
        else:
            if self.has_capitals or self.text[2:4] == "--":
                return None
            made.is_ascii = False
        if not made.fits_context(code, kind, self) or not made.fits_direction(
            kind, is_first=n == 0
        ):
            return None
        if code not in _ASCII and not unicodedata.is_normalized("NFC", made.text):
            return None
        if kind.join != "T":
            made.joins = kind.join in ("L", "D")
        made.last = kind
        return made

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
        if text == self.text:
            return self
        made = self._copy(0)
        made.text, made.last, made.n_octets = text, self.last, self.n_octets
        made.wants = self.wants
        return made

    def _copy(self, code: int) -> Label:
        made = Label()
        made.text, made.n_octets = self.text + chr(code), -1
        made.is_ascii, made.is_ace = self.is_ascii, self.is_ace
        made.has_capitals, made.joins = self.has_capitals, self.joins
        made.digits, made.numerals = self.digits, self.numerals
        made.is_right, made.ends = self.is_right, self.ends
        made.has_kana, made.needs_kana = self.has_kana, self.needs_kana
        return made

    def fits_context(self, code: int, kind: Kind, before: Label) -> bool:
        """Return whether a character may stand after those before (RFC 5892, appendix A)."""
        wants, last = before.wants, before.last
        if wants == _L and code != ord("l") or wants == _GREEK and "g" not in kind.flags:
            return False
        if wants == _JOINED:
            if kind.join not in "TRD":
                return False
            self.wants = wants if kind.join == "T" else ""
        if "k" in kind.flags and kind.rule == "P":
            self.has_kana, self.needs_kana = True, False
        if kind.rule == "J":
            if last is None or "v" not in last.flags:
                self.wants = _JOINED
                return code == _NON_JOINER and before.joins
        elif kind.rule == "O":
            if code == _MIDDLE_DOT:
                self.wants = _L
                return before.text[-1:] == "l"
            if code == _KERAIA:
                self.wants = _GREEK
                return not self.is_right  # Greek is written from left to right
            if code == _KATAKANA_DOT:
                self.needs_kana = not self.has_kana
                return not self.is_right  # what it needs is written from left to right
            if "h" in kind.flags:
                return last is not None and "h" in last.flags
            self.digits = kind.bidi
            return before.digits in ("", kind.bidi)
        return True

    def fits_direction(self, kind: Kind, *, is_first: bool) -> bool:
        """Return whether a character may stand in a label of its direction (RFC 5893, section 2).

        A label that does not begin with a letter has none that is written from right to left.
        """
        if is_first:
            self.is_right = kind.bidi in _RIGHT
        if not self.is_right:
            return kind.bidi not in _RIGHT and kind.bidi != "AN"
        if kind.bidi in ("EN", "AN"):
            if self.numerals not in ("", kind.bidi):
                return False
            self.numerals = kind.bidi
        if kind.bidi != "NSM":
            self.ends = kind.bidi in ("R", "AL", "EN", "AN")
        return kind.bidi in _AMONG_RIGHT


EMPTY = Label()


def read_label(text: str, *, is_strict: bool = True) -> Label | None:
    """Return the label of some characters, ``None`` if no label begins so."""
    label: Label | None = EMPTY
    for character in text:
        label = label.follow(ord(character), is_strict=is_strict) if label else None
        if label is None:
            return None
    return label
