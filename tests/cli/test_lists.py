"""What comes with maskc, listed and shown: grammars, families of models, tokenizers, stages."""

import json

import pytest

from maskc.frontends.texts import find_grammar
from maskc.tags.families import list_families
from maskc.vocab import list_tokenizers


def test_the_grammars_are_listed(command):
    found = json.loads(command("grammars", "--json").out)
    assert list(found) == sorted(found)
    assert {"json", "python", "sql"} <= set(found)
    assert found["toml"] == "TOML 1.0"
    assert all(found.values())
    assert "CSV as RFC 4180 has it" in command("grammars").out


def test_a_grammar_is_printed_as_it_is(command):
    outcome = command("grammars", "--show", "csv")
    assert outcome.out == find_grammar("csv").read_text()
    found = json.loads(command("grammars", "--show", "csv", "--json").out)
    assert found == {"name": "csv", "text": outcome.out}


def test_every_family_is_listed(command):
    outcome = command("families")
    assert outcome.status == 0
    assert all(name in outcome.out for name in list_families())
    found = json.loads(command("families", "--json").out)
    assert list(found) == list(list_families())
    assert found["qwen_3"] == ["Qwen2.5", "Qwen3", "Qwen3-Next", "Hermes 3", "Granite 4", "Trinity"]
    assert "hermes, qwen" in outcome.out


def test_a_family_is_shown_with_an_example(command):
    outcome = command("families", "--show", "exaone")
    assert outcome.status == 0
    call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
    assert call in outcome.out
    assert f"<think></think>\n\n{call}" in outcome.out
    assert '"type": "triggered_tags"' in outcome.out
    assert "after reasoning" not in command("families", "--show", "llama").out


def test_every_named_tokenizer_is_listed(command):
    outcome = command("tokenizers")
    assert outcome.status == 0
    names = [entry.name for entry in list_tokenizers()]
    assert all(name in outcome.out for name in names)
    found = json.loads(command("tokenizers", "--json").out)
    assert [entry["name"] for entry in found] == names
    assert found[0] == {
        "name": "bytes",
        "package": "",
        "file": "",
        "repository": "",
        "available": True,
        "how": "built in",
    }


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ("--stage dft", "start •list, Z0\n"),
        ("--stage graph --tokenizer bytes", "parser queries in a fill"),
        ("--stage productions --parser earley", "start: N0\n"),
    ],
)
def test_a_stage_is_printed_alike_each_time(command, grammar, options, begins):
    outcome = command("dump", grammar, *options.split())
    assert outcome.status == 0
    assert begins in "".join(outcome.out.splitlines(keepends=True)[:1])
    assert command("dump", grammar, *options.split()) == outcome


def test_what_is_left_out_of_a_stage_is_counted(command, grammar):
    outcome = command("dump", grammar, "--stage", "scanner", "--lines", "3")
    assert outcome.out.splitlines()[3].startswith("… ")
