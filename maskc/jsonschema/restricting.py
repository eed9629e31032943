"""The strings of an automaton that are patterns (``format: regex``), as an automaton of their own.

The reader of patterns runs beside the automaton. Where the strings let it nest only so deep, as
those of digits and dots that open no group, both come to finitely many states, and no reader is
left.

Example: of ``^[(]?a[)]?$`` the strings ``a`` and ``(a)`` are patterns.

Limits: ``_MOST`` states; and no class or name may have any character that is not ASCII, each of
which would be another state. Beyond them there is a :class:`HostedError`.
"""

from __future__ import annotations

from collections.abc import Hashable

from maskc.jsonschema.exploring import explore, merge_starts
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.ecma import START, Pattern, Patterns, tells_others_apart
from maskc.runtime.schema.strings.transitions import DEAD

_MOST = 1_000
_N_ASCII = 0x80


class HostedError(Exception):
    """What a reader reads would have to be combined with something else."""


def only_patterns(dfa: CharDfa) -> CharDfa:
    """Return the automaton of the strings of one that are patterns.

    Raises:
        HostedError: there may be none.
    """
    reader, seen = Patterns(), set[Hashable]()

    def step(state: Hashable, character: int) -> Hashable:
        at, read = _parts(state)
        target = dfa.step(at, character)
        after = reader.step(read, character) if target != DEAD else None
        if after is None:
            return None
        if character >= _N_ASCII and tells_others_apart(read):
            raise HostedError
        made = (target, after)
        seen.add(made)
        if len(seen) > _MOST:
            raise HostedError
        return made

    def label(state: Hashable) -> int:
        at, read = _parts(state)
        return dfa.labels[at] if reader.may_end(read) else NO_LABEL

    starts = merge_starts([dfa.starts, range(_N_ASCII + 1)])
    return explore(starts, (dfa.start, START), step, label)


def _parts(state: Hashable) -> tuple[int, Pattern]:
    if not isinstance(state, tuple):
        raise TypeError
    at, read = state
    return at, read
