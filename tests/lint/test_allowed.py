"""maskc: allow=…: findings that the author knows of."""

import pytest

from maskc.lint.allowed import drop_allowed
from maskc.lint.model import Finding, Place, Severity


def finding(line, code="ML007"):
    return Finding(code, Severity.WARNING, Place("terminal", "WS", line), "fact", None, "remedy")


def kept(text, *findings):
    return [(f.code, f.place.line) for f in drop_allowed(findings, text)]


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


@pytest.mark.parametrize("comment", ["# maskc: allow=ML007", "/* maskc: allow=ML007 */"])
def test_comments_of_other_notations_do(comment):
    assert kept(f'a ::= "x" {comment}\n', finding(1)) == []


def test_what_is_no_comment_allows_nothing():
    assert kept('a: "maskc: allow=ML007"\n', finding(1)) == [("ML007", 1)]


def test_a_grammar_that_allows_a_finding_has_none(lint):
    text = 'start: "a" "b"\n%ignore /[ ]+/ // maskc: allow=ML007\n'
    assert lint(text, "ML007") == []
    assert lint(f"// maskc: allow=ML007 it is so\n{text[:32]}\n", "ML007") == []
