"""What finishes a text that is linked of pieces, and in how few tokens."""

import numpy as np
import pytest

from maskc.kit.file import make_kit
from maskc.runtime.ending.json.joints import NEVER
from maskc.runtime.ending.link.frontiers import (
    ANYWHERE,
    Frontier,
    begin,
    forget,
    least_of,
    list_new,
    unite,
)
from maskc.runtime.schema.tries.trie import ROOT
from maskc.vocab.vocabulary import Vocabulary

QUERY = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["q"],
    "additionalProperties": False,
}


def make_tools(*tokens, family="glm_4_7", schema=QUERY):
    """Return a constraint of a call over all bytes and some more tokens."""
    texts = (*(bytes([byte]) for byte in range(256)), *tokens)
    kit = make_kit(Vocabulary((*texts, None), (len(texts),), "small"))
    tool = {"type": "function", "function": {"name": "find", "parameters": schema}}
    return kit.tools(
        [tool, {**tool, "function": {**tool["function"], "name": "get"}}],
        family=family,
        choice="required",
    )


def completion_at(constraint, text):
    """Return the tokens that finish a text, by what they write, and whether they are the fewest."""
    matcher = constraint.matcher()
    assert matcher.accept_text(text)
    tokens, is_shortest = matcher.shortest_completion()
    return [constraint.token_texts.text_of(token) for token in tokens[:-1]], is_shortest


def entries(frontier):
    return list(zip(*(column.tolist() for column in frontier), strict=True))


def frontier(*rows):
    return Frontier(*(np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)))


def test_a_call_of_one_of_several_tools_is_finished_in_the_fewest_tokens():
    tokens = (b"<tool_call>", b"find", b"<arg_key>q</arg_key>", b"<arg_value>", b"</arg_value>")
    found = completion_at(make_tools(*tokens, b"</tool_call>"), "")
    assert found == ([*tokens[:1], b"find", *tokens[2:], b"</tool_call>"], True)


def test_a_parameter_that_need_not_come_is_left_out():
    text = "<tool_call>find<arg_key>q</arg_key><arg_value>x</arg_value>"
    assert completion_at(make_tools(b"</tool_call>"), text) == ([b"</tool_call>"], True)


def test_an_open_parameter_is_closed_and_those_that_must_come_follow():
    tokens = (b"1</arg_value>", b"<arg_key>q</arg_key><arg_value>", b"</arg_value></tool_call>")
    text = "<tool_call>find<arg_key>n</arg_key><arg_value>"
    assert completion_at(make_tools(*tokens), text) == ([*tokens], True)


def test_a_token_may_cross_from_a_free_text_into_what_follows():
    text = "<tool_call>find<arg_key>q</arg_key><arg_value>so"
    constraint = make_tools(b" on</arg_value></tool", b"_call>")
    assert completion_at(constraint, text) == ([b" on</arg_value></tool", b"_call>"], True)


@pytest.mark.parametrize("family", ["qwen_3_5", "mimo", "minimax", "cohere", "kimi_k3"])
def test_every_family_that_writes_parameters_has_a_shortest_call(family):
    found, is_shortest = completion_at(make_tools(family=family), "")
    assert is_shortest
    assert b"find" not in b"".join(found)  # the other name is shorter
    assert b"get" in b"".join(found)


def test_parameters_that_begin_inside_of_a_character_are_bounded():
    names = ("\u00e9", "\u00e8")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    schema |= {"minProperties": 1, "additionalProperties": False}
    found, is_shortest = completion_at(make_tools(schema=schema), "")
    assert is_shortest
    assert "\u00e9".encode() in b"".join(found)


def test_a_frontier_keeps_the_least_cost_of_each_node():
    found = unite([frontier((0, 5, 2), (1, 5, 1)), frontier((0, 5, 1), (0, 7, 3))])
    assert entries(found) == [(0, 5, 1), (0, 7, 3), (1, 5, 1)]


def test_what_is_not_known_costs_what_was_least():
    here = frontier((0, 5, 2), (0, 7, 1), (2, 5, 4))
    assert entries(forget(here, 3)) == [(0, ANYWHERE, 1), (2, ANYWHERE, 4)]
    assert least_of(here, 3).tolist() == [1, NEVER, 4]


def test_a_frontier_goes_on_from_each_node_by_what_it_leads_to():
    leads_to = {ROOT: begin([5, 7]).row(0), 5: frontier((0, 7, 1), (0, 9, 2)).row(0)}
    found = frontier((0, ROOT, 2), (1, 5, 3)).then(leads_to)
    assert entries(found) == [(0, 5, 2), (1, 7, 4), (1, 9, 5)]


def test_only_what_was_not_there_is_new():
    here = frontier((0, 5, 1), (0, 7, 3))
    assert entries(list_new(here, frontier((0, 5, 2), (0, 7, 3)))) == [(0, 5, 1)]
