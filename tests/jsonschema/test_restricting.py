"""Patterns among the strings of an automaton: format regex beside a pattern."""

import itertools

import pytest

from maskc.jsonschema.automata import restrict
from maskc.jsonschema.exploring import CustomFormatError
from maskc.jsonschema.formats import build_format
from maskc.jsonschema.patterns import build_pattern
from maskc.runtime.schema.plan.custom import accepts
from tests.jsonschema.texts import accepts_value, build_machine

TEXTS = ["".join(signs) for n in range(5) for signs in itertools.product("a1(\\[-])é", repeat=n)]


@pytest.mark.parametrize(
    "pattern",
    [
        "^[(]?a[)]?$",
        "^[a1]+$",
        "^[a1\\-\\[\\]]{0,4}$",
        "^\\\\[a1]",
        "^[aé]?a1?$",
        "^(\\(|\\)|1){0,3}$",
    ],
)
def test_what_is_left_are_the_strings_that_are_patterns(pattern):
    dfa, regex = build_pattern(pattern), build_format("regex")
    try:
        found = restrict(dfa, regex)
    except CustomFormatError:
        assert pattern == "^\\\\[a1]"  # after which anything may come
        return
    assert not found.reader
    for text in TEXTS:
        wanted = accepts(dfa, text) and accepts(regex, text)
        assert accepts(found, text) == wanted, text


def test_lengths_count_where_no_reader_is_left():
    machine = build_machine({"format": "regex", "pattern": "^[0-9.?]+$", "maxLength": 3})
    assert [accepts_value(machine, text) for text in ("1.2", "?", "1.23")] == [1, 0, 0]


@pytest.mark.parametrize(
    ("pattern", "texts", "wanted"),
    [
        ("^/.+/$", ["/a/", "/(a/", "/(((a)))/", "a"], [1, 0, 0, 0]),
        (r"^(\(a\))*$", ["", "(a)(a)", "(a"], [1, 1, 0]),
        (r"\[", ["[a]", "[", r"\["], [1, 0, 1]),
        ("^.?a1?$", ["a", "(a", ".a1", "aa1a"], [1, 0, 1, 0]),
    ],
)
def test_short_patterns_are_left_of_endlessly_many_states(pattern, texts, wanted):
    machine = build_machine({"format": "regex", "pattern": pattern})
    assert [accepts_value(machine, text) for text in texts] == wanted
