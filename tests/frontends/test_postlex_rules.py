"""A postlex as rules or as an Indenter's attributes: in a comment, in a header, in Lark."""

import re
from random import Random

import pytest
from lark import Lark
from lark.exceptions import LarkError
from lark.indenter import PythonIndenter

from maskc.errors import GrammarError, LimitError, PostlexError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.rule_postlex import load_indentation
from maskc.frontends.postlex import (
    ATTRIBUTES,
    PYTHON,
    PostlexRule,
    build_indentation,
    build_rules,
    format_indentation,
    format_rules,
    read_indentation,
    read_rules,
)
from maskc.frontends.source import load_source, source_from_header
from maskc.report.internals import format_postlex
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
        ("keep:A", "is not a rule; write rule=drop:A or rule=rename:A:B"),
        ("drop:A:before", "is not a rule"),
        ("drop:A:near:B", "'near', which is not a condition"),
        ("drop:A:before:B:before:C", "'before', which is not a condition"),
        ("drop:a-b", "'a-b', which is not a terminal's name"),
        ("drop:A:before:$START", "'$START', which is not a terminal's name"),
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
    with pytest.raises(ValueError, match="rules is not a list"):
        build_rules({"rules": "drop:A"})


RPAR = 'LPAR: "("\nRPAR: ")"\nNL: "\\n"\nNAME: "a"\n'
NESTED_17 = '"(" ' * 17 + "NL? " + '")" ' * 17


@pytest.mark.parametrize(
    ("text", "error", "fact"),
    [
        ("// maskc: rule=drop:A\nstart: A\nA: /a/\n", GrammarError, "needs postlex=rules"),
        (
            "// maskc: postlex=rules rule=drop:B\nstart: A\nA: /a/\n",
            *(GrammarError, "names B, which no rule of the grammar uses"),
        ),
        (
            f"{BETWEEN}start: open NAME RPAR\nopen: LPAR NL?\n{RPAR}",
            *(PostlexError, r"rule open \(line \d+\): it leaves a bracket open that RPAR closes"),
        ),
        (
            f'{BETWEEN}start: {NESTED_17}\nNL: "\\n"\n',
            *(LimitError, "more than 16 nested brackets in one rule"),
        ),
    ],
)
def test_rules_that_a_grammar_cannot_have_are_refused(text, error, fact):
    with pytest.raises(error, match=fact):
        compile_text(text, [b"a"])


def test_a_class_that_is_no_indenter_is_told_to_write_rules():
    with pytest.raises(PostlexError, match="postlex=rules rule=drop:_NL:between:LPAR"):
        load_indentation("tests.frontends.test_postlex_rules:NewlineBeforeOperator")


INDENTER = "// maskc: postlex=indenter NL_type=_NL INDENT_type=_IN DEDENT_type=_DE tab_len=4"
REST = "\nstart: A\nA: /a/\n"
HEADER = {"name": "g", "text": "start: A\n", "imports": {}, "start": "start", "lexer": "basic"}
WRITTEN = {
    "NL_type": "_NL",
    "INDENT_type": "_IN",
    "DEDENT_type": "_DE",
    "OPEN_PAREN_types": [],
    "CLOSE_PAREN_types": [],
    "tab_len": 4,
}


def refusal(line):
    with pytest.raises(GrammarError) as caught:
        load_source(f"// A grammar.\n{line}{REST}")
    return str(caught.value)


def test_the_known_indenter_is_larks():
    found = {name: getattr(PythonIndenter(), name) for name in ATTRIBUTES}
    assert build_indentation(found) == PYTHON


def test_a_comment_writes_the_attributes_out():
    source = load_source(f"{INDENTER} OPEN_PAREN_types=LPAR,LSQB CLOSE_PAREN_types=RPAR,RSQB{REST}")
    assert source.postlex == build_indentation(
        {**WRITTEN, "OPEN_PAREN_types": ["LSQB", "LPAR"], "CLOSE_PAREN_types": ["RPAR", "RSQB"]}
    )


def test_attributes_may_stand_on_several_lines():
    first, second = INDENTER.split(" DEDENT_type")
    assert load_source(
        f"{first}\n// maskc: DEDENT_type{second}{REST}"
    ).postlex == build_indentation(WRITTEN)


def test_an_indentation_is_written_as_it_is_read():
    line = format_indentation(build_indentation({**WRITTEN, "OPEN_PAREN_types": ["B", "A", "B"]}))
    assert line == (
        "indenter NL_type=_NL INDENT_type=_IN DEDENT_type=_DE OPEN_PAREN_types=A,B tab_len=4"
    )
    assert load_source(f"// maskc: postlex={line}{REST}").postlex.opens == ("A", "B")


