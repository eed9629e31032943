import json
from random import Random

import numpy as np
import pytest

import maskc
from maskc.artifact.model import Contents
from maskc.errors import GrammarError
from maskc.frontends.lark import build_lark, source_from_header
from maskc.verify import VerifyOptions, run_verify
from maskc.verify.files import choose_files, find_files
from maskc.verify.generation import generate_texts
from maskc.verify.model import Experiment

QUICK = VerifyOptions(files=20, texts=4, max_tokens=40, positions=20, raw_positions=300, seed=1)


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar("grammars/json.lark", tokenizer="bytes")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    draw = Random(7)
    for number in range(12):
        document = {"a": [draw.randint(-9, 9), "é\n", None], "b": {"c": draw.random()}}
        indent = 2 if number % 2 else None
        (folder / f"{number}.json").write_text(json.dumps(document, indent=indent))
    (folder / "bad.json").write_text('{"a": 1,}')
    (folder / "latin.json").write_bytes(b'"\xe9"')
    return folder


@pytest.fixture
def saved(artifact, tmp_path):
    artifact.save(tmp_path / "json.maskc")
    return tmp_path / "json.maskc"


def outcome(report, name):
    return next(e for e in report.experiments if e.name == name)


def test_a_sound_artifact_passes_all_four(saved, corpus):
    report = run_verify(saved, [str(corpus)], QUICK)
    assert report.ok
    assert outcome(report, "corpus").counts["files that Lark parses"] == 12
    assert outcome(report, "corpus").counts["files that Lark refuses"] == 1
    assert outcome(report, "corpus").counts["skipped, not UTF-8"] == 1
    assert outcome(report, "generation").counts["texts"] == 4
    assert outcome(report, "oracle").counts["positions"] == 20
    assert outcome(report, "raw store").counts["positions"] == 300
    assert outcome(report, "raw store").counts["rows of the raw store"] > 100
    assert outcome(report, "oracle").counts.get("undecided by the oracle", 0) == 0


def test_the_same_seed_gives_the_same_report(saved, corpus):
    first, second = (run_verify(saved, [str(corpus)], QUICK).to_dict() for _ in range(2))
    assert first == second


def changed(artifact, path, **arrays):
    """Save a copy with some sections replaced."""
    contents = artifact.contents
    copy = Contents(dict(contents.header), {**contents.arrays, **arrays})
    type(artifact)(copy).save(path)
    return path


def test_a_row_that_is_lost_is_found(artifact, corpus, tmp_path):
    """The verdicts say that nothing is ever taken where something was."""
    verdicts = np.where(artifact.contents.arrays["verdicts"] == 1, 2, 2).astype(np.uint8)
    path = changed(artifact, tmp_path / "a.maskc", verdicts=verdicts)
    report = run_verify(path, [str(corpus)], QUICK)
    assert not outcome(report, "generation").ok
    assert not outcome(report, "oracle").ok
    witness = outcome(report, "oracle").failures[0]
    assert {"file", "line", "before", "token", "legal_in_mask"} <= set(witness)
    assert not witness["legal_in_mask"]


def test_a_token_too_many_is_found(artifact, corpus, tmp_path):
    verdicts = np.ones_like(artifact.contents.arrays["verdicts"])
    path = changed(artifact, tmp_path / "a.maskc", verdicts=verdicts)
    report = run_verify(path, [str(corpus)], QUICK)
    assert not outcome(report, "generation").ok
    assert not outcome(report, "oracle").ok
    assert any(f.get("legal_in_mask") for f in outcome(report, "oracle").failures)


def test_a_text_that_cannot_be_walked_is_found(artifact, corpus, tmp_path):
    """The parser's live sets are emptied, so that the first token is refused."""
    live = np.zeros_like(artifact.contents.arrays["live"])
    path = changed(artifact, tmp_path / "a.maskc", live=live)
    report = run_verify(path, [str(corpus)], VerifyOptions(files=5, texts=0, positions=0))
    experiment = outcome(report, "corpus")
    assert not experiment.ok
    assert experiment.failures[0]["what"] == "a token is illegal in a text that Lark parses"
    assert experiment.failures[0]["line"] == 1


def test_an_experiment_that_checked_nothing_has_not_passed():
    assert not Experiment("corpus", needed="files").ok


def test_a_corpus_without_files_is_refused(saved, tmp_path):
    with pytest.raises(GrammarError, match="holds no file"):
        run_verify(saved, [str(tmp_path / "none.d")[:-7]], VerifyOptions(max_bytes=0))
    with pytest.raises(GrammarError, match="is no file or folder"):
        run_verify(saved, [str(tmp_path / "none")], QUICK)


def test_a_folder_gives_the_files_of_its_most_common_kind(corpus):
    (corpus / "README").write_text("no suffix")
    assert len(find_files([str(corpus)], 10_000)) == 14


def test_files_are_chosen_by_the_seed(corpus):
    files = find_files([str(corpus)], 10_000)
    assert choose_files(files, 5, 1) == choose_files(files, 5, 1)
    assert choose_files(files, 5, 1) != choose_files(files, 5, 2)


def test_generated_texts_are_parsed_and_repeatable(artifact):
    texts = list(generate_texts(artifact, count=5, max_tokens=60, seed=3))
    lark = build_lark(source_from_header(artifact.header["grammar"]))
    assert [t.problem for t in texts] == [None] * 5
    for text in texts:
        lark.parse(text.text)
    assert texts == list(generate_texts(artifact, count=5, max_tokens=60, seed=3))
