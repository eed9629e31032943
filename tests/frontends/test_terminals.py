"""Terminals: their roles, holes and conditionals, what re makes of them, and their numbers."""

import re

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.build import check_version, keyword_tail
from maskc.frontends.loading import load_grammar
from maskc.frontends.settings import Role, read_roles, split_role, write_roles
from maskc.frontends.source import load_source, source_from_header
from maskc.frontends.translation import END_NAME, number_names
from maskc.grammar import Production
from maskc.regular.matching import KeywordMatcher, match_length
from maskc.regular.python import check_conditionals, looks_around
from maskc.report.inspect import view_artifact

LINE = "// maskc-terminal: class_name.NAME=[A-Z]+\n"


def test_a_line_names_a_rule_a_terminal_and_a_pattern():
    assert read_roles("g", f'start: "a"\n{LINE}') == (Role(("class_name",), "NAME", "[A-Z]+"),)


def test_rules_on_the_way_are_named_before_the_terminal():
    (role,) = read_roles("g", "// maskc-terminal: classdef.name.NAME = a=b\n")
    assert role == Role(("classdef", "name"), "NAME", " a=b")
    assert role.title == "classdef.name.NAME"


def test_the_last_line_of_a_role_counts():
    text = LINE + "// maskc-terminal: class_name.NAME=x\n"
    assert [role.pattern for role in read_roles("g", text)] == ["x"]


def test_a_comment_is_no_role():
    assert read_roles("g", "// maskc: start=a\n// a maskc-terminal: x.Y=z\n") == ()


def test_what_is_written_is_read():
    text = write_roles("g", 'start: "a"', {"a.B": r"\w\ +", "c.d.E": "[ ]x"})
    assert text.startswith('start: "a"\n')
    assert [(r.title, r.pattern) for r in read_roles("g", text)] == [
        ("a.B", r"\w\ +"),
        ("c.d.E", "[ ]x"),
    ]


@pytest.mark.parametrize("line", ["NAME=a", "a.B", "a..B=c", "a.B C=d", "=x"])
def test_a_line_that_is_no_role_is_refused_with_its_place(line):
    with pytest.raises(GrammarError, match=r"g:2: .* is not a role; write RULE\.TERMINAL=PATTERN"):
        read_roles("g", f"\n// maskc-terminal: {line}\n")


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        ("(?=a)b", r"has the look-ahead \(\?=…\)"),
        (r"a\b", r"has the word boundary \\b"),
        (r"(a)\1", "has a back-reference"),
        ("(?>a|ab)c", r"has the atomic group \(\?>…\)"),
        ("a++", "has a possessive quantifier"),
        ("(a|(b(?!c)))", r"has the look-ahead \(\?!…\)"),
        ("[", "is not one of re"),
        ("(" * 2000 + ")" * 2000, "is not one of re"),
    ],
)
def test_a_pattern_that_looks_beyond_its_lexeme_is_refused(pattern, fact):
    with pytest.raises(GrammarError, match=f"the pattern of a.B {fact}"):
        read_roles("g", f"// maskc-terminal: a.B={pattern}\n")


@pytest.mark.parametrize("pattern", [" a", "a\n", "a\nb"])
def test_a_pattern_that_no_line_could_hold_is_refused(pattern):
    with pytest.raises(GrammarError, match=r"begins or ends with a blank, or has a line break"):
        write_roles("g", "", {"a.B": pattern})


def test_a_word_of_a_command_line_has_an_equals_sign():
    assert split_role("a.B==") == ("a.B", "=")
    with pytest.raises(GrammarError, match=r"a\.B: it is not a role; write RULE\.TERMINAL=PATTERN"):
        split_role("a.B")


def test_what_looks_around_is_found_at_any_depth():
    assert looks_around(r"a(?:b|(c\B))", 0)
    assert not looks_around("(?P<x>a)[^b]*?", 0)


HOLES = """start: "a" TABLE _NL
TABLE: /[b-z]+/
BLANK: " "
_NL: /\\n[ \\t]*/
%ignore BLANK
"""


