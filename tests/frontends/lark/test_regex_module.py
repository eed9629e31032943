"""Patterns of the module regex as patterns of re, and patterns of bytes."""

import re
import sys
import warnings

import lark
import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

import maskc
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.lark.regex_module import translate
from maskc.frontends.source import load_source, source_from_header
from tests.compiled import compile_text, legal_tokens
from tests.examples import examples

GRAMMAR = r"""// maskc: regex=true
start: (NAME | PRICE | KEYWORD)+
NAME: /[\p{Hebrew}_][\p{Hebrew}_x]*/
PRICE: /\p{Sc}[[:xdigit:]]+/
KEYWORD: "end"
%ignore /\s+/
"""
ITEMS = [
    *(r"\p{L}", r"\p{^Lu}", r"\pN", r"\p{Greek}", r"\p{gc=Sc}", r"[\p{Lu}x-z]", r"\s"),
    *("[[:digit:]_]", "[[:^digit:]]", r"\d", "[a-c]", "[]a]", r"[^\p{Greek}\d]"),
    *("a", "ß", "s", "K", ".", r"\.", r"\x61", "é", "(?:ab)", "(a|é)", "(?=a).", "(?!a)."),
    *(" ", "\n", "\u2003", "\x1c", "#a\n", "a #b\n", r"\ ", r"\#", "[ #]"),
    *("a +", "a{1 , 2}", "a+ ?"),
    *(r"\b", r"\B"),
]
GROUPS = ["(?:%s)", "(?i:%s)", "(?s:%s)", "(?-i:%s)", "(%s)", "(?x:%s)", "(?ix: %s\n)", "(?-x:%s)"]
CHARACTERS = "abßsſKkKéÉ1٣€$ _.\n-αΩ日]#\u2003\U00016ea0"


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


@st.composite
def patterns(draw, depth=2):
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        if depth and draw(st.booleans()):
            inner = draw(patterns(depth - 1))
            item = draw(st.sampled_from(GROUPS)) % inner
        else:
            item = draw(st.sampled_from(ITEMS))
        parts.append(item + draw(st.sampled_from(["", "", "?", "*", "+", "{1,2}", "*?"])))
    return draw(st.sampled_from(["", "|"])).join(parts)


@examples(25)
@given(patterns(), st.text(st.sampled_from(CHARACTERS), max_size=5))
@example("(?i:ß)", "ß")
@example("(?i:k)+", "Kk")
@example("(?x:a+ ?)b", "aab")
@example("(?x:a{2 , 3} # two\n b)", "aab")
@example(r"(?x: [ #] \ \# )", "# #")
@example("(?x:(?-x: a) b)", " ab")
@example(r"\b\U00016ea0\b", "\U00016ea0")
@example(r"\U00016ea0\B\U00016ea0", "\U00016ea0\U00016ea0")
def test_both_modules_match_the_same(pattern, text):
    try:
        theirs = regex.compile(pattern)
    except regex.error:
        assume(False)
    found, expected = re.match(translate("A", pattern), text), theirs.match(text)
    assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize(
    "pattern", ["a{2,3}b", r"[a-c]\.x", "(?:a|b)*+c", r"(?P<n>a)(?P=n)", "a{", "{[0-9]+}", "{[ds]}"]
)
def test_what_both_modules_read_alike_stays_as_it_is(pattern):
    assert translate("A", pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("(?:foo){e<=1}", r"fuzzy matching \{e<=1\}"),
        ("foo{e}", r"fuzzy matching \{e\}"),
        ("a{1<=i<=2,s<=1}", "fuzzy matching"),
        ("(?V1)[a--b]", r"the flags \(\?V1\)"),
        ("(?i)a", r"the flags \(\?i\)"),
        ("(?x)a", r"the flags \(\?x\)"),
        ("(?x:a{ e<=1 })", "fuzzy matching"),
        ("(?b:a)", r"the flags \(\?b:"),
        ("a(?R)?b", r"recursion, \(\?R\), of the module regex"),
        ("(a)(?1)", r"recursion, \(\?1\),"),
        ("(?P<n>a)(?&n)", r"recursion, \(\?&n\),"),
        ("(?P<n>a)(?P>n)", r"recursion, \(\?P>n\),"),
        ("(?|a|b)", r"the group \(\?\|a…"),
        ("a(*SKIP)", r"the group \(\*SK…"),
        *((rf"a\{letter}b", rf"\\{letter} of the module regex") for letter in "XKGmMRLhg"),
    ],
)
def test_what_is_not_regular_is_refused_by_name(pattern, what):
    with pytest.raises(UnsupportedTerminalError, match=f"terminal A: {what}"):
        translate("A", pattern)


