"""``--regex``: the texts of ``re.fullmatch``, read by Lark's LALR and by the artifact."""

import itertools
import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.artifact.sections import is_link
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.regex import translate_regex
from maskc.frontends.source import load_source
from tests.frontends.random_rules import accepts
from tests.random_grammars import draw_regex

TEXTS = ["".join(t) for n in range(5) for t in itertools.product("abé", repeat=n)]


@given(st.integers(0, 2**32))
def test_the_artifact_takes_what_fullmatch_takes(seed):
    draw = Random(seed)
    pattern = "".join(draw_regex(draw, "abé") for _ in range(draw.randint(0, 3)))
    expected = [text for text in TEXTS if re.fullmatch(pattern, text)]
    lark = build_lark(load_source(pattern, dialect="regex"))
    assert [text for text in TEXTS if accepts(lark, text)] == expected
    if expected:
        artifact = maskc.compile_grammar(pattern, tokenizer="bytes", dialect="regex")
        assert [text for text in TEXTS if takes(artifact, text)] == expected


def takes(artifact, text):
    matcher = artifact.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("a|ab", ["a", "ab"], ["", "abb"]),
        (r"(a|ab)(c|bcd)*", ["ab", "acbcd", "abc"], ["abcd"[:0], "abd"]),
        (r"\d*", ["", "12"], ["a"]),
        ("", [""], ["a"]),
        ("(?i)Ab*", ["a", "ABb"], ["b"]),
        ("(?x) a b  # not c)", ["ab"], ["a b"]),
        ("(?x) (?i) a", ["a", "A"], [" a"]),
        ("(?s)a.", ["a\n"], ["a"]),
        ("(?u)é", ["é"], ["e"]),
        ("(?>a|ab)c", ["ac"], ["abc"]),
        ("^a$", ["a"], ["a\n"]),
        (r"a\Z", ["a"], ["a\n"]),
        ("a(?=b)b*", ["ab", "abb"], ["a"]),
        ("(?=a)a?b?", ["a", "ab"], ["", "b"]),
        ("a*?b*?", ["", "aab"], ["ba"]),
        ("(?P<PATTERN>a)(?P<PATTERN_>b)", ["ab"], ["a"]),
        ("(?P<q>a)?(?(q)b|c)", ["ab", "c"], ["ac", "b"]),
        (r"[\]\"\\/'\n]+", ["]\"\\/'\n"], ["a"]),
        (r"\n\r\t\f\x41\u00e9\U0001F600", ["\n\r\t\fAé😀"], ["n"]),
        ("\n/\"'é", ["\n/\"'é"], [""]),
        ("(?x)[\\n ]\\\n", ["\n\n", " \n"], ["\n"]),
        (r"(?i)(['\"])(?:(a|ab)x\2)*\1", ["''", '"axAAbxab"', "'abxAB'"], ["'axb'", "'\""]),
    ],
)
def test_a_pattern_means_its_full_matches(pattern, inside, outside):
    lark = build_lark(load_source(pattern, dialect="regex"))
    artifact = maskc.compile_grammar(pattern, tokenizer="bytes", dialect="regex")
    for text in (*inside, *outside):
        expected = text in inside
        assert (re.fullmatch(pattern, text) is not None) == expected
        assert accepts(lark, text) == expected
        assert takes(artifact, text) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "re refuses the pattern: missing \\)"),
        ("a{1,99999999999999}", "re refuses the pattern"),
        ("a(?i)b", "global flags not at the start"),
        (r"(a*)\1", "too many texts for an automaton; write the texts"),
        (r"(?P<q>a)*(?P=q)", "it refers back to is repeated"),
        ("\ud800", "the pattern is not UTF-8"),
        ("(" * 9999 + ")" * 9999, "too many groups inside each other; open fewer"),
    ],
)
def test_a_pattern_is_refused_with_a_sentence(pattern, message):
    with pytest.raises(GrammarError, match=message):
        translate_regex(pattern)


def test_a_conditional_on_a_number_is_refused_by_name():
    with pytest.raises(UnsupportedTerminalError, match="name the group"):
        build_lark(load_source("(a)?(?(1)b|c)", dialect="regex"))


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        ("[a-z]{1,65536};", ["a;", "a" * 65_536 + ";"], [";", "a" * 65_537, "a"]),
        ("(?:[ab]{1,300};){2,300}", ["a;b;", "ab;" * 300], ["a;", "ab;" * 301]),
    ],
)
def test_a_pattern_that_counts_far_is_followed_with_counters(pattern, right, wrong, tmp_path):
    """Written out it has more states than an artifact may have."""
    artifact = maskc.compile_grammar(pattern, tokenizer="bytes", dialect="regex")
    artifact.save(tmp_path / "a.maskc")
    loaded = maskc.load(tmp_path / "a.maskc")
    for text in [*right, *wrong]:
        matcher = loaded.matcher()
        legal = matcher.accept_bytes(text.encode()) and matcher.is_accepting
        assert legal == (text in right) == bool(re.fullmatch(pattern, text))


def test_a_pattern_is_followed_with_counters_only_from_a_size_on():
    counted = [
        is_link(maskc.compile_grammar(f"a{{{n}}}b", tokenizer="bytes", dialect="regex").header)
        for n in (1_999, 2_000)
    ]
    assert counted == [False, True]
