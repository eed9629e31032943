"""A back-reference to one of a few texts, written once for each of them."""

import re
from random import Random

import pytest
from lark import Lark
from lark.exceptions import LarkError

import maskc
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.backreferences import write_without_backreference
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source

LONG = r"""
start: (LONG | WORD)*
LONG: /\[(?P<level>=*)\[.*?](?P=level)]/s
WORD: /[a-c]+/
%ignore " "
"""
SETTING = "// maskc: backreference=LONG:,=,==\n"


def test_a_pattern_is_written_once_for_each_text():
    written = write_without_backreference("L", r"--\[(=*)\[.*?\]\1\]", ("", "="))
    assert written == r"(?:--\[(?:=)\[.*?\](?:=)\]|--\[(?:)\[.*?\](?:)\])"


def test_brackets_in_classes_and_escapes_open_no_group():
    written = write_without_backreference("L", r"[(]\((?:x)([ab])\1[^)]", ("a",))
    assert written == r"(?:[(]\((?:x)(?:a)(?:a)[^)])"


@pytest.mark.parametrize(
    ("pattern", "values", "fact"),
    [
        (r"(a)b", ("a",), "does not refer back to exactly one group"),
        (r"(a)(b)\1\2", ("a",), "does not refer back to exactly one group"),
        (r"(a)*\1", ("a",), "is repeated"),
        (r"(?:x(a)\1)+", ("a",), "is repeated"),
        (r"(a|b)\1", ("c",), "does not match the text 'c'"),
        (r"(a*?)\1", ("", "a"), "tries '' before 'a'"),
        (r"(a)\1(?(1)b|c)", ("a",), "conditional group"),
    ],
)
def test_what_cannot_be_written_so_is_refused(pattern, values, fact):
    with pytest.raises(UnsupportedTerminalError, match=re.escape(fact)):
        write_without_backreference("L", pattern, values)


def test_texts_with_listed_values_are_those_that_lark_parses_itself():
    own = Lark(LONG, parser="lalr")
    artifact = maskc.compile_grammar(SETTING + LONG, tokenizer="bytes")
    draw, n_parsed = Random(0), 0
    parts = ["[", "=", "]", "a", " ", "[[", "]]", "[=[", "]=]", "[==[", "]==]"]
    for _ in range(4000):
        text = "".join(draw.choices(parts, k=draw.randint(0, 8)))
        if "===" in text:
            continue
        try:
            own.parse(text)
        except LarkError:
            is_parsed = False
        else:
            is_parsed = True
        matcher = artifact.matcher()
        n_parsed += is_parsed
        assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == is_parsed, text
    assert n_parsed > 100


def test_a_back_reference_without_its_texts_says_how_to_list_them():
    with pytest.raises(UnsupportedTerminalError, match="backreference=LONG_COMMENT:,=,=="):
        maskc.compile_grammar(LONG, tokenizer="bytes")


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ("backreference=LONG", "is no terminal with texts"),
        ("backreference=LONG: backreference=LONG:=", "names LONG twice"),
        ("backreference=SHORT:=", "names SHORT, which no rule of the grammar uses"),
        (f"backreference=LONG:{','.join(['='] * 101)}", "has more than 100 texts"),
    ],
)
def test_a_setting_that_is_none_is_refused(setting, fact):
    with pytest.raises(GrammarError, match=fact):
        build_lark(load_source(f"// maskc: {setting}\n{LONG}"))
