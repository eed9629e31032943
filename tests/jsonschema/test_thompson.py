"""Automata of patterns without look-aheads hold what ``re`` holds."""

import pytest

from maskc.jsonschema import thompson
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.syntax import Repeat, Set, parse_pattern
from maskc.jsonschema.thompson import build_simple


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
