import io
import json
import sys

import pytest

import maskc
from maskc.cli.main import run

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "order.schema.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def test_a_file_named_schema_json_is_compiled_as_a_json_schema(folder, capsys):
    assert run(["compile", "order.schema.json", "--tokenizer", "bytes"]) == 0
    matcher = maskc.load(folder / "order.bytes.maskc").matcher()
    assert matcher.accept_bytes(b'{"n": 1}')
    assert matcher.is_accepting
    assert "order.bytes.maskc" in capsys.readouterr().out


def test_a_schema_is_read_from_standard_input(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"type": "null"}')))
    assert run(["compile", "--json-schema", "-", "--tokenizer", "bytes", "-o", "n.maskc"]) == 0
    assert maskc.load(folder / "n.maskc").matcher().forced_bytes() == b""


def test_a_resource_is_named_by_its_id_or_by_the_caller(folder):
    (folder / "main.json").write_text(
        '{"anyOf": [{"$ref": "https://a.b/c"}, {"$ref": "https://a.b/d"}]}'
    )
    (folder / "c.json").write_text('{"$id": "https://a.b/c", "type": "null"}')
    (folder / "d.json").write_text('{"type": "boolean"}')
    resources = ["--resource", "c.json", "--resource", "https://a.b/d=d.json"]
    arguments = ["compile", "--json-schema", "main.json", "--tokenizer", "bytes"]
    assert run([*arguments, *resources]) == 0
    matcher = maskc.load(folder / "main.bytes.maskc").matcher()
    assert matcher.accept_bytes(b"true")


@pytest.mark.usefixtures("folder")
def test_inspect_shows_the_layout(capsys):
    run(["compile", "order.schema.json", "--tokenizer", "bytes", "--blanks", "compact"])
    capsys.readouterr()
    assert run(["inspect", "order.bytes.maskc"]) == 0
    assert "blanks compact" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"type": "nul"}', "schema at #: type is 'nul'"),
        ("{", "is not JSON"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ("false", "fits no value at all"),
        ('{"items": ' * 10_000 + "{}" + "}" * 10_000, "is nested deeper than 100 levels"),
    ],
)
def test_a_bad_schema_is_one_sentence_and_status_2(folder, capsys, text, sentence):
    (folder / "bad.schema.json").write_text(text)
    assert run(["compile", "bad.schema.json", "--tokenizer", "bytes"]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert printed.count("\n") == 1
    assert not (folder / "bad.bytes.maskc").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "order.bytes.maskc", "--html", "x.html"],
    ],
)
def test_what_does_not_read_schemas_says_so(capsys, arguments):
    run(["compile", "order.schema.json", "--tokenizer", "bytes"])
    capsys.readouterr()
    assert run(arguments) == 2
    assert "JSON Schema" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_an_option_of_schemas_is_refused_for_a_grammar(capsys):
    assert run(["compile", "json", "--tokenizer", "bytes", "--blanks", "any"]) == 2
    assert "--blanks goes with a JSON Schema only" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_explain_names_the_keyword_that_forbids_a_token(capsys):
    run(["compile", "order.schema.json", "--tokenizer", "bytes"])
    capsys.readouterr()
    assert run(["explain", "order.bytes.maskc", "--text", "", "--token", "["]) == 0
    assert "/type" in capsys.readouterr().out


def test_a_schema_that_is_refused_is_named_by_its_file(refusal, tmp_path):
    (tmp_path / "bad.schema.json").write_text('{"type": "nothing"}')
    (tmp_path / "good.schema.json").write_text("{}")
    for said in (
        refusal("compile", "good.schema.json", "bad.schema.json", "--tokenizer", "bytes", "-q"),
        refusal("lint", "bad.schema.json"),
    ):
        assert said.startswith("bad.schema.json: schema at #: type ")
