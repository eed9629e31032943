import json

from maskc.frontends.bundled import find_grammar


def test_the_grammars_are_listed(command):
    outcome = command("grammars", "--json")
    found = json.loads(outcome.out)
    assert list(found) == sorted(found)
    assert {"json", "python", "sql"} <= set(found)
    assert found["toml"] == "TOML 1.0"
    assert all(found.values())
    assert "CSV as RFC 4180 has it" in command("grammars").out


def test_one_is_printed_as_it_is(command):
    outcome = command("grammars", "--show", "csv")
    assert outcome.out == find_grammar("csv").read_text()
    found = json.loads(command("grammars", "--show", "csv", "--json").out)
    assert found == {"name": "csv", "text": outcome.out}


def test_one_that_is_not_there_is_refused_by_name(refusal):
    sentence = refusal("grammars", "--show", "../json")
    assert sentence.startswith("there is no grammar '../json'; those that come with maskc are c, ")


def test_a_name_that_is_nearly_a_grammars_is_guessed(refusal):
    said = refusal("compile", "jsn", "--tokenizer", "bytes")
    assert said.endswith("; did you mean json, which comes with maskc?")
    assert "did you mean" not in refusal("compile", "jsn.lark", "--tokenizer", "bytes")
