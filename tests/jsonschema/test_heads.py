"""Patterns that begin with the same characters: their automata from those of their rests."""

import random
import re
from itertools import product

import pytest

from maskc.jsonschema import patterns
from maskc.jsonschema.automata import prepend
from maskc.jsonschema.patterns import build_pattern, cut_head, split_pattern
from maskc.jsonschema.threads import build_automaton
from maskc.regular import Sequence
from maskc.regular.ecma import ANYTHING, parse_pattern
from maskc.runtime.schema.strings.characters import NO_LABEL
from tests.examples import seeds

TAILS = [
    "(?:cab)*",
    "",
    "[a-c]*",
    "(?:ab)*c",
    "b?",
    "[^a]+",
    "a{2,4}",
    "(?:a|bc)*",
    ".",
    "(?:ba)*b",
    "c",
    "[é-ö]",
]


@pytest.mark.parametrize("seed", seeds(200))
def test_an_automaton_is_minimal_and_reads_what_re_does(seed):
    draw = random.Random(seed)
    head = "".join(draw.choices("abcé", k=draw.randint(1, 4)))
    pattern = f"^{head}(?:{''.join(draw.choices(TAILS, k=draw.randint(1, 3)))})$"
    node = parse_pattern(pattern)
    found, plain = build_pattern(pattern), build_automaton(Sequence((ANYTHING, node, ANYTHING)))
    assert found.n_states == plain.n_states
    assert len(set(found.classes)) == len(set(plain.classes))
    judge = re.compile(pattern[:-1] + r"\Z")
    for _ in range(40):
        text = head * draw.randint(0, 1) + "".join(draw.choices("abcéö", k=draw.randint(0, 7)))
        is_read = found.labels[found.read(text)] != NO_LABEL
        assert is_read == bool(judge.match(text)), (pattern, text)


@pytest.mark.parametrize("pattern", ["^ab", "ab$", "^a$", "^[ab]c$", "^abc|d$", "^ab(?<=ab)c$", ""])
def test_no_head_is_cut_where_a_match_may_begin_otherwise_or_asks_for_what_stands_before(pattern):
    assert cut_head(pattern) is None


@pytest.mark.parametrize(
    "pattern", ["^(ab[0-9]|c)$", "^(ab)?c$", "^(?:ab)*$", "^(ab){2}$", "^aé(b|)$"]
)
def test_a_head_in_a_group_is_no_chain_before_it_where_the_group_is_repeated_or_a_choice(pattern):
    node = parse_pattern(pattern)
    plain = build_automaton(Sequence((ANYTHING, node, ANYTHING)))
    found = build_pattern(pattern)
    texts = ["".join(text) for n in range(6) for text in product("abcé0", repeat=n)]
    read = {text for text in texts if found.labels[found.read(text)] != NO_LABEL}
    assert read == {text for text in texts if plain.labels[plain.read(text)] != NO_LABEL}
    assert read


def test_signs_behind_backslashes_are_characters_of_a_head():
    assert cut_head(r"^\.(?:\-a\$[0-9])$") is None
    assert cut_head(r"^(?:\-a\$\/[0-9])$") == ("-a$", r"^(?:\/[0-9])$")


def test_what_counts_passes_counts_the_head(monkeypatch):
    monkeypatch.setattr(patterns, "_known", {})
    ((dfa, low, high),) = split_pattern("^abc[0-9]{1,65536}$")
    assert (low, high) == (4, 65_539)
    assert dfa.labels[dfa.read("abc12")] != NO_LABEL
    assert dfa.labels[dfa.read("ab12")] == NO_LABEL


def test_a_pattern_whose_head_and_rest_share_a_state_is_built_as_a_whole():
    assert prepend("a", build_pattern("^b(?:cab)*d$")) is None
    assert prepend("c", build_pattern("^b(?:cab)*d$")) is not None
    assert build_pattern("^ab(?:cab)*d$").n_states == 5


def test_a_rest_is_built_once_for_all_heads(monkeypatch):
    built = []
    monkeypatch.setattr(patterns, "_known", {})
    monkeypatch.setattr(
        patterns, "build_automaton", lambda node: built.append(node) or build_automaton(node)
    )
    for name in ("title", "name", "note"):
        build_pattern(f"^({name}_([a-z]{{2}}|[0-9]+))$")
    assert len(built) == 1


def test_rows_of_a_rest_lack_their_most_frequent_target():
    dfa = build_pattern("^abcdefgh_[a-z]+$")
    assert len(dfa.rows[dfa.read("abcdefgh_x")]) == 2  # that of _, and of all but letters
