"""What ``\\w`` matches is what the running Python's tables say, and artifacts outlive a Python."""

import json
import unicodedata

import pytest

import maskc
from maskc.artifact.model import Contents
from maskc.cli.main import run
from tests.compiled import compile_text

GRAMMAR = 'start: (WORD " ")*\nWORD: /\\w+/\n'
HERE = unicodedata.unidata_version
QUICK = ["--texts=2", "--max-tokens=12", "--positions=4", "--stretches=1", "--mutations=2"]
QUICK += ["--raw-positions=0", "--jobs=1"]


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "a.txt").write_text("one two ")
    return tmp_path / "a.txt"


@pytest.fixture
def save(tmp_path):
    artifact = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")

    def call(version, grammar=None):
        header = {**artifact.header, "unicode": version}
        if version is None:
            del header["unicode"]
        if grammar is not None:
            header["grammar"] = {**header["grammar"], "text": grammar}
        path = str(tmp_path / "a.maskc")
        maskc.Artifact(Contents(header, artifact.contents.arrays)).save(path)
        return path

    return call


def test_an_artifact_says_which_characters_it_was_compiled_with():
    assert compile_text(GRAMMAR).header["unicode"] == HERE
    general = compile_text(GRAMMAR, parser="earley", lexer="dynamic_complete")
    assert general.header["unicode"] == HERE


def test_inspect_shows_the_version(save, capsys):
    assert run(["inspect", save("15.0.0")]) == 0
    assert ["characters", "Unicode", "15.0.0"] in [
        line.split() for line in capsys.readouterr().out.splitlines()
    ]


def test_an_artifact_without_the_version_is_loaded_inspected_and_verified(save, corpus, capsys):
    path = save(None)
    assert run(["inspect", path]) == 0
    assert run(["verify", path, "--corpus", str(corpus), *QUICK]) == 0
    assert "Unicode" not in capsys.readouterr().out


def test_verify_says_nothing_of_equal_versions(save, corpus, capsys):
    assert run(["verify", save(HERE), "--corpus", str(corpus), *QUICK]) == 0
    assert "Unicode" not in capsys.readouterr().out


def test_verify_says_that_the_versions_differ(save, corpus, capsys):
    assert run(["verify", save("1.1.5"), "--corpus", str(corpus), *QUICK]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Unicode 1.1.5, and this Python has those of Unicode {HERE}" in out
    assert "The artifact keeps its promise." in out


def test_verify_calls_no_artifact_wrong_without_saying_that_the_versions_differ(
    save, corpus, capsys
):
    """The judge's words are longer here, as if its tables had more characters."""
    path = save("1.1.5", GRAMMAR.replace("\\w", "[\\w ]"))
    assert run(["verify", path, "--corpus", str(corpus), *QUICK]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "The artifact and this Python do not agree. It was compiled with" in out
    assert "WRONG" not in out


def test_verify_tells_programs_of_both_versions(save, corpus, capsys):
    assert run(["verify", save("1.1.5"), "--corpus", str(corpus), *QUICK, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["unicode"] == {"artifact": "1.1.5", "python": HERE}
