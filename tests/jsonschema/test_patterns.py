import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.patterns import build_pattern, split_pattern
from maskc.regular.ecma import PatternError
from maskc.runtime.schema.strings.characters import DEAD

# Patterns that ECMA-262 and re read alike, but for $.
PATTERNS = [
    r"^a*$",
    r"^(a|b)*c$",
    r"^(?!ab)[abc]*$",
    r"(?=.*a)(?=.*b)^[abc]{3,5}$",
    r"\bab\b",
    r"a$|^b",
    r"(?:a(?!b)c?)+$",
    r"^(?:(?!aa).)*$",
    r"[^a]b{2,}",
    r"^(a|b(?=c))+c?$",
    r"\Ba",
    r"^((a*)*b)*$",
    r"(?:^)?a(\b)?b|(?:$){2}",
]


@given(st.sampled_from(PATTERNS), st.text("abc \n", max_size=7))
def test_a_pattern_is_found_where_re_finds_it(pattern, text):
    dfa = build_pattern(pattern)
    found = re.search(pattern.replace("$", r"\Z"), text) is not None
    assert (dfa.labels[dfa.read(text)] >= 0) == found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "unmatched"),
        ("a)", "unmatched"),
        ("[a", "unmatched"),
        ("*a", "nothing to repeat"),
        (r"a\b?", "repeats an assertion"),
        ("^*a", "repeats an assertion"),
        (r"(a)\1", "back-reference"),
        ("(?=a(?<=a))b", "one inside the other"),
        ("(?<=a(?=b))b", "one inside the other"),
        (r"(?<=a\b)b", "a word boundary inside a look-behind"),
        ("(?<=a$)b", r"\$ inside a look-behind"),
        ("a{3,2}", "out of order"),
        (r"\p{Greek}", "not one of ECMA-262"),
        ("^(a|bb){0,99999}$", "repeats something 99,999 times, more than 5,000"),
        ("a{0,9999999999999}", "repeats something 10 to the power of 12 times or more"),
        (r"\u{-1}", "without a code point"),
        (r"\u{+41}", "without a code point"),
        (r"\u{4_1}", "without a code point"),
        (r"\u{ 41 }", "without a code point"),
        (r"\u{}", "without a code point"),
        (r"\01", "octal"),
    ],
)
def test_what_is_no_pattern_or_not_regular_is_refused(pattern, why):
    with pytest.raises(PatternError, match=why):
        build_pattern(pattern)


def test_too_large_an_automaton_is_refused():
    with pytest.raises(TooLargeError):
        build_pattern("(a|b)*a(a|b){20}")


def test_a_character_beyond_16_bits_is_one_character():
    dfa = build_pattern("^.$")
    assert dfa.labels[dfa.read("😀")] >= 0


def test_a_count_over_one_set_is_a_length():
    ((dfa, low, high),) = split_pattern("^[a-z]{2,300}$")
    assert (dfa.n_states, low, high) == (2, 2, 300)


def test_a_small_pattern_is_built_once():
    assert split_pattern("^ab{1,3}$")[0][0] is split_pattern("^ab{1,3}$")[0][0]
    assert build_pattern("^ab{1,3}$") is build_pattern("^ab{1,3}$")


@given(st.sampled_from(PATTERNS), st.text("abc \n", max_size=7))
def test_a_pattern_is_found_where_one_of_its_parts_is(pattern, text):
    found = any(
        dfa.labels[dfa.read(text)] >= 0 and low <= len(text) <= (high or len(text))
        for dfa, low, high in split_pattern(pattern)
    )
    assert found == (re.search(pattern.replace("$", r"\Z"), text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [r"\ud83d", r"[\ud800-\udfff]", r"[^\0-\ud7ff\ue000-\u{10ffff}]", r"\p{Cs}", r"[\P{Any}]"],
)
def test_no_text_has_half_of_a_surrogate_pair(pattern):
    """Or the strings of such a pattern would be a dead end."""
    assert build_pattern(pattern).start == DEAD
    assert build_pattern(f"^(?!a{pattern})").is_universal


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^[\P{Any}-a]$", "-"),
        (r"^\u{00000000061}$", "a"),
        (r"^(?<$a>b)$", "b"),
        ("^\\0²$", "\0²"),
        (r"^[\ud7ff-\ue000]$", "\ue000"),
        (r"^\ud83d\ude00$", "😀"),
    ],
)
def test_odd_patterns_are_read(pattern, text):
    dfa = build_pattern(pattern)
    assert dfa.labels[dfa.read(text)] >= 0
