"""Host names in Unicode, character by character: labels, dots and how long it may all be.

What an automaton cannot count is kept as it is: the label under way. Two kinds are read: the format
idn-hostname-exact, whose labels are all looked at and have 63 octets at most, the whole 253; and
the domains of idn-email-exact, in which labels of ASCII are as those of email.

Example: after ``例え.`` 244 octets are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from maskc.formats.ace import is_ace, may_become_ace
from maskc.formats.label_kinds import label_ranges
from maskc.formats.labels import (
    EMPTY,
    MOST_OCTETS,
    Label,
    fitting_after,
    is_live,
    read_label,
)

MOST = 253
_DOT, _DOTS = ".", ".\u3002\uff0e\uff61"
_NEAR = 12  # octets, beside which any character has room
_MOST_REMEMBERED = 4_096
_ASCII = ("\0", "\x7f")

Ranges = Iterable[tuple[str, str]]


class Host(NamedTuple):
    """What has been read of a host name.

    Attributes:
        used: octets of the labels before, with their dots.
        label: the label under way, as :meth:`Label.simplify` has it.
    """

    used: int
    label: str


class Hosts:
    """Reads host names: :class:`maskc.formats.registry.RangeReader`.

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
