"""States and boundaries in plain lists become a minimal scanner."""

import numpy as np

from maskc.ids import EMPTY_TEXT, BoundaryId, TerminalId
from maskc.lexer.one_context import Parts, put_together
from maskc.lexer.scanner import End

FIRST, OPEN, SHUT = map(BoundaryId, range(3))
A = TerminalId(1)


def scanner_of(ends, closed):
    """Return the scanner over one byte class in which state 1 follows each boundary."""
    byte_class = np.zeros(256, dtype=np.uint8)
    return put_together(Parts(byte_class, [[2], [0]], ends, [[1], [1], [0]], closed))


def test_the_start_and_the_dead_state_are_added():
    scanner = scanner_of([(), (End(A, OPEN),)], [True, True, True])
    assert scanner.n_states == 4
    assert scanner.end_of_text[scanner.start] == EMPTY_TEXT
    assert not scanner.next[0].any()


def test_a_text_may_end_where_a_boundary_is_closed():
    ends = [(), (End(A, OPEN), End(A, SHUT))]
    assert A in scanner_of(ends, [True, False, True]).end_of_text
    assert A in scanner_of(ends, [True, True, False]).end_of_text


def test_what_leads_to_no_text_is_dropped():
    scanner = scanner_of([(), (End(A, SHUT),)], [True, False, False])
    assert not scanner.next[scanner.start].any()
