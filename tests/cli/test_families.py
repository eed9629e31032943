"""maskc families: how families of models write calls of tools."""

import json

from maskc.tags.families import list_families


def test_every_family_is_listed(command):
    outcome = command("families")
    assert outcome.status == 0
    assert all(name in outcome.out for name in list_families())


def test_the_list_is_printed_as_json(command):
    found = json.loads(command("families", "--json").out)
    assert list(found) == list(list_families())
    assert found["qwen_3"] == ["Qwen3", "Qwen3-Next"]


def test_a_family_is_shown_with_an_example(command):
    outcome = command("families", "--show", "exaone")
    assert outcome.status == 0
    call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    assert call in outcome.out
    assert '"type": "triggered_tags"' in outcome.out


def test_a_family_that_there_is_not_is_refused(command):
    outcome = command("families", "--show", "gpt")
    assert outcome.status == 2
    assert "'gpt' is no family; use one of cohere," in outcome.err
