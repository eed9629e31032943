import json

import pytest


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text("[ab, cd]")
    (folder / "two.txt").write_text("[ab, !]")
    (folder / "three.txt").write_bytes(b"\xff\xfe")
    return folder


def test_an_artifact_is_timed_on_the_users_texts(command, artifact, corpus):
    outcome = command("bench", artifact, "--corpus", corpus)
    assert (outcome.status, outcome.err) == (0, "")
    assert "copy one row" in outcome.out
    assert "two.txt" in outcome.out


def test_json_has_passes_floors_and_the_slowest_fills(command, artifact, corpus):
    found = json.loads(command("bench", artifact, "--corpus", corpus, "--json").out)
    assert (found["documents"], found["skipped"], found["refused"]) == (2, 1, 1)
    assert found["tokens"] == len("[ab, cd]") + len("[ab, ")
    assert set(found["passes"]) == {"first", "cold", "warm"}
    assert found["passes"]["warm"]["fill"]["p50"] > 0
    assert 0 < len(found["slowest"]) <= 10


def test_a_corpus_of_another_grammar_is_refused(refusal, artifact, tmp_path):
    (tmp_path / "other.txt").write_text("nothing of the kind")
    sentence = refusal("bench", artifact, "--corpus", tmp_path / "other.txt")
    assert "begins with a legal token; give --corpus texts of this grammar" in sentence


def test_a_corpus_that_is_not_there_is_refused(refusal, artifact):
    assert "nowhere" in refusal("bench", artifact, "--corpus", "nowhere")
