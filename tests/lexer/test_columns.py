"""The columns at which an open newline lexeme can end."""

import pytest

from maskc.errors import LimitError
from maskc.lexer import columns as columns_module
from maskc.lexer.columns import build_columns
from tests.languages import language_of

BLOCKS = """start: (_NL | stmt)*
stmt: A _NL | A block
block: _NL _INDENT stmt+ _DEDENT
A: "a"
%declare _INDENT _DEDENT
"""


def columns_after(pattern, text):
    """Return the columns of a newline terminal that some bytes have begun."""
    language = language_of(f"{BLOCKS}_NL: /{pattern}/\n", postlex="tests.indenters:TwoColumns")
    lexed = language.lexed
    state = lexed.scanner.start
    for byte in text.encode():
        state = int(lexed.scanner.next[state, lexed.scanner.byte_class[byte]])
    return lexed.columns.distinct[lexed.columns.of_state[state]]


def listed(row, period, n):
    """Return whether a boundary is reached with 0, 1, … columns, the period written out."""
    found = [bool(reached) for reached in row]
    while len(found) < n:
        found.append(found[-period])
    return found[:n]


def test_a_newline_of_any_blanks_ends_at_every_column():
    sets = columns_after("(\\n[\\t ]*)+", "\n")
    assert all(listed(sets.reset, sets.reset_period, 20))
    assert all(listed(sets.more, sets.more_period, 20))


def test_blanks_two_by_two_end_at_every_second_column():
    sets = columns_after("\\n( {2})*", "\n")
    assert listed(sets.more, sets.more_period, 7) == [True, False] * 3 + [True]


def test_without_another_line_break_no_column_is_counted_anew():
    sets = columns_after("\\n *", "\n")
    assert not any(sets.reset)
    assert all(listed(sets.more, sets.more_period, 9))


def test_a_tab_is_worth_its_columns():
    sets = columns_after("\\n\\t*", "\n")
    assert listed(sets.more, sets.more_period, 6) == [True, False] * 3


def test_a_line_of_at_most_three_blanks_ends_there():
    sets = columns_after("\\n {0,3}", "\n")
    assert listed(sets.more, sets.more_period, 6) == [True] * 4 + [False] * 2


def test_without_indentation_there_are_none():
    columns = language_of('start: "a"\n').lexed.columns
    assert columns.distinct == ()
    assert set(columns.of_state) == {-1}


def test_columns_that_do_not_repeat_in_bounds_are_refused(monkeypatch):
    lexed = language_of(f"{BLOCKS}_NL: /\\n {{9}}/\n", postlex="tests.indenters:TwoColumns").lexed
    monkeypatch.setattr(columns_module, "MAX_COLUMNS", 5)
    with pytest.raises(LimitError, match="columns of a newline terminal"):
        build_columns(lexed.grammar.lexer, lexed.scanner)
