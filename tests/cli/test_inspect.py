"""maskc inspect: what an artifact says about itself."""

import json
from pathlib import Path

import pytest

import maskc


@pytest.fixture
def cache(tmp_path_factory, monkeypatch):
    """Return an empty folder in which times are kept."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def test_inspect_prints_what_the_artifact_was_made_from(command, artifact):
    outcome = command("inspect", artifact, "--internals")
    assert outcome.status == 0
    assert outcome.err == ""
    header = maskc.load(artifact).header
    for fact in (
        "start",
        "contextual",
        header["grammar"]["sha256"],
        "bytes",
        header["tokenizer"]["fingerprint"],
        "257 ids: 256 with text, 1 special or padding",
        "scanner states",
        "Sections",
    ):
        assert fact in outcome.out


def test_inspect_begins_with_what_an_author_asks(command, artifact):
    out = command("inspect", artifact, "--text", "[ab, c").out
    assert "Sections" not in out
    parts = ("Terminals", "how many were legal in its place", "After '[ab, c'", "fingerprint")
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert "legal tokens: 29 of 256" in out
    assert "RSQB" in out
    assert "  the text is illegal" in command("inspect", artifact, "--text", "[,").out


def test_inspect_prints_the_whole_header_and_every_section_as_json(command, artifact):
    found = json.loads(command("inspect", artifact, "--json").out)
    loaded = maskc.load(artifact)
    assert found["header"] == loaded.header
    assert found["n_bytes"] == artifact.stat().st_size
    assert {name: section["nbytes"] for name, section in found["sections"].items()} == {
        name: array.nbytes for name, array in loaded.contents.arrays.items()
    }


def test_markup_in_a_name_is_printed_as_it_is(command, grammar, tmp_path):
    grammar.rename(tmp_path / "[bold]x[red].lark")
    command("compile", "[bold]x[red].lark", "--tokenizer", "bytes", "-o", "a")
    assert "[bold]x[red].lark" in command("inspect", "a").out


# Times, and the page.


@pytest.mark.usefixtures("cache")
def test_inspect_gives_steps_classes_and_residue_as_json(command, artifact):
    found = json.loads(command("inspect", artifact, "--json").out)
    header = maskc.load(artifact).header
    assert [step["step"] for step in found["streamlining"]] == [
        "raw",
        "closings",
        "interchangeable",
        "never legal",
        "always legal",
        "jointly legal",
    ]
    assert found["streamlining"] == [{**s, "seconds": None} for s in header["streamlining"]]
    assert found["classes"] == header["classes"]
    assert found["residue"] == header["residue"]


@pytest.mark.usefixtures("cache")
def test_inspect_knows_the_times_of_what_this_machine_compiled(command, grammar):
    command("compile", grammar, "--tokenizer", "bytes", "-o", "a")
    steps = json.loads(command("inspect", "a", "--json").out)["streamlining"]
    assert all(step["seconds"] > 0 for step in steps)


def test_a_lost_cache_is_no_error(command, grammar, cache):
    command("compile", grammar, "--tokenizer", "bytes", "-o", "a")
    for path in cache.rglob("*.json"):
        path.write_bytes(b"{")
    outcome = command("inspect", "a")
    assert outcome.status == 0
    assert "unknown: not on this machine" in outcome.out


@pytest.mark.usefixtures("cache")
def test_a_witness_that_is_no_text_is_no_error(command, tmp_path):
    (tmp_path / "g.lark").write_text('start: NAME NAME | "x" ";"\nNAME: /[a-z]+/\n')
    command("compile", "g.lark", "--tokenizer", "bytes", "-o", "a")
    found = json.loads(command("inspect", "a", "--json").out)["header"]["not_lexed_apart"]
    assert {"first": "NAME", "second": "NAME", "witness": "aa"} in found


def test_inspect_draws_a_page(command, artifact, tmp_path):
    outcome = command("inspect", artifact, "--html", "report.html", "--internals")
    page = (tmp_path / "report.html").read_text()
    assert outcome.status == 0
    assert outcome.out == f"report.html: {len(page.encode()) / 1000:.2f} kB\n"
    assert page.startswith("<!DOCTYPE html>")
    assert "DFT pushdown automaton" in page


def test_a_schema_begins_with_what_may_come_next(command):
    Path("s.json").write_text('{"type": "integer"}')
    command("compile", "--json-schema", "s.json", "--tokenizer", "bytes", "-o", "s.maskc")
    out = command("inspect", "s.maskc", "--text", "1").out
    assert out.index("how many were legal in its place") < out.index("After '1'")
    assert out.index("the text may end here: yes") < out.index("JSON Schema")
