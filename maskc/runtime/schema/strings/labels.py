"""A label of a host name in Unicode, character by character (RFC 5890 to 5893).

What the rules ask of a label is kept as it is read: which character must come next, whether it runs
from right to left, which digits it has. What no further character can mend is no label; else one
more character must end it, or it ends here. Its length is that of its Punycode.

Example: after ``l·`` an ``l`` must come, and after ``אב`` no Latin letter may.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.label_table import KINDS, RUNS
from maskc.runtime.schema.strings.punycode import lengths_after, punycode_length

MOST_OCTETS = 63
ACE = "xn--"
_HYPHEN = 0x2D
_MIDDLE_DOT, _KERAIA, _KATAKANA_DOT = 0xB7, 0x375, 0x30FB
_NON_JOINER = 0x200C
_ASCII = range(0x80)
_LAST = 0x10FFFF
_MOST_PROFILES = 256  # of twenty kilobytes
_MOST_FITTING = 16  # of a megabyte at most
_KANA = 0x30A2
# Letters, a digit, Greek, what joiners join in both directions, Katakana.
_ENDING = "al1\u03b1\u0628\u1820\u30a2"
_RIGHT = ("R", "AL")
_AMONG_RIGHT = frozenset(["R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"])
# What the next character must be: an l, Greek, or what a joiner before it joins.
_L, _GREEK, _JOINED = "l", "Greek", "joined"


Codes = NDArray[np.int64]
_NO_CODES: Codes = np.zeros(0, dtype=np.int64)


class Kind(NamedTuple):
    """What the rules ask of a character.

    Attributes:
        rule: P, J or O: PVALID, CONTEXTJ, CONTEXTO; U: a capital letter, which only ASCII has.
        bidi: its bidirectional class.
        join: its joining type.
        flags: as :mod:`maskc.runtime.schema.strings.label_table` has them.
    """

    rule: str
    bidi: str
    join: str
    flags: str


class Run(NamedTuple):
    """Characters of one kind, from the first to the last."""

    first: int
    last: int
    kind: Kind


@lru_cache(maxsize=1)
def _runs() -> tuple[list[Run], list[int]]:
    kinds = [Kind(*kind.split(".")) for kind in KINDS]
    found, at = [Run(0x41, 0x5A, Kind("U", "L", "U", ""))], 0
    for word in RUNS.split():
        skipped, size, kind = (int(part, 16) for part in word.split(":"))
        at += skipped + size
        found.append(Run(at - size, at - 1, kinds[kind]))
    found.sort()
    return found, [run.first for run in found]


def kind_of(code: int) -> Kind | None:
    """Return what the rules ask of a character, ``None`` if it is in no label."""
    runs, firsts = _runs()
    run = runs[bisect_right(firsts, code) - 1]
    return run.kind if run.first <= code <= run.last else None


def runs_between(low: int, high: int) -> list[Run]:
    """Return the characters of labels in a range, ends included."""
    runs, firsts = _runs()
    found = []
    for run in runs[max(bisect_right(firsts, low) - 1, 0) : bisect_right(firsts, high)]:
        first, last = max(run.first, low), min(run.last, high)
        if first <= last:
            found.append(Run(first, last, run.kind))
    return found


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
        if "c" in kind.flags and not unicodedata.is_normalized("NFC", made.text):
            return None
        if kind.join != "T":
            made.joins = kind.join in ("L", "D")
        made.last = kind
        return made

    @property
    def profile(self) -> tuple[object, ...]:
        """What tells which characters may follow, if none of them changes how it is normalised."""
        text, n = self.text, len(self.text)
        start = (text[2:3] == "-", "xn".startswith(text[:2].lower())) if n < 4 else (False, False)
        flags = (self.is_ascii, self.is_ace, self.has_capitals, text[2:4] == "--", text[-1:] == "-")
        rules = (self.wants, self.digits, self.numerals, self.has_kana, self.needs_kana)
        is_l = text[-1:] == "l"
        return (
            min(n, 4),
            start,
            flags,
            rules,
            self.is_right,
            self.ends,
            self.joins,
            self.last,
            is_l,
        )

    def follow_all(self, text: str) -> Label | None:
        """Return the label with more characters, ``None`` if none begins so."""
        label: Label | None = self
        for character in text:
            label = label.follow(ord(character), is_strict=True) if label else None
        return label

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

    def is_live(self, room: int) -> bool:
        """Return whether it is a label of so many octets, or one more character makes it one."""
        if self.may_end:
            return self.length <= room
        if self.is_ascii:
            return self.length < room  # a hyphen at its end, or a dot that wants a letter
        if self.length > room:
            return False
        for character in dict.fromkeys(self.text[::-1] + _ENDING):
            made = self.follow(ord(character), is_strict=True)
            if made is not None and made.needs_kana:
                made = made.follow(_KANA, is_strict=True)  # what comes next cannot be that
            if made is not None and made.may_end and made.length <= room:
                return True
        return self.leads_on(0x80, _LAST, room, to_end=True)

    def leads_on(self, low: int, high: int, room: int, *, to_end: bool = False) -> bool:
        """Return whether some character of a range may come next, in a label that is no ``xn--``.

        Args:
            low: the first, not ASCII.
            high: the last.
            room: octets.
            to_end: whether it must end there.
        """
        is_near = False
        for runs in _runs_after(self)[: 1 if to_end else 2]:
            at = int(np.searchsorted(runs[:, 1], low))
            if at < len(runs) and runs[at, 0] <= high:
                is_near = True
                if self._any_live(np.maximum(runs[at, :1], low), room):
                    return True  # where there is room the first of them will do
        if is_near:
            ending, further = _fitting_after(self, room)
            first, last = np.searchsorted(ending, [low, high + 1])
            if first < last:
                return True
            first, last = np.searchsorted(further, [low, high + 1])
            if not to_end and self._any_live(further[first:last], room):
                return True
        careful = _careful()
        first, last = np.searchsorted(careful, [low, high + 1])
        return self._any_live(careful[first:last], room, to_end=to_end)

    def _any_live(self, codes: Codes, room: int, *, to_end: bool = False) -> bool:
        for code in codes.tolist():
            made = self.follow(code, is_strict=True)
            if made is not None and (made.may_end or not to_end) and made.is_live(room):
                return True
        return False


@lru_cache(maxsize=1)
def _careful() -> Codes:
    runs = [run for run in runs_between(0x80, _LAST) if "c" in run.kind.flags]
    return np.concatenate([np.arange(run.first, run.last + 1) for run in runs])


_known_runs: dict[tuple[object, ...], tuple[Codes, Codes]] = {}
_known_fitting: dict[tuple[str, int], tuple[Codes, Codes]] = {}


def _runs_after(label: Label) -> tuple[Codes, Codes]:
    """Return the characters after which a label may end, and others that may come.

    Careful ones, which may be one with what stands before, are not among them.

    Returns:
        int64[n, 2] of each: the first and the last of runs.
    """
    found = _known_runs.get(label.profile)
    if found is None:
        parts: tuple[list[int], list[int]] = ([], [])
        for first, last, kind in runs_between(0x80, _LAST):
            made = None if "c" in kind.flags else label.follow(first, is_strict=True)
            if made is not None:
                parts[not made.may_end].extend((first, last))
        ending, further = (np.array(part, dtype=np.int64).reshape(-1, 2) for part in parts)
        found = ending, further
        if len(_known_runs) >= _MOST_PROFILES:
            _known_runs.clear()
        _known_runs[label.profile] = found
    return found


def _fitting_after(label: Label, room: int) -> tuple[Codes, Codes]:
    """Return those of them with which the label is not too long, one by one."""
    found = _known_fitting.get((label.text, room))
    if found is None:
        every = []
        for runs in _runs_after(label):
            parts = [np.arange(first, last + 1) for first, last in runs.tolist()]
            codes = np.concatenate([_NO_CODES, *parts])
            every.append(codes[lengths_after(label.text, codes) + len(ACE) <= room])
        found = every[0], every[1]
        if len(_known_fitting) >= _MOST_FITTING:
            _known_fitting.clear()
        _known_fitting[label.text, room] = found
    return found


EMPTY = Label()


def read_label(text: str, *, is_strict: bool = True) -> Label | None:
    """Return the label of some characters, ``None`` if no label begins so."""
    label: Label | None = EMPTY
    for character in text:
        label = label.follow(ord(character), is_strict=is_strict) if label else None
        if label is None:
            return None
    return label
