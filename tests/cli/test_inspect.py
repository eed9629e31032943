"""maskc inspect: what an artifact says about itself."""

import json

import pytest

import maskc


@pytest.fixture
def cache(tmp_path_factory, monkeypatch):
    """Return an empty folder in which times are kept."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def test_inspect_prints_the_hashes_of_what_it_was_made_from(command, artifact):
    outcome = command("inspect", artifact)
    header = maskc.load(artifact).header
    assert (outcome.status, outcome.err) == (0, "")
    assert header["grammar"]["sha256"] in outcome.out
    assert header["tokenizer"]["fingerprint"] in outcome.out


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
def test_inspect_gives_steps_with_the_times_of_this_machine_and_undecided_rows(
    command, artifact, grammar
):
    found = json.loads(command("inspect", artifact, "--json").out)
    header = maskc.load(artifact).header
    steps = [step["step"] for step in found["streamlining"]]
    assert steps[:4] == ["raw", "open lexemes", "interchangeable", "never legal"]
    assert steps[4:] == ["always legal", "jointly legal"]
    assert found["streamlining"] == [{**s, "seconds": None} for s in header["streamlining"]]
    assert (found["classes"], found["residue"]) == (header["classes"], header["residue"])
    command("compile", grammar, "--tokenizer", "bytes", "-o", "a")
    timed = json.loads(command("inspect", "a", "--json").out)["streamlining"]
    assert all(step["seconds"] > 0 for step in timed)


def test_a_lost_cache_is_no_error(command, grammar, cache):
    command("compile", grammar, "--tokenizer", "bytes", "-o", "a")
    for path in cache.rglob("*.json"):
        path.write_bytes(b"{")
    outcome = command("inspect", "a")
    assert outcome.status == 0
    assert "unknown on this machine" in outcome.out


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
