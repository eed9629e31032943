"""What each step does to the rows of small grammars."""

import pytest

from maskc.pushdown import decisions
from tests.compiled import compile_text, legal_tokens

PAIRS = 'start: "(" start ")" | "a" (("+" | "-") "a")*\n'


def rows_after(text, tokens, **settings):
    """Return step → (rows, stored rows)."""
    header = compile_text(text, tokens, **settings).header
    return {row["step"]: (row["rows"], row["stored"]) for row in header["streamlining"]}


def test_no_step_adds_stored_rows():
    stored = [n for _, n in rows_after(PAIRS, (b"a", b"a+", b"+a", b"-a", b")+a", b"a)")).values()]
    assert stored == sorted(stored, reverse=True)


def test_interchangeable_terminals_share_rows():
    rows = rows_after(PAIRS, (b"a", b"+a", b"-a"))
    assert rows["interchangeable"][1] < rows["closings"][1]


def test_a_pair_that_no_text_has_is_dropped():
    # Basic lexing does not know that no `b` follows an `a`.
    rows = rows_after('start: "a" "c" | "b" "c"\n', (b"ab", b"ac"), lexer="basic")
    assert rows["never legal"][1] < rows["interchangeable"][1]


def test_the_table_finds_ends_that_are_always_legal_where_productions_are_ambiguous():
    """By the productions an ``a`` may be the last one; the parser need not decide that."""
    rows = rows_after('start: ("a" | "-")* "a"\n', (b"-", b"--", b"-a", b"--a"))
    assert rows["always legal"][0] == rows["never legal"][0]
    assert rows["jointly legal"][0] < rows["interchangeable"][0]


def test_a_sequence_that_closes_what_it_opened_does_not_depend_on_the_stack():
    text = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'
    residue = compile_text(text, (b"f()", b"f(a)", b"f", b"a")).header["residue"]
    assert residue["max"] == 0


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_the_classes_are_named(lexer):
    header = compile_text(PAIRS, (b"a",), lexer=lexer).header
    assert header["classes"] == [["MINUS", "PLUS"]]


def test_a_bound_that_is_reached_leaves_rows_to_the_parser(monkeypatch):
    tokens = (b"a", b"a)", b"a)))", b"a)])", b"((", b"[(")
    text = 'start: "(" start ")" | "[" start "]" | "a"\n'
    whole = compile_text(text, tokens)
    monkeypatch.setattr(decisions, "MAX_ANSWERS", 10)
    bounded = compile_text(text, tokens)
    assert whole.header["left_out"] is None
    assert "the steps from jointly legal on" in bounded.header["left_out"]
    assert bounded.header["streamlining"][-1]["step"] == "always legal"
    for prefix in (b"", b"(", b"[(", b"[(a", b"((a)"):
        assert legal_tokens(bounded, prefix) == legal_tokens(whole, prefix)
