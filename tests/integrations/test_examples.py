"""Examples beside an artifact are followed before the first request, or refused in a sentence."""

import json
import logging

import pytest

from maskc.errors import ArtifactError, LimitError, VocabularyMismatchError
from maskc.integrations import usage as module
from maskc.integrations.registry import ArtifactRegistry
from maskc.jobs import read_schema_job
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, legal_tokens

MODEL = Vocabulary((*(bytes([b]) for b in range(256)), None), (256,), "model")
FILE = "answer.examples.jsonl"


@pytest.fixture
def folder(tmp_path):
    compile_text('start: "yes" | "no"').save(tmp_path / "answer.maskc")
    return tmp_path


@pytest.fixture
def registry(folder):
    return ArtifactRegistry(MODEL, folder)


@pytest.fixture
def prepared(monkeypatch):
    """How often an artifact followed examples."""
    calls, prepare = [], Artifact.prepare

    def count(self, *args, **named):
        calls.append(self)
        return prepare(self, *args, **named)

    monkeypatch.setattr(Artifact, "prepare", count)
    return calls


def write(folder, *lines):
    (folder / FILE).write_text("".join(f"{line}\n" for line in lines))


def write_texts(folder, *texts):
    write(folder, *(json.dumps(list(text)) for text in texts))


def save_flag(folder):
    """Save the artifact of true and false; the compiler writes the text ``true`` into it."""
    path = folder / "flag.maskc"
    contents, _ = read_schema_job({"type": "boolean"}).compile(MODEL, Limits())
    Artifact(contents).save(path)
    return path


def test_masks_of_examples_are_there_afterwards(folder, registry):
    write_texts(folder, b"yes", b"no")
    assert registry.prepare() == {}
    artifact = registry.load("answer")
    n_masks = len(artifact.mask_table())
    for prefix in (b"", b"y", b"ye", b"n"):
        legal_tokens(artifact, prefix)
    assert len(artifact.mask_table()) == n_masks == 5  # with the one that has no token


def test_artifacts_without_examples_are_not_loaded(registry, prepared):
    assert registry.prepare() == {}
    assert (registry.served(), prepared) == ({}, [])


def test_preload_follows_examples_too(folder, registry, prepared):
    write_texts(folder, b"yes")
    assert registry.preload() == {}
    assert prepared == [registry.load("answer")]


def test_a_request_follows_no_examples(folder, registry, prepared):
    write_texts(folder, b"yes")
    registry.load("answer")
    assert prepared == []


def test_what_has_not_changed_is_not_followed_again(folder, registry, prepared):
    write_texts(folder, b"yes")
    registry.prepare()
    registry.prepare()
    assert len(prepared) == 1
    write_texts(folder, b"yes", b"no")
    registry.prepare()
    assert len(prepared) == 2


def test_an_artifact_that_is_read_again_follows_its_examples_again(folder, registry, prepared):
    write_texts(folder, b"yes")
    registry.prepare()
    compile_text('start: "yes"').save(folder / "answer.maskc")
    registry.prepare()
    assert len(prepared) == 2
    assert prepared[1] is registry.load("answer")


@pytest.mark.parametrize(
    "line",
    [
        *("", "no list", "7", '{"a": [1]}', '["yes"]', "[1.0]", "[true]", "[[1]]", "[1, 2"),
        *("[" * 100_000, "[" + "9" * 5_000 + "]"),
    ],
)
def test_a_line_that_is_no_list_of_token_ids_is_refused_with_its_number(folder, registry, line):
    write(folder, "[121]", line)
    assert {file: str(error) for file, error in registry.prepare().items()} == {
        FILE: f"{FILE}:2: is not a list of token ids; write each answer's token ids as a JSON "
        "list, such as [5018, 64, 794], one a line"
    }
    assert registry.load("answer").matcher().accept_bytes(b"yes")


def test_bytes_that_are_no_text_are_refused(folder, registry):
    (folder / FILE).write_bytes(b"\xff\xfe[\x001\x00]\n")
    assert list(registry.prepare()) == [FILE]


