"""maskc compile: what it writes, and each way in which it refuses."""

import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import maskc
from maskc.artifact.container import load_container
from maskc.compiler import pipeline


def test_compile_names_the_file_after_grammar_and_tokenizer_or_as_it_is_told(
    command, grammar, tmp_path
):
    assert command("compile", grammar, "--tokenizer", "bytes").status == 0
    assert sorted(os.listdir(tmp_path)) == ["list.bytes.maskc", "list.lark"]
    (tmp_path / "out").mkdir()
    command("compile", grammar, "--tokenizer", "bytes", "-o", "out/a")
    assert os.listdir(tmp_path / "out") == ["a"]
    # Twice gives the same bytes.
    assert (tmp_path / "out" / "a").read_bytes() == (tmp_path / "list.bytes.maskc").read_bytes()


def test_compile_prints_three_lines(command, grammar):
    lines = command("compile", grammar, "--tokenizer", "bytes").out.splitlines()
    starts = [line.partition(":")[0] for line in lines]
    assert starts == ["list.lark", "bytes", "list.bytes.maskc"]
    assert command("compile", grammar, "--tokenizer", "bytes", "--quiet").out == ""


def test_several_grammars_are_compiled_at_once(command, grammar, tmp_path):
    outcome = command("compile", grammar, "csv", "--tokenizer", "bytes", "--json")
    paths = [report["path"] for report in json.loads(outcome.out)]
    assert paths == ["list.bytes.maskc", "csv.bytes.maskc"]
    assert all((tmp_path / path).is_file() for path in paths)


def test_a_grammar_comes_from_standard_input(command, grammar, tmp_path, stdin):
    stdin(grammar.read_bytes())
    command("compile", "-", "--tokenizer", "bytes")
    command("compile", grammar, "--tokenizer", "bytes")
    one, other = (maskc.load(tmp_path / f"{n}.bytes.maskc") for n in ("grammar", "list"))
    assert one.header["counts"] == other.header["counts"]


def test_what_ends_the_output_can_be_named(command, grammar, tmp_path, tokenizer_file):
    command("compile", grammar, "-t", tokenizer_file, "--eos", "4", "-o", "a")
    command("compile", grammar, "-t", tokenizer_file, "--eos", "</s>", "-o", "b")
    assert maskc.load(tmp_path / "a").eos_ids == maskc.load(tmp_path / "b").eos_ids == (4,)


def test_compile_prints_what_each_streamlining_step_did(command, grammar):
    out = command("compile", grammar, "--tokenizer", "bytes", "-v").out
    assert all(name in out for name in pipeline.PASSES)
    assert "MiB" in out
    lines = [line.split() for line in out.splitlines()]
    columns = ["pass", "rows", "before", "rows", "after", "change", "processor", "peak", "memory"]
    assert columns in lines
    (totals,) = (line for line in lines if line[:1] == ["all"])
    assert totals[-1] == "MiB"
    steps = maskc.load("list.bytes.maskc").header["streamlining"]
    for before, step in itertools.pairwise(steps):
        name = ["streamline", *step["step"].split()]
        shown = [*name, f"{before['rows']:,}", f"{step['rows']:,}"]
        assert any(line[: len(shown)] == shown for line in lines)


@pytest.mark.parametrize(
    ("text", "n_errors"),
    [
        ("start: WORD | KEY\nWORD: /[a-z]+/\nKEY: /if|in/\n", 1),  # ML002
        ("// maskc: allow=ML002\nstart: WORD | KEY\nWORD: /[a-z]+/\nKEY: /if|in/\n", 0),
        ('start: "d" | x\nx: "a" x\n', 2),  # ML009
    ],
)
def test_compile_says_that_lint_finds_errors(command, tmp_path, text, n_errors):
    (tmp_path / "g.lark").write_text(text)
    out = command("compile", "g.lark", "-t", "bytes").out
    said = out.splitlines()[3:]
    many = {0: [], 1: ["1 error"], 2: ["2 errors"]}[n_errors]
    assert said == [f"{errors} in the grammar: maskc lint says which" for errors in many]
    compiled = json.loads(command("compile", "g.lark", "-t", "bytes", "--json").out)
    assert compiled["lint_errors"] == n_errors


def test_compile_keeps_its_times_beside_the_artifact(
    command, grammar, tmp_path, tmp_path_factory, monkeypatch
):
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    report = json.loads(command("compile", grammar, "--tokenizer", "bytes", "--json").out)
    key = hashlib.sha256((tmp_path / "list.bytes.maskc").read_bytes()).hexdigest()
    kept = json.loads((cache / "maskc" / "timings" / f"{key}.json").read_bytes())
    assert kept["passes"] == report["passes"]
    assert [record["name"] for record in report["passes"]] == list(pipeline.PASSES)
    assert report["n_bytes"] == (tmp_path / "list.bytes.maskc").stat().st_size


