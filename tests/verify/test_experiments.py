from dataclasses import replace
from pathlib import Path

import numpy as np

import maskc
from maskc.artifact.model import Contents
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.verify import VerifyOptions, run_verify
from maskc.verify.general import parses
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import Outcome
from tests.grammars.walks import generate_texts

QUICK = VerifyOptions(
    files=20,
    texts=4,
    max_tokens=40,
    positions=20,
    segments=10,
    mutations=20,
    raw_positions=300,
    seed=1,
    allow_refused=True,
)
NOTHING = VerifyOptions(
    files=5, texts=0, positions=0, segments=0, mutations=0, raw_positions=0, allow_refused=True
)


def outcome(report, name):
    return next(e for e in report.experiments if e.name == name)


def test_a_sound_artifact_passes_all_six(saved, corpus):
    report = run_verify(saved, [str(corpus)], QUICK)
    assert report.ok
    assert [e.name for e in report.experiments] == list(GrammarSubject.experiments)
    assert outcome(report, "corpus").counts["files that Lark parses"] == 12
    assert outcome(report, "corpus").counts["files that Lark refuses"] == 1
    assert outcome(report, "corpus").counts["skipped, not UTF-8"] == 1
    assert outcome(report, "generation").counts["texts"] == 4
    assert outcome(report, "oracle").counts["positions"] == 20
    assert outcome(report, "segmentation").counts["segments"] == 10
    assert outcome(report, "mutation").counts["mutated texts"] == 20
    assert outcome(report, "optimisation").counts["positions"] == 300
    assert outcome(report, "optimisation").counts["rows before optimisation"] > 100
    assert outcome(report, "oracle").counts.get("undecided by the oracle", 0) == 0


def changed(artifact, path, **arrays):
    """Save a copy with some sections replaced."""
    contents = artifact.contents
    copy = Contents(dict(contents.header), {**contents.arrays, **arrays})
    type(artifact)(copy).save(path)
    return path


def test_a_difference_from_the_oracle_has_a_witness(artifact, corpus, tmp_path):
    """The large token sets hold no token."""
    masks = np.zeros_like(artifact.contents.arrays["masks"])
    path = changed(artifact, tmp_path / "a.maskc", masks=masks)
    report = run_verify(path, [str(corpus)], QUICK)
    assert not any(outcome(report, name).ok for name in ("generation", "oracle", "optimisation"))
    failures = outcome(report, "oracle").failures
    assert {"file", "line", "offset", "before", "after", "token"} <= set(failures[0])
    assert ("illegal", "legal") in {(f["maskc"], f["oracle"]) for f in failures}


def test_a_text_that_cannot_be_walked_is_found(artifact, corpus, tmp_path):
    """The parser's live sets are emptied, so that the first token is refused."""
    live = np.zeros_like(artifact.contents.arrays["live"])
    path = changed(artifact, tmp_path / "a.maskc", live=live)
    experiment = outcome(run_verify(path, [str(corpus)], NOTHING), "corpus")
    assert not experiment.ok
    failure = experiment.failures[0]
    assert failure["what"] == "a token is illegal in a text that Lark parses"
    assert (failure["line"], failure["offset"], failure["lark"]) == (1, 0, "parses the text")


def test_generated_texts_are_parsed_and_repeatable(artifact):
    first, again = (list(generate_texts(artifact, count=5, max_tokens=60, seed=3)) for _ in "ab")
    lark = build_lark(source_from_header(artifact.header["grammar"]))
    assert [text.problem for text in first] == [None] * 5
    assert all(parses(lark, text.text) for text in first)
    assert first == again


def test_a_language_of_the_empty_text_is_not_mutated(tmp_path):
    maskc.compile_grammar("start:\n", tokenizer="bytes").save(tmp_path / "a.maskc")
    (tmp_path / "a.txt").write_text("")
    report = run_verify(tmp_path / "a.maskc", [str(tmp_path / "a.txt")], QUICK)
    assert "mutation" not in [e.name for e in report.experiments]
    assert report.ok


def test_a_second_stage_without_texts_has_not_passed(saved, tmp_path):
    (tmp_path / "a.json").write_text("{")
    report = run_verify(saved, [str(tmp_path / "a.json")], replace(QUICK, texts=0))
    assert {e.outcome for e in report.experiments} == {Outcome.NOTHING}
    assert "mutation" in [e.name for e in report.experiments]


def test_files_keep_their_line_ends(saved, tmp_path):
    path = Path(tmp_path / "a.json")
    path.write_bytes(b"[1,\r\n2]")
    report = run_verify(saved, [str(path)], NOTHING)
    assert outcome(report, "corpus").counts["tokens"] == 7
