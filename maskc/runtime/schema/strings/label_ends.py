"""Can a label be ended, and by characters of which range, if it may have so many octets?

A character more makes a label longer by one octet to nine, seldom shorter, so near the end all that
the rules let follow are measured at once.

Example: where one octet is left an ASCII letter or digit may follow, or what Punycode writes by one
more letter.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.strings.label_kinds import runs_between
from maskc.runtime.schema.strings.labels import ACE, Label
from maskc.runtime.schema.strings.punycode import lengths_after

_LAST = 0x10FFFF
_MOST_PROFILES = 256  # of twenty kilobytes
_MOST_FITTING = 16  # of a megabyte at most
_KANA = 0x30A2
# Letters, a digit, Greek, what joiners join in both directions, Katakana.
_ENDING = "al1\u03b1\u0628\u1820\u30a2"

Codes = NDArray[np.int64]
_NO_CODES: Codes = np.zeros(0, dtype=np.int64)


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
    return leads_on(label, 0x80, _LAST, room, to_end=True)


def leads_on(label: Label, low: int, high: int, room: int, *, to_end: bool = False) -> bool:
    """Return whether some character of a range may come next, in a label that is no ``xn--``.

    Args:
        label: what was read.
        low: the first, not ASCII.
        high: the last.
        room: octets.
        to_end: whether it must end there.
    """
    is_near = False
    for runs in _runs_after(label)[: 1 if to_end else 2]:
        at = int(np.searchsorted(runs[:, 1], low))
        if at < len(runs) and runs[at, 0] <= high:
            is_near = True
            if _any_live(label, np.maximum(runs[at, :1], low), room):
                return True  # where there is room the first of them will do
    if is_near:
        ending, further = _fitting_after(label, room)
        first, last = np.searchsorted(ending, [low, high + 1])
        if first < last:
            return True
        first, last = np.searchsorted(further, [low, high + 1])
        if not to_end and _any_live(label, further[first:last], room):
            return True
    careful = _careful()
    first, last = np.searchsorted(careful, [low, high + 1])
    return _any_live(label, careful[first:last], room, to_end=to_end)


def _any_live(label: Label, codes: Codes, room: int, *, to_end: bool = False) -> bool:
    for code in codes.tolist():
        made = label.follow(code, is_strict=True)
        if made is not None and (made.may_end or not to_end) and is_live(made, room):
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