def test_a_bracket_that_is_no_terminals_name_never_comes():
    source = load_source(
        f"{INDENTER} OPEN_PAREN_types=LPAR,( CLOSE_PAREN_types=)\nstart: A\nA: /a/\n"
    )
    assert source.postlex.opens == ("(", "LPAR")
    assert source.postlex.names() == {"_NL", "_IN", "_DE", "LPAR"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("// maskc: postlex=evil:E", "<text>:2: postlex=evil:E names a class, and importing"),
        ("// maskc: postlex=.x:y", "<text>:2: postlex=.x:y names a class"),
        ("// maskc: postlex=lark.indenter:Indenter", "<text>:2: postlex=lark.indenter:Indenter na"),
        ("// maskc: postlex=indenter", "<text>:2: postlex=indenter: NL_type is missing; write NL"),
        ("// maskc: NL_type=_NL", "<text>:2: NL_type needs postlex=indenter"),
        (f"{INDENTER} TAB_len=4", "<text>:2: 'TAB_len=4' is not a setting"),
        (f"{INDENTER} NL_type=", "<text>:2: 'NL_type=' is not a setting"),
        (
            f"{INDENTER} tab_len=0",
            "<text>:2: postlex=indenter: tab_len is 0, which is not a number of",
        ),
        (f"{INDENTER} tab_len=-1", "tab_len is '-1', which is not a number"),
        (f"{INDENTER} tab_len=65536", "tab_len is 65536, which is not a number"),
        (f"{INDENTER} tab_len={'9' * 5000}", "tab_len is '9999"),
        (f"{INDENTER} NL_type=a-b", "NL_type is 'a-b', which is not a terminal's name"),
        (
            f"{INDENTER} OPEN_PAREN_types=A,,B",
            "OPEN_PAREN_types is ['A', '', 'B'], which is not a list",
        ),
    ],
)
def test_a_malformed_comment_is_refused_at_its_line(line, message):
    found = refusal(line)
    assert message in found
    assert "\n" not in found
    assert len(found) < 600


def test_a_class_on_the_command_line_wins_over_one_in_the_file():
    source = load_source(f"// maskc: postlex=evil:E{REST}", postlex="lark.indenter:PythonIndenter")
    assert source.postlex == PYTHON


def test_a_header_carries_attributes():
    assert source_from_header({**HEADER, "postlex": WRITTEN}).postlex == build_indentation(WRITTEN)


def test_a_header_of_an_older_version_may_name_larks_own():
    header = {**HEADER, "postlex": "lark.indenter:PythonIndenter"}
    assert source_from_header(header).postlex == PYTHON


@pytest.mark.parametrize(
    ("postlex", "message"),
    [
        ("evil:E", "names the postlex evil:E, and what a file names is not imported; compile the"),
        (7, "names the postlex 7"),
        (["evil:E"], "names the postlex"),
        ({}, "has a postlex whose NL_type is missing"),
        ({**WRITTEN, "tab_len": True}, "has a postlex whose tab_len is True"),
        ({**WRITTEN, "tab_len": 4.0}, "has a postlex whose tab_len is 4.0"),
        ({**WRITTEN, "NL_type": None}, "has a postlex whose NL_type is None"),
        ({**WRITTEN, "OPEN_PAREN_types": "LPAR"}, "has a postlex whose OPEN_PAREN_types is 'LPAR'"),
        ({**WRITTEN, "OPEN_PAREN_types": [1]}, "has a postlex whose OPEN_PAREN_types is [1]"),
        ({**WRITTEN, "process": "x"}, "has a postlex whose 'process' is not an attribute"),
    ],
)
def test_any_other_header_is_refused(postlex, message):
    with pytest.raises(GrammarError) as caught:
        source_from_header({**HEADER, "postlex": postlex})
    assert message in str(caught.value)


@pytest.mark.parametrize("key", ["name", "text", "start", "lexer", "imports"])
@pytest.mark.parametrize("value", [None, 7, [], {"a": 1}], ids=str)
def test_a_header_without_what_a_grammar_has_is_refused(key, value):
    if key == "imports" and value == {}:
        return
    with pytest.raises(GrammarError, match="compile the grammar again"):
        source_from_header({**HEADER, key: value})


def test_brackets_that_are_left_out_are_none():
    settings = {"NL_type": "_NL", "INDENT_type": "_IN", "DEDENT_type": "_DE", "tab_len": "4"}
    assert read_indentation(settings) == build_indentation(WRITTEN)
