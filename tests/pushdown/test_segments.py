"""Sequences are run above a known state, and come back to the stack they started from."""

import pytest

from maskc.pushdown.decisions import DEPENDS, FAIL, MAY
from maskc.pushdown.segments import Segments
from tests.pushdown.table_values import values_of

CALLS = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'


def run(text, path, names):
    """Return the answer of a sequence on a stack that ends where some terminals lead."""
    values = values_of(text)
    language, table = values.language, values.language.table
    segments = Segments(language.lexed.grammar, table, language.lexed.boundaries, values.sequences)
    state = 0
    for name in path:
        state = table.shifts[state][values.terminal(name)]

    def known(sequence, top):
        """Know nothing but that a sequence without events is taken."""
        del top
        return DEPENDS if values.sequences.length[sequence] else MAY

    return segments.run(values.sequence(*names), (state,), known, DEPENDS, FAIL)


def test_what_is_opened_and_closed_is_decided_above_the_state():
    assert run(CALLS, ["F", "LPAR"], ["F", "LPAR", "RPAR", "RPAR"]) == MAY


def test_a_stack_is_answered_as_often_as_it_is_asked_about():
    values = values_of(CALLS)
    language, table = values.language, values.language.table
    segments = Segments(language.lexed.grammar, table, language.lexed.boundaries, values.sequences)
    states = (table.shifts[0][values.terminal("F")],)
    asked = [(values.sequence("LPAR", name), states) for name in ("A", "F", "RPAR")]
    once = [segments.run(*pair, lambda *_: DEPENDS, DEPENDS, FAIL) for pair in asked]
    again = [segments.run(*pair, lambda *_: DEPENDS, DEPENDS, FAIL) for pair in asked]
    assert once == again
    assert states == (table.shifts[0][values.terminal("F")],)


def test_what_pops_the_state_itself_is_not_decided():
    assert run(CALLS, ["F", "LPAR", "F", "LPAR"], ["A", "RPAR", "RPAR"]) == DEPENDS


@pytest.mark.parametrize("names", [["RPAR", "A"], ["F", "A"], ["A", "F"]])
def test_a_terminal_that_is_not_live_is_refused(names):
    assert run(CALLS, ["F", "LPAR"], names) == FAIL


def test_an_event_in_a_context_that_is_never_named_is_refused():
    values = values_of(CALLS)
    language, table = values.language, values.language.table
    segments = Segments(language.lexed.grammar, table, language.lexed.boundaries, values.sequences)
    event = values.event("LPAR")._replace(contexts=0)
    sequence = values.sequences.extend(event, values.sequence())
    states = (table.shifts[0][values.terminal("F")],)
    assert segments.run(sequence, states, lambda *_: DEPENDS, DEPENDS, FAIL) == FAIL


def test_what_is_known_of_the_top_is_asked_first():
    values = values_of(CALLS)
    language = values.language
    segments = Segments(
        language.lexed.grammar, language.table, language.lexed.boundaries, values.sequences
    )
    assert segments.run(values.sequence("A"), (0,), lambda *_: FAIL, DEPENDS, FAIL) == FAIL
