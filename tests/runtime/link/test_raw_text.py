"""A string that is written as it is, up to its delimiter."""

import json

import pytest

from maskc.jsonschema.compiling import build_plan
from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.text.raw_text import RawText
from maskc.runtime.schema.plan.plan import Layout, Plan


def make(schema, *barred):
    frozen = build_plan({"type": "string", **schema}, resources={}, layout=Layout(),
                      assert_formats=True)  # fmt: skip
    plan = Plan(frozen, Layout(), Budget(1 << 20))
    return RawText(plan, plan.positions[plan.root].strings[0], [b.encode() for b in barred])


def takes(automaton, text):
    state = START
    for byte in text.encode():
        state = automaton.moves(state).get(byte, -1)
        if state < 0:
            return False
    return automaton.accepts(state)


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        ({"pattern": "^[a-z]+$"}, "oslo", True),
        ({"pattern": "^[a-z]+$"}, "Oslo", False),
        ({"pattern": "^é"}, "éa", True),
        ({"minLength": 2, "maxLength": 3}, "€😀", True),
        ({"minLength": 2, "maxLength": 3}, "€", False),
        ({"minLength": 2, "maxLength": 3}, "abcd", False),
        ({"maxLength": 9}, 'a"\\\n', True),
        ({"maxLength": 9}, "a</p>b", False),
        ({"maxLength": 9}, "a</p", True),
        ({"enum": ["x</p>", "y"]}, "y", True),
    ],
)
def test_a_string_is_read_without_quotes_and_without_its_delimiter(schema, text, expected):
    assert takes(make(schema, "</p>"), text) is expected


def test_a_text_that_ends_in_the_middle_of_a_character_is_none():
    automaton = make({"maxLength": 2}, "<")
    state = automaton.moves(START)[0xC3]
    assert not automaton.accepts(state)
    assert automaton.accepts(automaton.moves(state)[0xA9])
    assert 0x41 not in automaton.moves(state)


def test_a_string_that_has_the_delimiter_cannot_be_written():
    assert make({"const": json.loads('"</p>"')}, "</p>").is_empty
    assert not make({"maxLength": 1}, "</p>").is_empty
