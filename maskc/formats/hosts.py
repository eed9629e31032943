"""Host names in Unicode, character by character: labels, dots and how long it may all be.

What an automaton cannot count is kept as it is: the label under way. Two kinds are read: the format
idn-hostname-exact, whose labels are all looked at and have 63 octets at most, the whole 253; and
the domains of idn-email-exact, in which labels of ASCII are as those of email.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from maskc.formats.labels import (
    ACE,
    EMPTY,
    MOST_OCTETS,
    Label,
    fitting_after,
    is_live,
    kind_of,
    label_ranges,
    read_label,
)
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
    """Return whether some such label begins with a text, with at most ``room`` letters more.

    What was read can be a label's ASCII characters if there is room for a hyphen and characters to
    insert. Otherwise what follows the last hyphen is decoded, and the digits that may come are
    tried. Example: ``xn--x`` is no label, but ``xn--x-ug`` begins one.
    """
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


MOST = 253
_DOT, _DOTS = ".", ".\u3002\uff0e\uff61"
_NEAR = 12  # octets, beside which any character has room
_MOST_REMEMBERED = 4_096
_ASCII = ("\0", "\x7f")

Ranges = Iterable[tuple[str, str]]


class Host(NamedTuple):
    """What has been read of a host name."""

    used: int  # octets of the labels before, with their dots
    label: str  # the label under way, as simplify has it


class Hosts:
    """Reads host names: :class:`maskc.formats.RangeReader`.

    Args:
        is_strict: whether they are of idn-hostname-exact; else they are domains of idn-email-exact.
    """

    def __init__(self, *, is_strict: bool) -> None:
        self._is_strict = is_strict
        self._labels: dict[str, Label] = {"": EMPTY}
        self._dots = _DOTS if is_strict else _DOT

    def start(self) -> Host:
        return Host(0, "")

    def step(self, host: Host, character: str) -> Host | None:
        """Return what is read with one more character, ``None`` if no host name begins so."""
        label = self._label_of(host)
        if character in self._dots:
            return self._next_label(host, label)
        made = label.follow(ord(character), is_strict=self._is_strict)
        if made is None or not self._is_live(host, made):
            return None
        text = self._keep(made.simplify()).text
        if not self._is_strict and len(text) > MOST_OCTETS + 2:
            # All that counts is that it is too long for other characters, and how it ends.
            text = text[: MOST_OCTETS + 1] + text[-1]
        return Host(host.used, text)

    def may_end(self, host: Host) -> bool:
        return _ends(self._label_of(host))

    def characters(self, host: Host) -> Ranges:
        """Return ranges of the characters that may follow at most."""
        label, room = self._label_of(host), self._room_of(host)
        if label.is_ace:
            return (_ASCII, *_other_dots())
        if label.length + _NEAR < room:
            return _all_ranges()
        codes = fitting_after(label.text, room)
        cuts = np.flatnonzero(np.diff(codes) != 1) + 1
        runs = np.split(codes, cuts) if len(codes) else []
        return (_ASCII, *_other_dots(), *((chr(run[0]), chr(run[-1])) for run in runs))

    def _label_of(self, host: Host) -> Label:
        found = self._labels.get(host.label)
        if found is None:
            found = read_label(host.label, is_strict=self._is_strict)
            if found is None:
                raise ValueError(f"{host.label!r} is not a label")
            self._keep(found)
        return found

    def _keep(self, label: Label) -> Label:
        if len(self._labels) > _MOST_REMEMBERED:
            self._labels = {"": EMPTY}
        return self._labels.setdefault(label.text, label)

    def _room_of(self, host: Host) -> int:
        """Return how many octets the label under way may have, if it is not ASCII."""
        return min(MOST_OCTETS, MOST - host.used)

    def _next_label(self, host: Host, label: Label) -> Host | None:
        if not _ends(label):
            return None
        if not self._is_strict:
            return self.start()
        used = host.used + label.length + 1
        return Host(used, "") if used < MOST else None

    def _is_live(self, host: Host, label: Label) -> bool:
        room = self._room_of(host)
        if label.is_ace:
            return may_become_ace(label.text, room - len(label.text))
        if label.is_ascii and not self._is_strict:
            return True
        return is_live(label, room)


def _ends(label: Label) -> bool:
    return label.may_end and (not label.is_ace or is_ace(label.text))


@lru_cache(maxsize=1)
def _other_dots() -> tuple[tuple[str, str], ...]:
    return tuple((dot, dot) for dot in _DOTS[1:])


@lru_cache(maxsize=1)
def _all_ranges() -> tuple[tuple[str, str], ...]:
    labels = ((chr(first), chr(last)) for first, last in label_ranges())
    return (_ASCII, *sorted([*labels, *_other_dots()]))


@lru_cache(maxsize=2)
def hosts_of(*, is_strict: bool) -> Hosts:
    """Return the reader of idn-hostname-exact, or of the domains of idn-email-exact."""
    return Hosts(is_strict=is_strict)