@pytest.mark.parametrize(
    "text", ["אב €12 end", "_1 $٣", "end", "1x", "א€", "ende", "é_", "", "_x ¥5f", "א-א"]
)
def test_an_artifact_takes_what_lark_parses_with_regex(artifact, text):
    with warnings.catch_warnings():
        # Lark has `re` measure the pattern, which takes [[:xdigit:]] for sets of a later time.
        warnings.simplefilter("ignore", FutureWarning)
        parser = lark.Lark(GRAMMAR, parser="lalr", regex=True)
    matcher = artifact.matcher()
    ours = matcher.accept_bytes(text.encode()) and matcher.is_accepting
    try:
        parser.parse(text)
    except lark.exceptions.LarkError:
        assert not ours
    else:
        assert ours


def test_the_setting_decides_and_is_asked_for_where_it_is_missing():
    text = GRAMMAR.partition("\n")[2]
    with pytest.raises(GrammarError, match="write // maskc: regex=true at the top"):
        maskc.compile_grammar(text, tokenizer="bytes")


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("regex=yes", "regex=yes is neither true nor false"),
        ("regex=true flags=i", "flags= cannot be combined with regex=true"),
    ],
)
def test_a_setting_that_is_none_is_refused(setting, reason):
    with pytest.raises(GrammarError, match=reason):
        maskc.compile_grammar(f'// maskc: {setting}\nstart: "a"\n', tokenizer="bytes")


def test_a_string_of_either_case_is_kept():
    text = '// maskc: regex=true\nstart: "sélect"i /\\p{Lu}/\n'
    artifact = maskc.compile_grammar(text, tokenizer="bytes")
    assert artifact.matcher().accept_bytes("SÉLecTX".encode())


def test_every_way_to_read_the_grammar_knows_the_setting(artifact):
    """An artifact carries it in the grammar's text."""
    assert source_from_header(artifact.header["grammar"]).regex


def test_two_groups_of_one_name_are_refused():
    text = "// maskc: regex=true\nstart: A\nA: /(?<n>a)(?<n>b)/\n"
    with pytest.raises(UnsupportedTerminalError, match="redefinition of group name 'n'"):
        maskc.compile_grammar(text, tokenizer="bytes")


HEAD = "// maskc: use_bytes=true\n"


def takes(text, data):
    matcher = compile_text(HEAD + text).matcher()
    return matcher.accept_bytes(data) and matcher.is_accepting


def test_a_character_is_a_byte():
    assert takes("start: /[^a]/\n", b"\xff")
    assert not takes("start: /[^a]/\n", "é".encode())
    assert not takes("start: /[^\\xff]/\n", b"\xff")


def test_classes_and_cases_are_those_of_ascii():
    assert not takes("start: /\\w/\n", b"\xe9")
    assert takes("start: /\\W/\n", b"\xe9")
    assert takes('start: "a"i\n', b"A")
    assert not takes('start: LETTER\nLETTER: "\\xe9"i\n', b"\xc9")


def test_a_byte_in_the_middle_of_a_character_is_legal():
    artifact = compile_text(HEAD + "start: /[\\x80-\\x82]+/\n")
    assert legal_tokens(artifact, b"\x80") == {b"\x80", b"\x81", b"\x82", None}


def test_patterns_of_dynamic_lexers_are_utf_8():
    # Lark encodes them so, and by Latin-1 in all others.
    assert takes('start: LETTER\nLETTER: "\\xe9"\n', b"\xe9")
    earley = '// maskc: parser=earley\nstart: "\\xe9"\n'
    assert takes(earley, b"\xc3\xa9")
    assert not takes(earley, b"\xe9")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("start: /\\u0100/\n", "is no byte; write its bytes"),
        ("start: /a/u\n", "cannot use 'u' flag with a bytes pattern"),
        ("start: /\\N{DIGIT ONE}/\n", "bad escape"),
    ],
)
def test_what_is_no_pattern_of_bytes_is_refused(text, words):
    with pytest.raises(GrammarError, match=words):
        build_lark(load_source(HEAD + text))


@pytest.mark.filterwarnings("ignore:bad character in group name:DeprecationWarning")
def test_a_name_that_re_takes_in_no_pattern_of_bytes_is_refused():
    text = HEAD + 'start: "\\xe9" B\nB: "b"\n'  # of which Lark makes a name, É
    if sys.version_info < (3, 12):
        assert takes('start: "\\xe9" B\nB: "b"\n', b"\xe9b")
        return
    with pytest.raises(GrammarError, match=r'terminal "é": .* as LETTER: "\\xe9"$'):
        build_lark(load_source(text))
