"""``maskc kit`` writes a kit, says what it wrote, and leaves nothing behind if it cannot."""

import json
from pathlib import Path

import pytest

import maskc
from maskc.cli.main import run


def test_a_kit_is_written_and_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["kit", "--tokenizer", "bytes"]) == 0
    assert "72bcec8943ef" in capsys.readouterr().out
    kit = maskc.load_kit("bytes.kit")
    assert kit.regex("a+").matcher().accept_bytes(b"aa")


def test_the_report_is_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "b.kit"
    assert run(["kit", "-t", "bytes", "-o", str(target), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["n_bytes"] == target.stat().st_size
    assert said["vocab_size"] == 257


@pytest.mark.parametrize(
    "arguments",
    [
        ["kit", "-t", "nothing-of-that-name"],
        ["kit", "-t", "bytes", "-o", "/nowhere/b.kit"],
        ["kit", "-t", "bytes", "--vocab-size", "3"],
        ["kit"],
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("maskc: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())
