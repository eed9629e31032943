import json

import pytest

import maskc
from maskc.cli.main import run
from maskc.errors import SchemaError
from maskc.verify.json_schema import verify_schema

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}, "s": {"enum": ["x", "yz"]}},
    "required": ["n"],
    "additionalProperties": False,
}


def verify(artifact, *texts, n_generated=0):
    named = [(str(number), text) for number, text in enumerate(texts)]
    return verify_schema(
        artifact, named, str.encode, n_generated=n_generated, max_tokens=12, seed=0
    )


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_json_schema(SCHEMA, tokenizer="bytes")


def test_valid_and_invalid_texts_are_told_apart(artifact):
    report = verify(artifact, '{"n": 3}', '{"n": 2}', '{"s": "x"}', "[", n_generated=3)
    assert report.ok
    assert report.experiments[0].counts == {"texts": 3, "valid": 1, "invalid": 2, "not JSON": 1}
    assert report.experiments[1].counts["texts"] == 3


@pytest.mark.parametrize(
    ("compiled", "claimed", "text", "problem"),
    [
        (
            {"type": "null"},
            {"type": "integer"},
            "3",
            "its value is refused, and the judge finds it valid",
        ),
        (True, SCHEMA, '{"n": 2}', "it is accepted, and the judge finds its value invalid"),
    ],
)
def test_an_artifact_of_another_schema_is_wrong(compiled, claimed, text, problem):
    wrong = maskc.compile_json_schema(compiled, tokenizer="bytes")
    wrong.header["grammar"]["text"] = json.dumps(claimed)
    report = verify(wrong, text)
    assert report.is_wrong
    assert problem in [witness["problem"] for witness in report.experiments[0].failures]


def test_the_commands_read_artifacts_of_schemas(tmp_path, monkeypatch, capsys, artifact):
    monkeypatch.chdir(tmp_path)
    artifact.save("o.maskc")
    (tmp_path / "one.json").write_text('{"n": 7}')
    assert run(["verify", "o.maskc", "--corpus", "one.json", "--texts", "0"]) == 0
    assert "keeps its promise" in capsys.readouterr().out
    assert run(["generate", "o.maskc", "--max-tokens", "8"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] >= 3


OTHER = {"urn:other": {"$defs": {"n": {"type": "null"}}, "$ref": "#/$defs/n"}}


def verify_with(resources):
    artifact = maskc.compile_json_schema({"$ref": "urn:other"}, tokenizer="bytes", resources=OTHER)
    texts = [("valid.json", "null"), ("invalid.json", "1")]
    return verify_schema(
        artifact, texts, str.encode, n_generated=1, max_tokens=9, seed=0, resources=resources
    )


def test_documents_that_a_schema_refers_to_are_read_by_the_judge():
    assert verify_with(OTHER).ok


def test_a_document_that_is_not_given_is_named_and_not_fetched():
    with pytest.raises(SchemaError, match="'urn:other' leads to a document"):
        verify_with({})
