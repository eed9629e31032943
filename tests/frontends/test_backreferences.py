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
    assert written == r"--\[(?:(?:=)\[.*?\](?:=)\]|(?:)\[.*?\](?:)\])"


def test_brackets_in_classes_and_escapes_open_no_group():
    written = write_without_backreference("L", r"[(]\((?:x)([ab])\1[^)]", ("a",))
    assert written == r"[(]\((?:x)(?:(?:a)(?:a)[^)])"


def test_what_stands_before_the_group_is_tried_in_its_own_order():
    # Written once for each text as a whole, the pattern took all of it.
    pattern, values = r""".*?(?P<q>['"])x(?P=q)""", ("'", '"')
    written = write_without_backreference("L", pattern, values)
    text = """'x'"x\""""
    assert re.match(written, text)[0] == re.match(pattern, text)[0] == "'x'"


_PARTS = ["a", "b", "x", "a?", "b*?", "[ab]", "(?:a|b)", "(?:x|ab)", "|", ".*?", "(?=a)", "(?P=q)"]


def _draw_pattern(draw):
    """Return a random pattern with a group, and perhaps brackets around it."""
    before, inside, after = (
        "".join(draw.choices(_PARTS[:-1], k=draw.randint(0, 3))) for _ in range(3)
    )
    group = f"(?P<q>{draw.choice(['a|b', '[ab]', 'a*', 'ab|a', 'a?b?'])})"
    opening, closing = draw.choice(
        [("", ""), ("(?:", ")"), ("(", ")"), ("(?:", ")?"), ("(?=", ")")]
    )
    end = draw.choice(["(?P=q)", "(?P=q)x", "(?:(?P=q)|x)", "(?P=q)?(?P=q)"])
    if draw.random() < 0.5:
        return f"{before}{opening}{inside}{group}{after}{closing}{end}"
    return f"{before}{opening}{inside}{group}{after}{end}{closing}"


def test_random_patterns_match_what_they_matched():
    draw, n_written, n_matched = Random(0), 0, 0
    for _ in range(6000):
        pattern = _draw_pattern(draw)
        own = re.search(r"\(\?P<q>([^)]*)\)", pattern)[1]
        values = [v for v in ("", "a", "b", "ab", "aa") if re.fullmatch(own, v) is not None]
        try:
            written = write_without_backreference("L", pattern, values)
        except UnsupportedTerminalError:
            continue
        n_written += 1
        for _ in range(12):
            # Of a* more texts match than are listed.
            text = "".join(draw.choices("abx", k=draw.randint(0, 6))).replace("aaa", "aa")
            if "aaa" in text:
                continue
            theirs, ours = re.match(pattern, text), re.match(written, text)
            n_matched += theirs is not None
            assert (theirs and theirs[0]) == (ours and ours[0]), (pattern, written, text)
    assert n_written > 1500
    assert n_matched > 2000


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
        (r"(?:a|(?P<q>b))x(?P=q)", ("b",), "brackets with alternatives"),
        (r"(?P<q>b)|x(?P=q)", ("b",), "in another alternative"),
        (r"(?P<q>b\b)x(?P=q)", ("b",), "asks about what stands around it"),
        (r"(?i)(?P<q>s)x(?P=q)", ("s",), "ignores case"),
        (r"(?x) (?P<q>b) x(?P=q)", ("b",), "has the flag x"),
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
    with pytest.raises(UnsupportedTerminalError, match="backreference=TERMINAL:a,b"):
        maskc.compile_grammar(LONG, tokenizer="bytes")


def test_a_group_is_referred_to_by_its_name_where_patterns_are_joined():
    grammar = LONG.replace("?P<level>", "").replace("(?P=level)", r"\1")
    with pytest.raises(UnsupportedTerminalError, match="by its number"):
        maskc.compile_grammar(SETTING + grammar, tokenizer="bytes")
    artifact = maskc.compile_grammar(
        SETTING + grammar, tokenizer="bytes", parser="earley", lexer="dynamic"
    )
    assert artifact.matcher().accept_bytes(b"[=[a]=] a")


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
