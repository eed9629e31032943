"""``maskc spelling`` writes what `maskc.canonical` reads."""

import json

import pytest

import maskc
from maskc.cli.main import run


def test_a_spelling_is_written_and_loaded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["spelling", "--tokenizer", "bytes"]) == 0
    assert "bytes.spelling" in capsys.readouterr().out
    artifact = maskc.compile_grammar('start: "a" "b"', tokenizer="bytes")
    matcher = maskc.canonical(artifact, "bytes.spelling").matcher()
    assert matcher.accept_tokens(b"ab") == 2
    assert matcher.is_accepting


def test_the_report_is_json_too(tmp_path, capsys):
    target = tmp_path / "b.spelling"
    assert run(["spelling", "-t", "bytes", "-o", str(target), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["n_bytes"] == target.stat().st_size
    assert (said["vocab_size"], said["n_written"], said["n_merges"]) == (257, 256, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["spelling", "-t", "nothing-of-that-name"],
        ["spelling", "-t", "bytes", "-o", "/nowhere/b.spelling"],
    ],
)
def test_what_is_wrong_is_one_sentence(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("maskc: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
