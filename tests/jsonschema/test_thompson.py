"""Automata of patterns without look-aheads hold what ``re`` holds."""

import re
from itertools import product

import pytest

from maskc.jsonschema import thompson
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.syntax import Repeat, Set, parse_pattern
from maskc.jsonschema.thompson import build_simple
from maskc.runtime.schema.strings.characters import NO_LABEL


@pytest.mark.parametrize("pattern", ["^a|b$", "^(a|ab)*$", "^a{2,3}b?$", "^$", "a^b|^b", "^[^a]+$"])
def test_a_pattern_is_found_where_re_finds_it(pattern):
    dfa = build_pattern(pattern)
    for length in range(5):
        for letters in product("ab", repeat=length):
            text = "".join(letters)
            state = dfa.read(text)
            accepts = dfa.labels[state] != NO_LABEL
            assert accepts == bool(re.search(pattern.replace("$", r"\Z"), text)), text


def test_a_count_has_a_state_for_each_character():
    node = parse_pattern("a{7}")
    assert isinstance(node, Repeat)
    assert isinstance(node.body, Set)
    assert len(build_simple(node, [node.body.characters]).labels) >= 8


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(thompson, "MAX_STATES", 10)
    node = parse_pattern("a{50}")
    with pytest.raises(TooLargeError):
        build_simple(node, [node.body.characters])
