"""Host names in Unicode, character by character: labels, dots and how long it may all be.

What an automaton cannot count is kept as it is: the label under way. Two kinds are read: the format
idn-hostname, in which each label is looked at and has at most 63 octets, the whole 253; and the
domains of idn-email, in which labels of ASCII are as those of email.

Example: after ``例え.`` 244 octets are left.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from maskc.runtime.schema.strings.ace import is_ace, may_become_ace
from maskc.runtime.schema.strings.label_ends import is_live, leads_on
from maskc.runtime.schema.strings.labels import EMPTY, MOST_OCTETS, Label, read_label
from maskc.runtime.schema.strings.spelling import Ranges

MOST = 253
STRICT, LOOSE = KINDS = ("host", "domain")
_DOT = 0x2E
_DOTS = frozenset([_DOT, 0x3002, 0xFF0E, 0xFF61])
_ANY_ROOM = 1 << 20
_MOST_REMEMBERED = 4_096


class Host(NamedTuple):
    """What has been read of a host name.

    Attributes:
        used: octets of the labels before, with their dots.
        label: the characters of the label under way.
    """

    used: int
    label: str


START = Host(0, "")


class Hosts:
    """Reads host names.

    Args:
        is_strict: whether they are of the format idn-hostname; else of a domain in idn-email.

    Attributes:
        is_strict: as given.
        start: what is read before the first character.
    """

    start: Any = START

    def __init__(self, *, is_strict: bool) -> None:
        self.is_strict = is_strict
        self._labels: dict[str, Label] = {}
        self._dots = _DOTS if is_strict else frozenset([_DOT])

    def label_of(self, host: Host) -> Label:
        """Return the label under way.

        Raises:
            ValueError: nothing is read so.
        """
        found = self._labels.get(host.label) if host.label else EMPTY
        if found is None:
            found = read_label(host.label, is_strict=self.is_strict)
            if found is None:
                raise ValueError(f"{host.label!r} is no label")
            self._remember(found)
        return found

    def _remember(self, label: Label) -> None:
        if len(self._labels) > _MOST_REMEMBERED:
            self._labels.clear()
        self._labels[label.text] = label

    def room_of(self, host: Host) -> int:
        """Return how many octets the label under way may have, if it is not ASCII."""
        return min(MOST_OCTETS, MOST - host.used)

    def step(self, host: Host, code: int) -> Host | None:
        """Return what is read with one more character, ``None`` if no host name begins so."""
        label = self.label_of(host)
        if code in self._dots:
            return self._next_label(host, label)
        made = label.follow(code, is_strict=self.is_strict)
        if made is None or not self._is_live(host, made):
            return None
        self._remember(made)
        text = made.text
        if not self.is_strict and len(text) > MOST_OCTETS + 2:
            # All that counts is that it is too long for other characters, and how it ends.
            text = text[: MOST_OCTETS + 1] + text[-1]
        return Host(host.used, text)

    def step_unmeasured(self, host: Host, code: int) -> Host | None:
        """Return the same where lengths do not count, nor what follows ``xn--``."""
        label = self.label_of(host)
        if code in self._dots:
            return START if label.may_end and not label.is_ace else None
        made = label.follow(code, is_strict=self.is_strict)
        if made is None:
            return None
        self._remember(made)
        return Host(0, made.text)

    def _next_label(self, host: Host, label: Label) -> Host | None:
        if not self._ends(label):
            return None
        if not self.is_strict:
            return START
        used = host.used + label.length + 1
        return Host(used, "") if used < MOST else None

    def _is_live(self, host: Host, label: Label) -> bool:
        room = self.room_of(host)
        if label.is_ace:
            return may_become_ace(label.text, room - len(label.text))
        if label.is_ascii and not self.is_strict:
            return True
        return is_live(label, room)

    def _ends(self, label: Label) -> bool:
        return label.may_end and (not label.is_ace or is_ace(label.text))

    def may_end(self, host: Host) -> bool:
        """Return whether a host name may end here."""
        return self._ends(self.label_of(host))

    def leads_on(self, host: Host, ranges: Ranges, *, is_measured: bool = True) -> bool:
        """Return whether some character of some ranges may come next.

        Args:
            host: what was read.
            ranges: of characters.
            is_measured: whether lengths count.
        """
        step = self.step if is_measured else self.step_unmeasured
        for dot in self._dots:
            if any(low <= dot <= high for low, high in ranges) and step(host, dot):
                return True
        label, room = self.label_of(host), self.room_of(host) if is_measured else _ANY_ROOM
        for low, high in ranges:
            if low < 0x80 and any(step(host, c) for c in range(low, min(high, 0x7F) + 1)):
                return True
            if high >= 0x80 and not label.is_ace and leads_on(label, max(low, 0x80), high, room):
                return True
        return False

    def has_many(self, host: Host) -> bool:
        """Return whether there is room for many more characters."""
        return not self.is_strict or MOST - host.used - self.label_of(host).length > MOST_OCTETS


@lru_cache(maxsize=2)
def hosts_of(kind: str) -> Hosts:
    """Return what reads host names of a kind: ``host`` (idn-hostname) or ``domain`` (idn-email)."""
    return Hosts(is_strict=kind == STRICT)
