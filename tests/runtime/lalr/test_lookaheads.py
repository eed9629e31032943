"""Lookaheads over a refined table, and newlines that count columns."""

import pytest

from maskc.runtime.lalr.lookaheads import LalrLookaheads
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def artifact():
    return compile_text('start: NAME "=" NAME\nNAME: /[a-z]+/\n%ignore " "\n')


def test_the_state_on_top_takes_the_end_after_the_whole_text(artifact):
    lookaheads, machine = LalrLookaheads(artifact.contents), artifact.machine
    (before,), (whole,) = (machine.step(machine.start(), text) for text in (b"a= ", b"a=b "))
    assert not lookaheads.taken[before.stack.state] & lookaheads.end
    assert lookaheads.taken[whole.stack.state] & lookaheads.end


def test_without_indentation_no_lexeme_is_a_newline_that_counts(artifact):
    lookaheads, machine = LalrLookaheads(artifact.contents), artifact.machine
    (h,) = machine.step(machine.start(), b"ab")
    lexeme = lookaheads.open_lexeme(machine.scanner.open_lexeme_of[h.state])
    assert (lexeme.newlines, lexeme.columns) == ((), -1)


def test_with_indentation_a_line_break_may_become_one(blocks_artifact):
    lookaheads, machine = LalrLookaheads(blocks_artifact.contents), blocks_artifact.machine
    numbers = {
        machine.scanner.open_lexeme_of[state] for state in range(1, machine.scanner.n_states)
    }
    newlines = [lexeme for n in numbers if (lexeme := lookaheads.open_lexeme(n)).newlines]
    assert newlines
    assert all(lexeme.columns >= 0 for lexeme in newlines)
    assert lookaheads.open_lexeme(min(numbers)) is lookaheads.open_lexeme(min(numbers))
