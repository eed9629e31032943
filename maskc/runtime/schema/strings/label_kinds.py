"""What do the rules ask of a character of a label (RFC 5892, RFC 5893)?

Example: ``·`` is of CONTEXTO, and a virama a mark that joiners may follow.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

from maskc.runtime.schema.strings.label_table import KINDS, RUNS


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
