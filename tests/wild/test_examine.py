"""Steps in processes of their own."""

import sys

from tests.wild.examine import STATES, Bounds, examine, run_bounded
from tests.wild.settings import read_entries


def test_a_command_that_does_not_end_is_ended():
    done = run_bounded([sys.executable, "-c", "while True: pass"], 0.2, None)
    assert "no end after" in done["error"]


def test_a_command_that_takes_too_much_memory_says_so():
    done = run_bounded([sys.executable, "-c", "print(len(bytes(10**9)))"], 10, 500)
    assert done["out"] == ""
    assert "MemoryError" in done["error"]


def test_a_postlex_that_is_a_class_counts_as_refused(tmp_path):
    (tmp_path / "x.lark").write_text('start: "a"\n')
    (tmp_path / "x.toml").write_text('parser = "lalr"\npostlex = "renames A"\n')
    (entry,) = read_entries(tmp_path)
    folder = tmp_path / "made"
    folder.mkdir()
    found = examine(entry, folder, Bounds(60, 4000, "bytes"))
    assert (found["state"], found["why"]) == ("refused", "postlex: renames A")
    assert found["state"] in STATES


def test_a_grammar_that_lark_did_not_come_to_load_is_not_refused_by_lark(tmp_path):
    (tmp_path / "x.lark").write_text('start: "a"\n')
    (tmp_path / "x.toml").write_text('parser = "lalr"\n')
    (entry,) = read_entries(tmp_path)
    folder = tmp_path / "made"
    folder.mkdir()
    found = examine(entry, folder, Bounds(0.01, 4000, "bytes"))
    assert found["state"] == "not loaded"
    assert "no end after" in found["why"]


def test_a_grammar_without_texts_is_no_refusal(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.lark").write_text("start: A B\nA: /a+/\nB: /a/\n")
    (tmp_path / "in" / "x.toml").write_text('parser = "earley"\n')
    (entry,) = read_entries(tmp_path / "in")
    folder = tmp_path / "made"
    folder.mkdir()
    found = examine(entry, folder, Bounds(60, 4000, "bytes"))
    assert found["state"] == "no text"
    assert "can never be lexed right after terminal A" in found["why"]