def test_a_cache_that_cannot_be_written_does_not_stop_compile(command, grammar, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    outcome = command("compile", grammar, "--tokenizer", "bytes")
    assert (outcome.status, outcome.err) == (0, "")


def test_a_grammar_of_maskc_is_known_by_name_and_a_file_wins_over_it(command, grammar, tmp_path):
    assert command("compile", "json", "--tokenizer", "bytes", "-o", "a").status == 0
    assert maskc.load(tmp_path / "a").header["grammar"]["name"] == "json.lark"
    grammar.rename(tmp_path / "json")
    command("compile", "json", "--tokenizer", "bytes")
    assert maskc.load(tmp_path / "json.bytes.maskc").header["grammar"]["start"] == "list"


@pytest.mark.parametrize(
    ("option", "field"),
    [
        (("--start", "other"), ("grammar", "start", "other")),
        (("--lexer", "basic"), ("grammar", "lexer", "basic")),
        (("--vocab-size", "300"), ("tokenizer", "vocab_size", 300)),
    ],
)
def test_an_option_wins_over_the_grammars_own_setting(command, grammar, tmp_path, option, field):
    grammar.write_text(grammar.read_text() + 'other: "x" WORD\n')
    command("compile", grammar, "--tokenizer", "bytes", *option)
    section, name, value = field
    assert maskc.load(tmp_path / "list.bytes.maskc").header[section][name] == value


def test_a_postlex_can_be_given_as_an_option(command, tmp_path):
    (tmp_path / "g.lark").write_text(
        "start: (_NEWLINE | WORD)*\nWORD: /[a-z]+/\n_NEWLINE: /\\n[ \\t]*/\n"
        "%declare _INDENT _DEDENT\n%ignore / /\nblock: _INDENT WORD _DEDENT\n"
        'LPAR: "("\nRPAR: ")"\n'
    )
    arguments = ("g.lark", "--tokenizer", "bytes", "--postlex", "lark.indenter:PythonIndenter")
    assert command("compile", *arguments).status == 0
    header = maskc.load(tmp_path / "g.bytes.maskc").header
    assert header["grammar"]["postlex"] == {
        "NL_type": "_NEWLINE",
        "INDENT_type": "_INDENT",
        "DEDENT_type": "_DEDENT",
        "OPEN_PAREN_types": ["LBRACE", "LPAR", "LSQB"],
        "CLOSE_PAREN_types": ["RBRACE", "RPAR", "RSQB"],
        "tab_len": 8,
    }


def test_an_interrupt_leaves_no_file(command, grammar, tmp_path, monkeypatch):
    def interrupt(*_arguments, **_see):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "compile_contents", interrupt)
    outcome = command("compile", grammar, "--tokenizer", "bytes")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "maskc: interrupted\n")
    assert os.listdir(tmp_path) == ["list.lark"]


def test_an_interrupt_while_writing_leaves_the_old_file(command, grammar, tmp_path, monkeypatch):
    (tmp_path / "list.bytes.maskc").write_bytes(b"old")

    def interrupt(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    assert command("compile", grammar, "--tokenizer", "bytes").status == 130
    assert sorted(os.listdir(tmp_path)) == ["list.bytes.maskc", "list.lark"]
    assert (tmp_path / "list.bytes.maskc").read_bytes() == b"old"


def test_a_process_that_is_interrupted_says_so_and_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "compile", "python", "--tokenizer", "bytes"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "maskc: interrupted\n")
    assert os.listdir(tmp_path) == []


INTERRUPTIBLE = """
from maskc.cli.main import main
print("started", flush=True)
main()
"""


def test_a_vocabulary_that_is_left_to_a_kit_is_found_beside_the_artifact(command, grammar):
    assert command("kit", "-t", "bytes", "-o", "bytes.kit").status == 0
    assert command("compile", grammar, "--tokenizer", "bytes", "--kit", "bytes.kit").status == 0
    assert "token_bytes" not in load_container("list.bytes.maskc")[1]
    assert command("inspect", "list.bytes.maskc").status == 0


def test_a_kit_of_another_tokenizer_is_refused_and_nothing_is_written(refusal, command, grammar):
    assert command("kit", "-t", "bytes", "--vocab-size", "300", "-o", "wide.kit").status == 0
    said = refusal("compile", grammar, "--tokenizer", "bytes", "--kit", "wide.kit")
    assert "is a kit for another tokenizer than the artifact's" in said


def test_several_start_symbols_make_one_artifact(command, tmp_path):
    """Commands take them by their names."""
    (tmp_path / "g.lark").write_text('one: "a" two\ntwo: "b"\n')
    (tmp_path / "b.txt").write_text("b")
    outcome = command(
        *("compile", "g.lark", "--tokenizer", "bytes", "--start", "one", "--start", "two")
    )
    assert outcome.status == 0
    assert "one, two" in command("inspect", "g.bytes.maskc").out
    assert command("generate", "g.bytes.maskc").out == "ab\n"
    assert command("generate", "g.bytes.maskc", "--start", "two").out == "b\n"
    assert "'b'" in command("explain", "g.bytes.maskc", "--text", "", "--start", "two").out
    few = ("--texts", "1", "--positions", "1", "--mutations", "1", "--jobs", "1")
    verified = command("verify", "g.bytes.maskc", "--corpus", "b.txt", "--start", "two", *few)
    assert verified.status == 0
