"""The attributes of an Indenter as a value, in a comment, and in a header."""

import pytest
from lark.indenter import PythonIndenter

from maskc.errors import GrammarError
from maskc.frontends.indentation import (
    ATTRIBUTES,
    PYTHON,
    build_indentation,
    format_indentation,
    read_indentation,
)
from maskc.frontends.source import load_source, source_from_header

LINE = "// maskc: postlex=indenter NL_type=_NL INDENT_type=_IN DEDENT_type=_DE tab_len=4"
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
    source = load_source(f"{LINE} OPEN_PAREN_types=LPAR,LSQB CLOSE_PAREN_types=RPAR,RSQB{REST}")
    assert source.postlex == build_indentation(
        {
            **WRITTEN,
            "OPEN_PAREN_types": ["LSQB", "LPAR"],
            "CLOSE_PAREN_types": ["RPAR", "RSQB"],
        }
    )


def test_attributes_may_stand_on_several_lines():
    first, second = LINE.split(" DEDENT_type")
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
    source = load_source(f"{LINE} OPEN_PAREN_types=LPAR,( CLOSE_PAREN_types=)\nstart: A\nA: /a/\n")
    assert source.postlex.opens == ("(", "LPAR")
    assert source.postlex.names() == {"_NL", "_IN", "_DE", "LPAR"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("// maskc: postlex=evil:E", "<text>:2: postlex=evil:E names a class, and importing"),
        ("// maskc: postlex=.x:y", "<text>:2: postlex=.x:y names a class"),
        ("// maskc: postlex=lark.indenter:Indenter", "<text>:2: postlex=lark.indenter:Indenter na"),
        ("// maskc: postlex=indenter", "<text>:2: postlex=indenter: NL_type is missing; write NL"),
        ("// maskc: NL_type=_NL", "<text>:2: NL_type goes with postlex=indenter"),
        (f"{LINE} TAB_len=4", "<text>:2: 'TAB_len=4' is not a setting"),
        (f"{LINE} NL_type=", "<text>:2: 'NL_type=' is not a setting"),
        (f"{LINE} tab_len=0", "<text>:2: postlex=indenter: tab_len is 0, which is no number of"),
        (f"{LINE} tab_len=-1", "tab_len is '-1', which is no number"),
        (f"{LINE} tab_len=65536", "tab_len is 65536, which is no number"),
        (f"{LINE} tab_len={'9' * 5000}", "tab_len is '9999"),
        (f"{LINE} NL_type=a-b", "NL_type is 'a-b', which is no terminal's name"),
        (f"{LINE} OPEN_PAREN_types=A,,B", "OPEN_PAREN_types is ['A', '', 'B'], which is no list"),
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
        ({**WRITTEN, "process": "x"}, "has a postlex whose 'process' is no attribute"),
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
