"""An artifact of a JSON Schema is held against the package ``jsonschema``."""

import json
from pathlib import Path

import pytest

import maskc
from maskc.cli.main import run
from maskc.errors import LimitError, SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.verify import run_verify
from maskc.verify.model import Document, Outcome, Unit, VerifyOptions
from maskc.verify.plan import run_unit
from maskc.verify.schema import SchemaSubject
from maskc.vocab.vocabulary import Vocabulary

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}, "s": {"enum": ["x", "yz"]}},
    "required": ["n"],
    "additionalProperties": False,
}
QUICK = VerifyOptions(texts=4, max_tokens=12, positions=10, segments=5, mutations=10)
NOTHING = VerifyOptions(texts=0, positions=0, segments=0, mutations=0)


def compiled(schema, **layout):
    return maskc.compile_json_schema(schema, tokenizer="bytes", **layout)


def verify(folder, artifact, *texts, options=QUICK):
    artifact.save(folder / "a.maskc")
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, text in enumerate(texts):
        (corpus / f"{number}.json").write_text(text)
    report = run_verify(folder / "a.maskc", [str(corpus)], options)
    return {experiment.name: experiment for experiment in report.experiments}


def check(artifact, experiment, *texts, amount=20):
    """Return what an experiment finds in some texts."""
    subject = SchemaSubject("", VerifyOptions(), Path())
    subject.artifact = artifact
    found = None
    for number, text in enumerate(texts):
        document = Document(f"{number}.json", text)
        unit = run_unit(subject, Unit(experiment, 0, f"{number}", amount, document))
        found = unit if found is None else (found.add(unit), found)[1]
    return found


def test_an_artifact_that_is_right_passes_every_experiment(tmp_path):
    found = verify(tmp_path, compiled(SCHEMA), '{"n": 3}', '{"n": 2}', '{"s": "x"}', "[")
    assert {e.outcome for e in found.values()} == {Outcome.PASSED}
    assert list(found) == ["corpus", "generation", "oracle", "segmentation", "mutation"]
    counts = found["corpus"].counts
    assert [counts[n] for n in ("texts", "valid", "invalid", "not JSON")] == [3, 1, 2, 1]
    assert found["generation"].counts["texts"] == 4
    assert found["mutation"].counts["mutated texts"] == 10


def test_what_is_not_asked_for_is_not_done(tmp_path):
    assert list(verify(tmp_path, compiled(SCHEMA), "{}", options=NOTHING)) == ["corpus"]


@pytest.mark.parametrize("schema", [SCHEMA, True, {"items": {"pattern": "^a+é?$"}}])
@pytest.mark.parametrize(
    "layout",
    [{}, {"blanks": "compact"}, {"escapes": "minimal"}, {"numbers": "plain"}, {"blanks": "any"}],
)
def test_changed_texts_and_masks_agree_with_the_judge(schema, layout):
    compact = layout.get("blanks") == "compact"
    texts = ['{"n":12,"s":"x"}', '["aa","é"]', '["aé","a"]', "-1.50", '{"n":7}', "[]"]
    texts += [] if compact else ['{\n  "n": 3,\n  "s": "yz"\n}', ' [ "a" , "aaé" ]']
    artifact = compiled(schema, **layout)
    taken = [text for text in texts if accepts(artifact, text)]
    for experiment in ("mutation", "oracle", "segmentation"):
        found = check(artifact, experiment, *taken)
        assert found.ok, found.failures


def test_a_value_that_the_judge_does_not_read_is_changed_by_bytes_only():
    found = check(compiled({}), "mutation", "[1e4000]")
    assert (found.counts["of a byte"], found.counts["of the value"]) == (20, 0)
    assert found.ok


def accepts(artifact, text):
    matcher = artifact.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def test_segmentations_reach_what_single_bytes_reach():
    tokens = (*(bytes([b]) for b in range(256)), b'{"', b'": ', b'"n', b"12", b"2}", b'"}', None)
    vocabulary = Vocabulary(tokens, (262,), "pairs")
    artifact = maskc.Artifact(compile_schema(SCHEMA, vocabulary))
    subject = SchemaSubject("", VerifyOptions(), Path())
    subject.artifact, subject.encoder = artifact, Bytes()
    unit = Unit("segmentation", 0, "0", 3, Document("a.json", '{"n": 12, "s": "yz"}'))
    found = run_unit(subject, unit)
    assert found.ok
    assert found.counts["tokens"] > found.counts["bytes"]


class Bytes:
    """A tokenizer that writes one byte a token."""

    def encode(self, text):
        return list(text.encode())


def test_a_pattern_that_sends_the_judge_through_too_many_ways_ends_with_a_sentence(tmp_path):
    artifact = compiled({"type": "string", "pattern": "^(a+)+$"})
    options = VerifyOptions(texts=0, positions=0, segments=0, mutations=0, part_seconds=1)
    with pytest.raises(LimitError, match=r"0\.json: experiment corpus: more than 1 seconds"):
        verify(tmp_path, artifact, f'"{"a" * 60}b"', options=options)


def test_the_commands_read_artifacts_of_schemas(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    compiled(SCHEMA).save("o.maskc")
    (tmp_path / "one.json").write_text('{"n": 7}')
    assert run(["verify", "o.maskc", "--corpus", "one.json", "--texts", "0"]) == 0
    assert "keeps its promise" in capsys.readouterr().out
    assert run(["generate", "o.maskc", "--max-tokens", "8"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] >= 3


OTHER = {"urn:other": {"$defs": {"n": {"type": "null"}}, "$ref": "#/$defs/n"}}


def verify_with(folder, resources):
    artifact = maskc.compile_json_schema({"$ref": "urn:other"}, tokenizer="bytes", resources=OTHER)
    options = VerifyOptions(texts=1, positions=1, segments=1, mutations=1, resources=resources)
    return verify(folder, artifact, "null", "1", options=options)


def test_documents_that_a_schema_refers_to_are_read_by_the_judge(tmp_path):
    assert all(experiment.ok for experiment in verify_with(tmp_path, OTHER).values())


def test_a_document_that_is_not_given_is_named_and_not_fetched(tmp_path):
    with pytest.raises(SchemaError, match="'urn:other' leads to a document"):
        verify_with(tmp_path, {})