def test_a_marked_terminal_is_shown_by_inspect_and_can_be_narrowed():
    artifact = maskc.compile_grammar(f"// maskc: hole=TABLE\n{HOLES}", tokenizer="bytes")
    assert source_from_header(artifact.header["grammar"]).holes == ("TABLE",)
    view = view_artifact(artifact, b"")
    assert view is not None
    (terminals,) = (section.blocks[0] for section in view if section.anchor == "terminals")
    assert {name: note for name, _, note in terminals.rows if note} == {
        "TABLE": "a hole",
        "BLANK": "ignored",
    }
    matcher = artifact.matcher(TABLE=["users"])
    assert matcher.accept_text("a u")
    assert not matcher.accept_text("x")


@pytest.mark.parametrize(
    ("mark", "fact"),
    [
        ("hole=TABEL", "hole=TABEL is not a terminal that the rules use"),
        ("hole=start", "hole=start is not a terminal"),
        ("hole=BLANK", "hole=BLANK is ignored"),
        ("hole=TABLE parser=earley", "hole= needs parser=lalr"),
    ],
)
def test_what_cannot_be_narrowed_is_no_hole(mark, fact):
    with pytest.raises(GrammarError, match=f"<text>: {fact}"):
        load_grammar(load_source(f"// maskc: {mark}\n{HOLES}"))


def test_what_the_indenter_makes_is_no_hole():
    with pytest.raises(GrammarError, match="hole=_NEWLINE is the Indenter's"):
        load_grammar(
            load_source(f"// maskc: hole=_NEWLINE postlex=lark.indenter:PythonIndenter\n{PYTHON}")
        )


PYTHON = """start: (WORD _NEWLINE | WORD _NEWLINE _INDENT start _DEDENT)+
WORD: /[a-z]+/
_NEWLINE: /\\n[ \\t]*/
LPAR: "("
RPAR: ")"
LSQB: "["
RSQB: "]"
LBRACE: "{"
RBRACE: "}"
%declare _INDENT _DEDENT
"""


@pytest.mark.parametrize(
    "pattern", ["a(b)?c", "(?P<q>a)?(?(q)b|c)", r"\(\?(1)", "(x)(?P<q>a)?(?(q)b)"]
)
def test_a_name_or_no_conditional_is_fine(pattern):
    check_conditionals("T", pattern, 0)


@pytest.mark.parametrize("pattern", ["(a)?(?(1)b|c)", "(?P<q>a)?(b)?(?(q)c)(?(2)d)"])
def test_a_number_is_refused_by_terminal(pattern):
    with pytest.raises(UnsupportedTerminalError, match=r"terminal T: conditional on group \d"):
        check_conditionals("T", pattern, 0)


ATOMS = st.sampled_from(["a", "b", "é", "[ab]", ".", r"\w", "[^a]", r"\b", "^", "$", "(?i:B)"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "??", "{1,2}", "{2}", "*+"])).map(
            "(?:{0[0]}){0[1]}".format
        ),
        inner.map("(?={})".format),
        inner.map("(?!{})".format),
        inner.map("(?>{})".format),
        ATOMS.filter(lambda atom: atom in ("a", "b", ".")).map("(?<={})".format),
    ),
    max_leaves=5,
)


def length_by_re(pattern: str, text: str) -> int | None:
    found = re.match(pattern, text)
    return None if found is None else found.end()


@given(PATTERNS, st.text("abé\n", max_size=5))
def test_the_length_is_that_of_re(pattern, text):
    assert match_length(pattern, text) == length_by_re(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text", "length"),
    [
        ("(a|a)*b", "a" * 60 + "c", None),
        ("(a|a)*b", "a" * 60 + "b", 61),
        ("(?:|){60}b", "", None),
        ("(?:|){60}b?", "", 0),
        ("(a*)*b", "a" * 50, None),
        ("a?" * 40 + "b", "a" * 40, None),
        (".*.*.*.*.*.*c", "a" * 400, None),
        ("((a?){50}){50}", "", 0),
        (r"\B", "", 0),
        (r"(?!\B)|a", "", None),
    ],
)
def test_what_re_would_try_for_ever_is_answered(pattern, text, length):
    assert match_length(pattern, text) == length


