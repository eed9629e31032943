"""The scanner of a lexer that matches each terminal by itself: it has one context.

A builder that explored its states hands them over in plain lists; here they become the arrays of a
:class:`~maskc.lexer.scanner.Scanner`, without what leads to no text, and minimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.ids import EMPTY_TEXT, ScannerStateId, TerminalId
from maskc.lexer.scanner import End, Scanner, drop_useless, minimise


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What was explored. State 0 is dead and not among the rows.

    Attributes:
        byte_class: uint8[256].
        next: state, from 1 → byte class → state.
        ends: state, from 1 → the ways in which the open lexeme may end there, sorted.
        entries: boundary → byte class → the state after the first byte of a lexeme; the first
            boundary is the one in front of the text.
        closed: boundary → whether the text may end there.
    """

    byte_class: NDArray[np.uint8]
    next: Sequence[Sequence[int]]
    ends: Sequence[tuple[End, ...]]
    entries: Sequence[Sequence[int]]
    closed: Sequence[bool]


def put_together(parts: Parts) -> Scanner:
    """Return the minimal scanner of what was explored."""
    n_states, n_classes = len(parts.next), int(parts.byte_class.max()) + 1
    # Number 0 is the dead state; the start is the last one, in front of the first byte.
    following = np.zeros((n_states + 2, n_classes), dtype=np.int32)
    following[1:-1] = np.array(parts.next, dtype=np.int32).reshape(n_states, n_classes)
    following[-1] = parts.entries[0]
    entries = np.zeros((len(parts.entries) + 1, n_classes), dtype=np.int32)
    entries[1:] = np.array(parts.entries, dtype=np.int32).reshape(-1, n_classes)

    def end_of_text(ends: tuple[End, ...]) -> TerminalId | None:
        """Return one of the terminals that the lexeme may be if the text ends here."""
        return min((e.terminal for e in ends if parts.closed[e.boundary]), default=None)

    raw = Scanner(
        byte_class=parts.byte_class,
        next=following,
        ends=((), *parts.ends, ()),
        end_of_text=(None, *map(end_of_text, parts.ends), EMPTY_TEXT),
        enter=np.arange(1, len(entries), dtype=np.int32).reshape(-1, 1),
        entries=entries,
        closed=tuple(parts.closed),
        start=ScannerStateId(n_states + 1),
    )
    return minimise(drop_useless(raw))
