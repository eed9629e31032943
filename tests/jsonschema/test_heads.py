"""Patterns that begin with the same characters: their automata from those of their tails."""

import random
import re

import pytest

from maskc.jsonschema import heads
from maskc.jsonschema.heads import build_with_head
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.threads import build_automaton
from maskc.regular.ecma import ANYTHING, parse_pattern
from maskc.regular.tree import Sequence
from maskc.runtime.schema.strings.characters import NO_LABEL
from tests.examples import seeds

TAILS = [
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


@pytest.mark.parametrize(
    "pattern", ["^ab", "ab$", "^[ab]c$", "^a(?=b)b$", r"^a\bb$", "^a^b$", "^$", ""]
)
def test_there_is_no_head_where_a_match_may_begin_otherwise_or_asks_for_what_stands_before(pattern):
    assert build_with_head(parse_pattern(pattern)) is None


def test_a_pattern_whose_head_and_tail_share_a_state_is_built_as_a_whole():
    assert build_with_head(parse_pattern("^b(?:ab)*c$")) is None
    assert build_with_head(parse_pattern("^a(?:ab)*c$")) is not None


def test_a_tail_is_built_once_for_all_heads(monkeypatch):
    built = []
    monkeypatch.setattr(heads, "_tails", {})
    monkeypatch.setattr(
        heads, "build_automaton", lambda tail: built.append(tail) or build_automaton(tail)
    )
    for name in ("title", "name", "note"):
        build_with_head(parse_pattern(f"^({name}_([a-z]{{2}}|[0-9]+))$"))
    assert len(built) == 1
