"""What the steps do to the rows of small grammars, whatever parser reads these."""

import pytest

from maskc.compiler.optimise.order import STEPS
from maskc.compiler.pushdown import decisions
from tests.compiled import compile_text, legal_tokens

NESTED = 'start: "a" start "b" | "c"\n'
TOKENS = (b"a", b"b", b"bb", b"c", b"cbb", b"ac")
PAIRS = 'start: "(" start ")" | "a" (("+" | "-") "a")*\n'
BRACKETS = 'start: "(" start ")" | "[" start "]" | "a"\n'
ROUND = 'start: "(" start ")" | "a"\n'
ROUNDS = (b"(", b"((", b"(a", b"((a", b")", b"a)")
BASIC = {"lexer": "basic"}
EARLEY = {"parser": "earley"}
# `a` may follow `x` and `b` may follow `a`, and no text has `xab`.
NO_XAB = 'start: "x" "a" "c" | "y" "a" "b"\n'
DASHES = ('start: ("a" | "-")* "a"\n', (b"-", b"--", b"-a", b"--a"), {})
CONFLICT = ('start: "p" x "a" "c"\nx: "b" "a" | "b"\n', (b"p", b"pb", b"pc", b"pbc"), BASIC)


def rows_after(text, tokens, settings):
    """Return step → (rows, stored rows)."""
    header = compile_text(text, tokens, **settings).header
    return {row["step"]: (row["rows"], row["stored"]) for row in header["streamlining"]}


@pytest.mark.parametrize(
    ("text", "tokens", "settings", "before", "after"),
    [
        (PAIRS, (b"a", b"+a", b"-a"), {}, "open lexemes", "interchangeable"),
        # Basic lexing does not know that no `b` follows an `a`.
        ('start: "a" "c" | "b" "c"\n', (b"ab", b"ac"), BASIC, "interchangeable", "never legal"),
        (NO_XAB, (b"x", b"xab", b"ya", b"yab"), BASIC, "open lexemes", "never legal"),
        (NO_XAB, (b"x", b"xab", b"ya", b"yab"), EARLEY, "open lexemes", "never legal"),
        (*CONFLICT, "open lexemes", "never legal"),
        (ROUND, ROUNDS, {}, "never legal", "always legal"),
        (NESTED, (b"a", b"aa", b"aaa", b"ac"), EARLEY, "never legal", "always legal"),
        # By the productions an `a` may be the last one; the parser need not decide that.
        (*DASHES, "interchangeable", "jointly legal"),
        (
            *(NESTED, (b"b", b"bb", b"acbbb", b"cbb", b"c", b"a"), EARLEY),
            *("interchangeable", "jointly legal"),
        ),
    ],
)
def test_a_step_leaves_fewer_rows(text, tokens, settings, before, after):
    rows = rows_after(text, tokens, settings)
    assert rows[after] != rows[before]
    assert all(now <= then for now, then in zip(rows[after], rows[before], strict=True))


@pytest.mark.parametrize(
    ("text", "tokens", "settings"),
    [
        CONFLICT,
        DASHES,
        # NAMEs cannot be lexed apart, so texts of the productions are lost.
        ('start: "(" start ")" | "a" | NAME NAME\nNAME: /[b-z]+/\n', ROUNDS, {}),
    ],
)
def test_productions_cut_no_end_off_where_they_are_not_what_lark_reads(text, tokens, settings):
    rows = rows_after(text, tokens, settings)
    assert rows["always legal"] == rows["never legal"]


def test_no_step_adds_stored_rows():
    tokens = (b"a", b"a+", b"+a", b"-a", b")+a", b"a)")
    stored = [n for _, n in rows_after(PAIRS, tokens, {}).values()]
    assert stored == sorted(stored, reverse=True)


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_both_parsers_take_the_same_steps(parser):
    header = compile_text(NESTED, TOKENS, parser=parser).header
    assert [row["step"] for row in header["streamlining"]] == list(STEPS[:-1])
    assert header["residue"]["max"] > 0


def test_an_unknown_step_is_refused():
    with pytest.raises(ValueError, match="no optimisation step 'pairs'"):
        compile_text(NESTED, TOKENS, "pairs")


def test_a_sequence_that_closes_what_it_opened_does_not_depend_on_the_stack():
    text = 'start: "f" "(" start ")" | "f" "(" ")" | "a"\n'
    undecided = compile_text(text, (b"f()", b"f(a)", b"f", b"a")).header["residue"]
    assert undecided["max"] == 0


@pytest.mark.parametrize(
    ("text", "settings", "names"),
    [
        (PAIRS, {}, ["MINUS", "PLUS"]),
        (PAIRS, BASIC, ["MINUS", "PLUS"]),
        ('start: start ("*" | "/") start | "a"\n', EARLEY, ["SLASH", "STAR"]),
    ],
)
def test_the_header_names_the_classes(text, settings, names):
    assert compile_text(text, (b"a",), **settings).header["classes"] == [names]


def test_a_bound_that_is_reached_leaves_rows_to_the_parser(monkeypatch):
    tokens = (b"a", b"a)", b"a)))", b"a)])", b"((", b"[(")
    whole = compile_text(BRACKETS, tokens)
    monkeypatch.setattr(decisions, "MAX_ANSWERS", 10)
    bounded = compile_text(BRACKETS, tokens)
    assert whole.header["left_out"] is None
    assert "the steps from jointly legal on" in bounded.header["left_out"]
    assert bounded.header["streamlining"][-1]["step"] == "always legal"
    for prefix in (b"", b"(", b"[(", b"[(a", b"((a)"):
        assert legal_tokens(bounded, prefix) == legal_tokens(whole, prefix)
