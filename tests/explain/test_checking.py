"""Where a text stops being one of the artifact's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.explain.checking import find_problem, place_of
from tests.compiled import accepts, compile_text

LISTS = """
start: "[" (WORD ("," WORD)*)? "]"
WORD: /[a-zß]+/
%ignore /[ \\n]+/
"""


@pytest.fixture(scope="module")
def lists():
    return compile_text(LISTS)


@given(st.text("[],aß \n", max_size=12))
def test_a_problem_is_where_the_longest_legal_beginning_ends(lists, text):
    problem = find_problem(lists, text.encode())
    if problem is None:
        assert accepts(lists, text) or (text.endswith("\n") and accepts(lists, text[:-1]))
        return
    assert not accepts(lists, text)
    legal = [
        n for n in range(len(text.encode()) + 1) if lists.matcher().accept_bytes(text.encode()[:n])
    ]
    assert problem.offset == max(legal)
    assert (problem.explanation.death is None) == (problem.offset == len(text.encode()))
    before = text.encode()[: problem.offset].decode(errors="replace")
    assert problem.line == before.count("\n") + 1
    assert problem.column == len(before.rpartition("\n")[2]) + 1


def test_a_line_break_at_the_end_may_be_there_or_not():
    words = compile_text('start: "a" | "b\\n"')
    assert find_problem(words, b"a") is None
    assert find_problem(words, b"a\n") is None
    assert find_problem(words, b"b\n") is None
    problem = find_problem(words, b"a\n\n")
    assert problem is not None
    assert problem.offset == 1
    too_early = find_problem(words, b"b")
    assert too_early is not None
    assert too_early.explanation.forced == b"\n"


def test_columns_are_characters():
    assert place_of("a\nößb".encode(), 6) == (2, 3)
    assert place_of(b"", 0) == (1, 1)