def test_flags_of_the_grammar_count():
    assert match_length("(A|A)*", "a" * 60, re.IGNORECASE) == 60


def test_what_no_automaton_follows_is_refused_rather_than_tried():
    with pytest.raises(UnsupportedTerminalError):
        match_length(r"((a|a)*)\1b", "a" * 60)


def test_a_matcher_answers_as_re_does():
    matcher = KeywordMatcher()
    assert matcher.match("[a-z]+", "if", 0).group(0) == "if"
    assert matcher.match("[a-z]+", "if", 0).group(0) == "if"
    assert matcher.match("[a-z]+", "+", 0) is None


# A name may take the line break after it, and so may be a keyword in Lark 1.2, and not in 1.3.
GRAMMAR = """
start: IF "x" | NAME "y"
IF: "if"
NAME: /[a-z]{2}\\n?/
"""
MULTILINE = """
// maskc: flags=m
start: IF "x" | NAME "y"
IF: "if"
NAME: /[a-z]{2}(\\n[a-z]{2})?/
"""
TEXTS = ["ifx", "ify", "if\nx", "if\ny", "ab\ny", "if\nabx", "if\naby", "if\nify"]


@pytest.mark.parametrize("grammar", [GRAMMAR, MULTILINE])
def test_a_keyword_before_a_line_break_is_what_the_installed_lark_takes_it_for(grammar):
    flags = 8 if "flags" in grammar else 0
    judge = lark.Lark(grammar, parser="lalr", g_regex_flags=flags)

    def is_text(text):
        try:
            judge.parse(text)
        except lark.exceptions.LarkError:
            return False
        return True

    artifact = maskc.compile_grammar(grammar, tokenizer="bytes")
    found = {}
    for text in TEXTS:
        matcher = artifact.matcher()
        found[text] = matcher.accept_bytes(text.encode()) and matcher.is_accepting
    assert found == {text: is_text(text) for text in TEXTS}
    old = lark.__version__.startswith("1.2")
    assert found["if\nx"] == (old and "flags" not in grammar)
    assert found["if\nabx"] == (old and "flags" in grammar)


@pytest.mark.parametrize(
    ("version", "flags", "tail"),
    [
        ("1.3.1", 0, ""),
        ("1.3.0", 8, ""),
        ("2.0", 0, ""),
        ("1.2.2", 0, r"\n?"),
        ("1.2.2", 8, r"(?:\n[\s\S]*)?"),
    ],
)
def test_what_may_follow_a_keyword(version, flags, tail, monkeypatch):
    monkeypatch.setattr("lark.__version__", version)
    assert keyword_tail(flags) == tail


def test_a_lark_older_than_those_we_are_held_against_is_refused(monkeypatch):
    monkeypatch.setattr("lark.__version__", "1.2.1")
    with pytest.raises(GrammarError, match=r"Lark 1\.2\.1 is installed, .* Lark 1\.2\.2 or newer"):
        check_version("x.lark")
    monkeypatch.setattr("lark.__version__", "1.2.2")
    check_version("x.lark")


NUMBERING = number_names(["B", "A", END_NAME], ["y", "x"])


def test_symbols_are_numbered_in_the_order_of_their_names():
    assert NUMBERING.terminals == (END_NAME, "A", "B")
    assert NUMBERING.nonterminals == ("x", "y")
    assert number_names(["A", "B"], ["x", "y"]) == NUMBERING


def test_a_nonterminal_is_negative_on_a_right_side():
    sides = [("B", True), ("y", False), ("x", False)]
    assert NUMBERING.produce("y", sides) == Production(1, (2, -2, -1))


def test_productions_come_once_and_in_order():
    one, other = NUMBERING.produce("x", [("y", False)]), NUMBERING.produce("x", [("A", True)])
    bnf = NUMBERING.make_bnf("y", [one, other, one])
    assert bnf.productions == (other, one)
    assert bnf.start == 1
