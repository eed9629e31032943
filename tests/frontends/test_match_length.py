import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import UnsupportedTerminalError
from maskc.frontends import match_length as matching
from maskc.frontends.match_length import build_matcher, match_length

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


@given(PATTERNS, st.text("abé\n", max_size=5))
def test_the_length_is_that_of_re_where_re_is_not_asked(pattern, text):
    assert matching._follow(pattern, text, 0) == length_by_re(pattern, text)


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
        (r"(?:\b){0,1000000000}", "a", 0),
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
    matcher = build_matcher()
    assert matcher.match("[a-z]+", "if", 0).group(0) == "if"
    assert matcher.match("[a-z]+", "if", 0).group(0) == "if"
    assert matcher.match("[a-z]+", "+", 0) is None
