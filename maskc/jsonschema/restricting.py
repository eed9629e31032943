"""The strings of an automaton that a reader reads, too, as an automaton of their own.

The reader runs beside the automaton. Where the strings let both come to finitely many states only,
as those of digits and dots do with the format regex, in which they open no group, no reader is
left.

Example: of ``^[(]?a[)]?$`` the strings ``a`` and ``(a)`` are patterns.

Limits: ``_MOST`` states; and no characters beside ASCII but single ones, since others need not be
alike for the reader. Beyond them there is a :class:`CustomFormatError`.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable

from maskc.jsonschema.exploring import explore, merge_starts
from maskc.runtime.schema.plan.custom import CustomStrings
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.transitions import DEAD

_MOST = 1_000
_N_ASCII = 0x80


class CustomFormatError(Exception):
    """What a reader reads would have to be combined with something else.

    Args:
        format: the name of the reader.
    """

    def __init__(self, format: str) -> None:  # noqa: A002  # the keyword
        super().__init__(format)
        self.format = format


def restrict(dfa: CharDfa, read: CharDfa) -> CharDfa:
    """Return the automaton of the strings of one that another one and its reader accept.

    Raises:
        CustomFormatError: there may be none.
        FormatError: there is no such reader, or it fails.
    """
    strings, seen = CustomStrings(read), set[Hashable]()
    starts = merge_starts([dfa.starts, read.starts, range(_N_ASCII + 1)])
    alone = {code for code, after in itertools.pairwise(starts) if after == code + 1}

    def step(state: Hashable, character: int) -> Hashable:
        at, here = _parts(state)
        target = dfa.step(at, character)
        if target == DEAD:
            return None
        if character >= _N_ASCII and character not in alone:
            raise CustomFormatError(read.reader)
        after = strings.step(*here, character)
        if after is None:
            return None
        made = (target, after)
        seen.add(made)
        if len(seen) > _MOST:
            raise CustomFormatError(read.reader)
        return made

    def label(state: Hashable) -> int:
        at, here = _parts(state)
        return dfa.labels[at] if strings.may_end(*here) else NO_LABEL

    return explore(starts, (dfa.start, strings.begin[:2]), step, label)


def _parts(state: Hashable) -> tuple[int, tuple[int, Hashable]]:
    if not isinstance(state, tuple):
        raise TypeError
    at, here = state
    return at, here
