"""Grammars in another notation, patterns among them, are translated when they are loaded."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc import Limits
from maskc.artifact import header
from maskc.artifact.sections import is_link
from maskc.cli.main import run
from maskc.errors import GrammarError, LimitError, MaskcError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.notations import translate_regex
from maskc.frontends.source import load_source, source_from_header
from maskc.frontends.texts import DIALECTS, LARK, dialect_of
from maskc.wording import Phrase
from tests.frontends.random_rules import accepts
from tests.random_grammars import draw_regex

GRAMMARS = Path(__file__).parent / "grammars"


@pytest.mark.parametrize("name", ["json.gbnf", "arithmetic.ebnf"])
def test_grammars_over_characters_are_read_by_earley_with_every_split(name):
    source = load_source(GRAMMARS / name)
    assert (source.parser, source.lexer) == ("earley", "dynamic_complete")


def test_the_start_symbol_is_given_in_the_words_of_the_grammar():
    source = load_source('root ::= "a" A-b\nA-b ::= "b"\n', dialect="gbnf", start="A-b")
    assert source.start == "a_b"


def test_an_artifact_carries_the_original_and_builds_the_same_source():
    artifact = maskc.compile_grammar(r"\d+", tokenizer="bytes", dialect="regex")
    header = artifact.header["grammar"]
    assert (header["dialect"], header["original"]) == ("regex", r"\d+")
    assert source_from_header(header) == load_source(r"\d+", dialect="regex")


@pytest.mark.parametrize("path", sorted(GRAMMARS.iterdir()), ids=lambda path: path.name)
def test_a_translation_is_a_grammar_that_loads_as_it_is(path):
    source = load_source(path)
    again = load_source(source.text)
    expected = replace(source, name="<text>", dialect="lark", original=None, folder=None)
    assert again == expected


@pytest.mark.parametrize(
    "settings", [{"lexer": "basic"}, {"parser": "lalr"}, {"postlex": "a:B"}], ids=str
)
def test_a_dialect_decides_its_parser_and_lexer(settings):
    with pytest.raises(GrammarError, match="which fixes its parser and lexer"):
        load_source(GRAMMARS / "json.gbnf", **settings)


def test_an_unknown_dialect_is_refused():
    with pytest.raises(GrammarError, match="unknown dialect 'abnf'; choose one of lark, gbnf"):
        load_source("a\n", dialect="abnf")


def test_compile_takes_a_pattern(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["compile", "--regex", r"a+\d", "--tokenizer", "bytes"]) == 0
    matcher = maskc.load("regex.bytes.maskc").matcher()
    assert matcher.accept_bytes(b"aa1")
    assert matcher.is_accepting
    assert run(["inspect", "regex.bytes.maskc"]) == 0
    assert "written as        regex" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--tokenizer", "bytes"], ["x.lark", "--regex", "a", "--tokenizer", "bytes"]]
)
def test_compile_takes_a_grammar_or_a_pattern(arguments, capsys):
    assert run(["compile", *arguments]) == 2
    assert (
        "Give GRAMMAR…, or one of --regex PATTERN, --choices FILE and --json-schema FILE."
        in capsys.readouterr().err
    )


def test_compile_says_where_a_grammar_is_wrong(tmp_path, capsys):
    path = tmp_path / "bad.gbnf"
    path.write_text('root ::= word\n\nwrod ::= "a"\n')
    assert run(["compile", str(path), "--tokenizer", "bytes", "-o", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err == "maskc: bad.gbnf:1: there is no rule word; is it wrod?\n"
    assert not (tmp_path / "x").exists()


def test_every_dialect_may_stand_in_a_header():
    assert all(header._dialect(name, "dialect") is None for name in DIALECTS)
    assert header._dialect("abnf", "dialect") is not None


def test_the_help_of_compile_names_every_suffix(capsys):
    assert run(["compile", "--help"]) == 0
    text = capsys.readouterr().out
    suffixes = [s for d in DIALECTS.values() if d is not LARK for s in d.suffixes]
    assert [suffix for suffix in suffixes if suffix not in text] == []


def test_an_unknown_suffix_is_larks():
    assert dialect_of(".txt") is LARK


FOREIGN = ("terminal", "lexer", "Lark", "lalr", "earley", "// maskc")


@pytest.mark.parametrize(
    "dialect", [d for d in DIALECTS.values() if d is not LARK], ids=lambda d: d.name
)
def test_no_phrase_speaks_of_lark_to_those_who_did_not_write_for_it(dialect):
    said = [dialect.wording.phrases.get(phrase, phrase) for phrase in Phrase]
    foreign = (*FOREIGN, "rule") if dialect.wording.whole else FOREIGN
    assert [text for text in said if any(word in text for word in foreign)] == []


GBNF = 'root ::= "(" root ")" | [a-c]+ ","\n'
EBNF = "root ::= '(' root ')' | [a-c]+ ','\n"
REGEX = "(ab|ba){3}c|\\d+"
# Each bound that a pass has, with what is said when a grammar is beyond it.
RULES = {
    "maskc.regular.nodes.MAX_NFA_NODES": "automaton nodes; lower the counts in the rules",
    "maskc.lexer.dynamic_complete._MAX_LEXEME_STATES": (
        "rule root (line 1): more than 1 states in the automaton of one rule; "
        "lower its counts, or split it into rules that name each other"
    ),
    "maskc.lexer.exploration.Exploration.most_states": (
        "scanner states; simplify the rules: lower their counts, or name fewer alternatives"
    ),
    "maskc.compiler.glr.lr0.MAX_GENERAL_STATES": "parser states; simplify the rules",
    "maskc.compiler.glr.walk.MAX_PATHS": (
        "ways to cut tokens into parts of rules; let fewer rules match the same texts"
    ),
}
PATTERNS = {
    "maskc.regular.nodes.MAX_NFA_NODES": "the pattern: more than 1 automaton nodes; lower",
    "maskc.lexer.lexeme.MAX_OPEN_LEXEMES": "open lexemes; simplify the pattern",
    "maskc.lexer.exploration.Exploration.most_states": "scanner states; simplify the pattern",
    "maskc.compiler.lalr.refine.MAX_REFINED_STATES": "refined parser states; simplify the pattern",
    "maskc.compiler.rows.paths.MAX_LALR_FRONTIER": ("paths of tokens; simplify the pattern"),
}
REFUSALS = [
    *(("gbnf", GBNF, bound, said) for bound, said in RULES.items()),
    *(("ebnf", EBNF, bound, said) for bound, said in RULES.items()),
    *(("regex", REGEX, bound, said) for bound, said in PATTERNS.items()),
]


@pytest.mark.parametrize(("dialect", "text", "bound", "said"), REFUSALS)
def test_a_bound_is_told_in_the_words_of_the_dialect(dialect, text, bound, said, monkeypatch):
    monkeypatch.setattr(bound, 1)
    with pytest.raises(LimitError) as caught:
        maskc.compile_grammar(text, tokenizer="bytes", dialect=dialect)
    assert said in str(caught.value)
    check_words(caught.value, dialect)


def check_words(error: MaskcError, dialect: str) -> None:
    foreign = (*FOREIGN, "rule") if dialect == "regex" else FOREIGN
    assert [word for word in foreign if word in str(error)] == []


@pytest.mark.parametrize(("dialect", "text"), [("gbnf", GBNF), ("ebnf", EBNF), ("regex", REGEX)])
def test_a_limit_is_told_in_the_words_of_the_dialect(dialect, text):
    with pytest.raises(LimitError) as caught:
        maskc.compile_grammar(text, tokenizer="bytes", dialect=dialect, limits=Limits(text=5))
    check_words(caught.value, dialect)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?!)a", "<regex>: it matches no text at all; look for parts that contradict each other"),
        ("(a)?(?(1)b|c)", "<regex>: the pattern: conditional on group 1 by its number"),
        ("(?P<q>a(?(q)b))+", "<regex>: the pattern: conditional on group 1 inside that group"),
        ("(?P<q>a){2}+(?(q)b)", "<regex>: the pattern: conditional on group 1 inside a possessive"),
    ],
)
def test_a_pattern_is_refused_as_a_pattern(pattern, said):
    with pytest.raises(MaskcError) as caught:
        maskc.compile_grammar(pattern, tokenizer="bytes", dialect="regex")
    assert str(caught.value).startswith(said)
    check_words(caught.value, "regex")


SHORT = ["".join(t) for n in range(5) for t in itertools.product("abé", repeat=n)]


@given(st.integers(0, 2**32))
def test_the_artifact_takes_what_fullmatch_takes(seed):
    draw = Random(seed)
    pattern = "".join(draw_regex(draw, "abé") for _ in range(draw.randint(0, 3)))
    expected = [text for text in SHORT if re.fullmatch(pattern, text)]
    lark = build_lark(load_source(pattern, dialect="regex"))
    assert [text for text in SHORT if accepts(lark, text)] == expected
    if expected:
        artifact = maskc.compile_grammar(pattern, tokenizer="bytes", dialect="regex")
        assert [text for text in SHORT if takes(artifact, text)] == expected


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
