"""Findings as values: their locations, what the author allows; overlaps and lexemes of patterns."""

import re

import interegular
from hypothesis import given
from hypothesis import strategies as st

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import rule_of
from maskc.lint import Finding, Severity, SourceLocation
from maskc.lint.order import drop_allowed
from maskc.lint.subject import LintedLalrGrammar, find_definitions
from maskc.lint.witnesses import find_common_lexeme


def finding(line, code="ML007"):
    return Finding(
        code, Severity.WARNING, SourceLocation("terminal", "WS", line), "fact", None, "remedy"
    )


def kept(text, *findings):
    return [(f.code, f.location.line) for f in drop_allowed(findings, text)]


def test_at_the_top_it_holds_for_the_whole_grammar():
    text = '// maskc: start=a\n\n// maskc: allow=ML007,ML006 blanks are meant\na: "x"\nWS: / +/\n'
    assert kept(text, finding(5), finding(None), finding(4, "ML006"), finding(4, "ML001")) == [
        ("ML001", 4)
    ]


def test_elsewhere_it_holds_for_its_line_and_the_next_one():
    text = 'a: "x"\n%ignore / +/ // maskc: allow=ML007\nb: "y"\nc: "z"\n'
    assert kept(text, finding(1), finding(2), finding(3), finding(4)) == [
        ("ML007", 1),
        ("ML007", 4),
    ]


def test_comments_of_every_notation_do_and_a_string_does_not():
    for comment in ("# maskc: allow=ML007", "/* maskc: allow=ML007 */"):
        assert kept(f'a ::= "x" {comment}\n', finding(1)) == []
    assert kept('a: "maskc: allow=ML007"\n', finding(1)) == [("ML007", 1)]


TEXT = """\
start: list A // not: a definition
?list{item}: item ("," item)*
A.2: "not: one" | B
%extend B: /b/
"""


def test_names_have_the_lines_that_define_them():
    found = find_definitions(TEXT)
    assert {name: d.line for name, d in found.items()} == {"start": 1, "list": 2, "A": 3, "B": 4}
    assert not found["start"].is_used
    assert found["B"].is_used


def test_a_string_has_the_line_of_its_first_occurrence():
    subject = LintedLalrGrammar(load_source('start: list\nlist: "a" ("," "a")*\n'))
    assert {subject.locate_terminal(t).line for t in subject.strings} == {2}


def test_what_lark_makes_of_a_rule_is_the_rules():
    names = ("__list_star_0", "__a_b_plus_12", "_sep{value,COMMA}", "value", "__x")
    assert [rule_of(name) for name in names] == ["list", "a_b", "_sep", "value", "__x"]


PATTERNS = [
    "[0-9]+",
    "[0-9a-f]+",
    "0x[0-9]+|0",
    "a(b|c)*",
    "a*b",
    "[a-c]{2,3}",
    "ab|ac",
    "x+",
    "[^a]",
]


@given(st.sampled_from(PATTERNS), st.sampled_from(PATTERNS))
def test_two_patterns_meet_where_interegular_says_so(first, second):
    text = f"start: A | B\nA: /{first}/\nB: /{second}/\n"
    grammar, _ = load_grammar(load_source(text))
    pair = [grammar.bnf.terminals.index(name) for name in "AB"]
    one, other = (interegular.parse_pattern(p).to_fsm() for p in (first, second))
    lexeme = find_common_lexeme(grammar.lexer, pair)
    assert (lexeme is None) == (one & other).empty()
    if lexeme is not None:
        assert all(re.fullmatch(p, lexeme.decode()) for p in (first, second))
