"""What each step does to the rows of general grammars."""

from maskc.glr.streamline import find_symbol_classes
from tests.compiled import compile_text
from tests.glr.general_values import values_of

SETTINGS = {"parser": "earley"}
NESTED = 'start: "a" start "b" | "c"\n'
SIGNS = 'start: start ("+" | "-") start | "a" | "-" start\n'
TIMES = 'start: start ("*" | "/") start | "a"\n'


def rows_after(text, tokens, **settings):
    """Return step → the rows that it left."""
    header = compile_text(text, tokens, **SETTINGS, **settings).header
    return {row["step"]: row["rows"] for row in header["streamlining"]}


def test_an_end_that_is_legal_on_every_stack_is_not_asked_about():
    rows = rows_after(NESTED, (b"a", b"aa", b"aaa", b"ac"))
    assert rows["always legal"] < rows["never legal"]


def test_sequences_that_are_legal_on_the_same_stacks_are_one():
    rows = rows_after(NESTED, (b"b", b"bb", b"acbbb", b"cbb", b"c", b"a"))
    assert rows["jointly legal"] < rows["interchangeable"]


def test_terminals_with_the_same_places_are_interchangeable():
    values = values_of(TIMES)
    names = values.grammar.bnf.terminals
    assert [[names[t] for t in group] for group in find_symbol_classes(values.lexed)] == [
        ["SLASH", "STAR"]
    ]
    assert find_symbol_classes(values_of(SIGNS).lexed) == ()


def test_the_header_names_the_classes():
    header = compile_text(TIMES, **SETTINGS).header
    assert header["classes"] == [["SLASH", "STAR"]]


def test_the_residue_counts_rows_that_depend_on_the_stack():
    residue = compile_text(NESTED, (b"a", b"b", b"bb", b"c", b"cbb"), **SETTINGS).header["residue"]
    assert residue["max"] > 0
    assert residue["pairs"] > 0
