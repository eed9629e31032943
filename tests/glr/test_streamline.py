"""What each step does to the rows of general grammars."""

import pytest

from maskc.glr.streamline import find_symbol_classes
from maskc.streamline.order import STEPS
from tests.compiled import compile_text, legal_tokens
from tests.glr.general_values import values_of

SETTINGS = {"parser": "earley"}
NESTED = 'start: "a" start "b" | "c"\n'
SIGNS = 'start: start ("+" | "-") start | "a" | "-" start\n'
TIMES = 'start: start ("*" | "/") start | "a"\n'


def rows_after(text, tokens, **settings):
    """Return step → the rows that it left."""
    header = compile_text(text, tokens, **SETTINGS, **settings).header
    return {row["step"]: row["rows"] for row in header["streamlining"]}


def test_the_steps_are_listed_in_order():
    assert list(rows_after(NESTED, (b"a",))) == list(STEPS[:-1])


def test_an_unknown_step_is_refused():
    with pytest.raises(ValueError, match="pairs"):
        compile_text(NESTED, (b"a",), "pairs", **SETTINGS)


def test_a_sequence_that_no_text_has_is_dropped_though_each_pair_of_it_may_stand():
    # `a` may follow `x` and `b` may follow `a`, and no text has `xab`.
    text = 'start: "x" "a" "c" | "y" "a" "b"\n'
    rows = rows_after(text, (b"x", b"y", b"a", b"b", b"c", b"ab", b"ac"))
    assert rows["never legal"] < rows["closings"]


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


@pytest.mark.parametrize("step", STEPS)
def test_the_masks_are_the_same_after_each_step(step):
    artifact = compile_text(NESTED, (b"a", b"b", b"bb", b"c", b"cbb"), step, **SETTINGS)
    assert legal_tokens(artifact) == {b"a", b"c"}
    assert legal_tokens(artifact, "ac") == {b"b"}
    assert legal_tokens(artifact, "aac") == {b"b", b"bb"}
    assert legal_tokens(artifact, "aa") == {b"a", b"c", b"cbb"}
    assert legal_tokens(artifact, "acb") == {None}
