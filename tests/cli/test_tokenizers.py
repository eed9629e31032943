"""maskc tokenizers: those that have a name."""

import json

from maskc.vocab import list_tokenizers

NAMES = ["bytes", "llama3", "mistral", "deepseek", "qwen"]


def test_every_named_tokenizer_is_listed(command):
    outcome = command("tokenizers")
    assert outcome.status == 0
    assert all(name in outcome.out for name in NAMES)


def test_the_list_is_printed_as_json(command):
    found = json.loads(command("tokenizers", "--json").out)
    assert [entry["name"] for entry in found] == [entry.name for entry in list_tokenizers()]
    assert found[0] == {
        "name": "bytes",
        "package": "",
        "file": "",
        "repository": "",
        "available": True,
        "how": "built in",
    }
