"""A postlex as rules: in a comment, in a header, and as Lark runs it."""

import re
from random import Random

import pytest
from lark import Lark
from lark.exceptions import LarkError

from maskc.errors import GrammarError, LimitError, PostlexError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.indenters import load_indentation
from maskc.frontends.postlex_rules import PostlexRule, build_rules, format_rules, read_rules
from maskc.frontends.source import load_source, source_from_header
from maskc.report.grammar import format_postlex
from tests.compiled import compile_text

LINES = """
start: stmt*
stmt: NAME "=" sum NL | NL
sum: sum OP NAME | NAME | "(" sum ")"
OP: "+"
NL: "\\n"
NAME: /[a-z]+/
%ignore " "
"""
BEFORE = "// maskc: postlex=rules rule=drop:NL:before:OP\n"
BETWEEN = """// maskc: postlex=rules rule=drop:NL:between:LPAR
// maskc: brackets=LPAR:RPAR always_accept=NL
"""


class NewlineBeforeOperator:
    """Written as projects write it: holds a newline back until the next lexeme is known."""

    always_accept = ()

    def process(self, stream):
        held = None
        for token in stream:
            if token.type == "NL":
                if held is not None:
                    yield held
                held = token
                continue
            if held is not None and token.type != "OP":
                yield held
            held = None
            yield token
        if held is not None:
            yield held


class NoNewlineInBrackets:
    """Written as projects write it: counts brackets."""

    always_accept = ("NL",)

    def process(self, stream):
        depth = 0
        for token in stream:
            if not (depth and token.type == "NL"):
                yield token
            depth += (token.type == "LPAR") - (token.type == "RPAR")


def parses(lark, text):
    try:
        lark.parse(text)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize(
    ("comment", "own"), [(BEFORE, NewlineBeforeOperator), (BETWEEN, NoNewlineInBrackets)]
)
def test_rules_do_what_a_class_of_ones_own_does(comment, own):
    theirs = Lark(LINES, parser="lalr", postlex=own())
    ours = build_lark(load_source(comment + LINES))
    artifact = compile_text(comment + LINES, [b"a", b"=", b"+", b"(", b")", b"\n", b" "])
    draw, n_parsed = Random(0), 0
    for _ in range(3000):
        text = "a=a" * draw.randint(0, 1) + "".join(draw.choices("a=+()\n ", k=draw.randint(0, 9)))
        text += "\n" * draw.randint(0, 1)
        matcher = artifact.matcher()
        wanted = parses(theirs, text)
        n_parsed += wanted
        assert parses(ours, text) == wanted, text
        assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == wanted, text
    assert n_parsed > 100


def test_a_comment_writes_several_rules():
    found = read_rules({"rule": "drop:A:after:A,$START rename:B:C:before:$END"})
    assert found.rules == (
        PostlexRule("A", None, after=("$START", "A")),
        PostlexRule("B", "C", before=("$END",)),
    )


def test_rules_are_written_as_they_are_read():
    text = "rules rule=drop:A:between:L brackets=L:R always_accept=A"
    settings = dict(word.split("=") for word in text.split()[1:])
    assert format_rules(read_rules(settings)) == text


def test_a_header_carries_rules():
    source = load_source(f"{BETWEEN}{LINES}")
    header = {"name": "g", "text": source.text, "imports": {}, "start": "start"}
    header |= {"lexer": "contextual", "postlex": source.postlex.to_dict()}
    assert source_from_header(header).postlex == source.postlex
    assert format_postlex(header["postlex"]) == format_rules(source.postlex)


@pytest.mark.parametrize(
    ("rule", "fact"),
    [
        ("", "rule is missing"),
        ("keep:A", "is no rule; write rule=drop:A or rule=rename:A:B"),
        ("drop:A:before", "is no rule"),
        ("drop:A:near:B", "'near', which is no condition"),
        ("drop:A:before:B:before:C", "'before', which is no condition"),
        ("drop:a-b", "'a-b', which is no terminal's name"),
        ("drop:A:before:$START", "'$START', which is no terminal's name"),
        ("rename:A:A", "renames to the same terminal"),
        ("drop:A:between:L", "about L, which opens no bracket"),
    ],
)
def test_what_is_no_rule_is_refused(rule, fact):
    with pytest.raises(ValueError, match=re.escape(fact)):
        read_rules({"rule": rule} if rule else {})


@pytest.mark.parametrize("brackets", ["L", "L:L", "L:R,L:S", "L:R:S"])
def test_brackets_are_pairs(brackets):
    with pytest.raises(ValueError, match="brackets"):
        read_rules({"rule": "drop:A", "brackets": brackets})


def test_a_bracket_is_not_dropped():
    with pytest.raises(ValueError, match="changes a bracket"):
        read_rules({"rule": "drop:L:after:A", "brackets": "L:R"})


def test_a_header_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="rules is no list"):
        build_rules({"rules": "drop:A"})


def test_rules_without_the_postlex_are_refused():
    with pytest.raises(GrammarError, match="rule goes with postlex=rules"):
        load_source("// maskc: rule=drop:A\nstart: A\nA: /a/\n")


def test_a_rule_about_no_terminal_is_refused():
    source = load_source("// maskc: postlex=rules rule=drop:B\nstart: A\nA: /a/\n")
    with pytest.raises(GrammarError, match="names B, which no rule of the grammar uses"):
        build_lark(source)


def test_brackets_that_a_rule_leaves_open_are_refused():
    text = BETWEEN + "start: open NAME RPAR\nopen: LPAR NL?\n"
    text += 'LPAR: "("\nRPAR: ")"\nNL: "\\n"\nNAME: "a"\n'
    with pytest.raises(
        PostlexError, match=r"rule open \(line \d+\): it leaves a bracket open that RPAR closes"
    ):
        compile_text(text, [b"a"])


def test_brackets_that_one_rule_nests_too_deep_are_refused():
    nested = '"(" ' * 17 + "NL? " + '")" ' * 17
    text = f'{BETWEEN}start: {nested}\nNL: "\\n"\n'
    with pytest.raises(LimitError, match="more than 16 brackets inside each other in one rule"):
        compile_text(text, [b"a"])


def test_a_class_that_is_no_indenter_is_told_to_write_rules():
    with pytest.raises(PostlexError, match="postlex=rules rule=drop:_NL:between:LPAR"):
        load_indentation("tests.frontends.test_postlex_rules:NewlineBeforeOperator")