def test_a_file_that_is_refused_is_told_again_until_it_is_mended(folder, registry):
    write(folder, "yes")
    assert list(registry.prepare()) == list(registry.prepare()) == [FILE]
    write_texts(folder, b"yes")
    assert registry.prepare() == {}


def test_token_ids_beyond_the_vocabulary_end_an_example(folder, registry, caplog):
    caplog.set_level(logging.INFO, "maskc")
    write(folder, "[121, 100000]", "[-1]", "[110, 111]", f"[{10**30}]")
    assert registry.prepare() == {}
    assert "artifact answer: 3 of 6 tokens of its examples are legal" in caplog.text


def test_a_folder_in_the_place_of_examples_is_refused(folder, registry):
    (folder / FILE).mkdir()
    assert str(registry.prepare()[FILE]) == f"{FILE}: is a folder; check the server's folder"


def test_examples_of_no_artifact_are_refused(folder, registry):
    (folder / "other.examples.jsonl").write_text("[1]\n")
    error = registry.preload()["other.examples.jsonl"]
    assert isinstance(error, ArtifactError)
    assert "other: no such artifact" in str(error)


def test_examples_of_an_artifact_for_another_tokenizer_are_refused(folder):
    write_texts(folder, b"yes")
    other = ArtifactRegistry(Vocabulary((None,) * 257, (256,), "m"), folder)
    assert isinstance(other.prepare()[FILE], VocabularyMismatchError)


def test_what_asks_too_much_of_a_general_grammar_is_refused(folder, registry, monkeypatch):
    def fail(*_, **__):
        raise LimitError("steps", 1, "simplify it")

    write_texts(folder, b"yes")
    monkeypatch.setattr(Artifact, "prepare", fail)
    assert isinstance(registry.prepare()[FILE], LimitError)


def test_examples_of_another_tokenizer_are_warned_of(folder, registry, caplog):
    write(folder, "[1, 2, 3]", "[121, 4, 5]")
    registry.prepare()
    (record,) = (r for r in caplog.records if r.levelno == logging.WARNING)
    assert record.getMessage().startswith(
        "artifact answer: 1 of 6 tokens of its examples are legal, followed in 0.0 seconds"
    )


def test_examples_are_followed_no_longer_than_ten_seconds(folder, registry, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "maskc")
    assert module.SECONDS == 10
    monkeypatch.setattr(module, "SECONDS", 0)
    write_texts(folder, b"yes", b"no")
    assert registry.prepare() == {}
    (record,) = (r for r in caplog.records if "examples" in r.getMessage())
    assert record.levelno == logging.INFO
    assert record.getMessage() == (
        "artifact answer: 0 of 3 tokens of its examples are legal, followed in 0.0 seconds, "
        "which is the most"
    )


def test_examples_that_the_compiler_wrote_are_followed(folder, registry, prepared, caplog):
    save_flag(folder)
    with caplog.at_level(logging.INFO, "maskc"):
        assert registry.prepare() == registry.prepare() == {}
    assert prepared == [registry.load("flag")]
    assert "artifact flag: 5 tokens of examples followed" in caplog.messages
    assert list(registry.served()) == ["flag"]


def test_a_file_of_examples_is_followed_in_place_of_the_compilers(folder, registry, prepared):
    save_flag(folder)
    (folder / "flag.examples.jsonl").write_text(f"{json.dumps(list(b'false'))}\n")
    assert registry.prepare() == {}
    artifact = registry.load("flag")
    n_masks = len(artifact.mask_table())
    assert legal_tokens(artifact, b"fals") == {b"e"}
    assert len(artifact.mask_table()) == n_masks
    assert legal_tokens(artifact, b"tr") == {b"u"}
    assert len(artifact.mask_table()) == n_masks + 1
    assert prepared == [artifact]


def test_an_artifact_with_examples_that_is_damaged_is_named(folder, registry):
    path = save_flag(folder)
    path.write_bytes(path.read_bytes()[:-1])
    assert list(registry.prepare()) == ["flag"]
