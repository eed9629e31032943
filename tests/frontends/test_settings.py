"""The settings that a grammar's first lines carry."""

import re

import pytest
from lark.exceptions import LarkError

import maskc
from maskc.errors import GrammarError
from maskc.frontends.indentation import PYTHON
from maskc.frontends.lark.build import build_lark
from maskc.frontends.settings import (
    check_parser,
    read_flags,
    read_postlex,
    read_priority,
    read_settings,
)
from maskc.frontends.source import load_source


def test_settings_stand_in_comments_before_the_first_rule():
    first = "\n// a grammar\n// maskc: start=a,b flags=im\n//maskc: lexer=basic\n"
    text = f"{first}x: y\n// maskc: start=c\n"
    assert read_settings("g", text)[0] == {"start": "a,b", "flags": "im", "lexer": "basic"}


@pytest.mark.parametrize("word", ["start", "start=", "begin=x", "=x"])
def test_what_is_no_setting_is_refused_at_its_line(word):
    with pytest.raises(GrammarError, match=r"g:2: .* is not a setting"):
        read_settings("g", f"\n// maskc: {word}\n")


def test_flags_are_letters_of_re():
    assert read_flags("g", {"flags": "is"}) == re.IGNORECASE | re.DOTALL
    with pytest.raises(GrammarError, match="unknown flag 'q'"):
        read_flags("g", {"flags": "iq"})


def test_a_priority_is_one_of_larks():
    assert read_priority("g", {}) == "normal"
    with pytest.raises(GrammarError, match="unknown priority"):
        read_priority("g", {"priority": "high"})


def test_a_file_names_no_class_but_larks():
    assert read_postlex("g:1", {"postlex": "lark.indenter:PythonIndenter"}) == PYTHON
    assert read_postlex("g:1", {}) is None
    with pytest.raises(GrammarError, match=r"g:1: .* importing one would run its code"):
        read_postlex("g:1", {"postlex": "os:system"})


def test_attributes_go_with_an_indenter():
    with pytest.raises(GrammarError, match="goes with postlex="):
        read_postlex("g:1", {"tab_len": "4"})


@pytest.mark.parametrize(
    ("parser", "lexer", "has_postlex", "fact"),
    [
        ("cyk", "basic", False, "unknown parser"),
        ("lalr", "dynamic_complete", False, "unknown lexer"),
        ("lalr", "dynamic", False, "unknown lexer"),
        ("earley", "contextual", False, "choose one of dynamic, dynamic_complete, basic"),
        ("earley", "dynamic", True, "Lark takes no postlex with lexer=dynamic"),
    ],
)
def test_what_lark_does_not_put_together_is_refused(parser, lexer, has_postlex, fact):
    with pytest.raises(GrammarError, match=fact):
        check_parser("g", parser, lexer, has_postlex=has_postlex)


EDITED = r"""// maskc: pattern=IN:in(?!\w) pattern=B:b+
start: NAME IN NAME B
IN: "in"
B: "b"
NAME: /[a-z]/
%ignore " "
"""


@pytest.mark.parametrize(("text", "is_parsed"), [("a in a bb", True), ("a ina b", False)])
def test_a_pattern_stands_in_the_place_of_a_terminals_own(text, is_parsed):
    matcher = maskc.compile_grammar(EDITED, tokenizer="bytes").matcher()
    assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == is_parsed
    lark = build_lark(load_source(EDITED))
    if is_parsed:
        lark.parse(text)
    else:
        with pytest.raises(LarkError):
            lark.parse(text)


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ("pattern=B", "is no terminal with a pattern"),
        ("pattern=B:", "is no terminal with a pattern"),
        ("pattern=B:b pattern=B:c", "names B twice"),
        ("pattern=C:c", "names C, which no rule of the grammar uses"),
        ("pattern=B:b(", "re cannot read its pattern"),
    ],
)
def test_a_pattern_that_is_none_is_refused(setting, fact):
    with pytest.raises(GrammarError, match=re.escape(fact)):
        build_lark(load_source(f"// maskc: {setting}\nstart: B\nB: /b/\n"))


BYTES = "// maskc: use_bytes=true\nstart: A\nA: /[\\x80-\\xff]/\n"


def test_texts_are_bytes_if_the_settings_say_so():
    assert load_source(BYTES).use_bytes
    assert not load_source(BYTES.replace("true", "false")).use_bytes


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (BYTES.replace("true", "yes"), "use_bytes=yes is neither true nor false"),
        (BYTES + "// é\n", "Lark takes ASCII alone with use_bytes=true"),
        (BYTES.replace("true", "true regex=true"), "use_bytes=true does not go with regex="),
        (BYTES.replace("true", "true hole=A"), "use_bytes=true does not go with hole="),
        (
            BYTES.replace("true", "true postlex=lark.indenter:PythonIndenter"),
            "use_bytes=true does not go with an Indenter",
        ),
    ],
)
def test_what_is_about_characters_does_not_go_with_bytes(text, fact):
    with pytest.raises(GrammarError, match=fact):
        load_source(text)


def test_a_role_does_not_go_with_bytes():
    with pytest.raises(GrammarError, match="use_bytes=true does not go with roles"):
        load_source(BYTES, roles={"start.A": "a"})
