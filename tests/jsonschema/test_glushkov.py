"""Automata of patterns hold what ``re`` holds, in few states."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.jsonschema import glushkov
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.threads import build_automaton
from maskc.regular.ecma import parse_pattern

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "^", "$", "()", r"\b"])


def repeat(body):
    counts = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}"])
    return st.builds(lambda inner, count: f"(?:{inner}){count}", body, counts)


PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        repeat(inner),
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
        st.builds("(?{}{})".format, st.sampled_from("=!"), inner),
    ),
    max_leaves=9,
)


@given(PATTERNS, st.lists(st.text("ab-", max_size=7), min_size=1, max_size=8))
def test_a_pattern_matches_what_re_matches(pattern, texts):
    dfa = build_automaton(parse_pattern(f"(?:{pattern})"))
    for text in texts:
        found = re.fullmatch(pattern.replace("$", r"\Z"), text) is not None
        assert (dfa.labels[dfa.read(text)] >= 0) == found, text


def test_a_count_has_a_state_for_each_character():
    assert build_automaton(parse_pattern("a{7}")).n_states == 9


@pytest.mark.parametrize(
    ("pattern", "n_states"),
    [("[^]*a.{1,20}b[^]*", 25), ("[^]*[ab][ac]{1,61}[ab][^]*", 66), ("[^]*a(?:ab?){3,}c[^]*", 10)],
)
def test_a_count_in_a_pattern_that_is_searched_for_takes_few_states(pattern, n_states):
    """Of the passes of a loop those with the most passes left are looked at alone."""
    assert build_automaton(parse_pattern(pattern)).n_states == n_states


def test_too_many_positions_are_refused(monkeypatch):
    monkeypatch.setattr(glushkov, "MAX_POSITIONS", 10)
    with pytest.raises(TooLargeError):
        build_automaton(parse_pattern("a{50}"))


def test_groups_that_read_nothing_are_not_written_out_without_end():
    with pytest.raises(TooLargeError):
        build_automaton(parse_pattern("(?:(?:(?:){5000}){5000}){5000}"))
