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
from maskc import pipeline
from maskc.artifact.container import load_container


def test_compile_names_the_file_after_grammar_and_tokenizer(command, grammar, tmp_path):
    assert command("compile", grammar, "--tokenizer", "bytes").status == 0
    assert sorted(os.listdir(tmp_path)) == ["list.bytes.maskc", "list.lark"]


def test_compile_writes_where_it_is_told(command, grammar, tmp_path):
    (tmp_path / "out").mkdir()
    command("compile", grammar, "--tokenizer", "bytes", "-o", "out/a")
    assert os.listdir(tmp_path / "out") == ["a"]


def test_compile_prints_time_and_memory_of_each_pass(command, grammar):
    out = command("compile", grammar, "--tokenizer", "bytes", "-v").out
    assert all(name in out for name in pipeline.PASSES)
    assert "MiB" in out
    assert "list.bytes.maskc: " in out


def test_compile_prints_three_lines(command, grammar):
    lines = command("compile", grammar, "--tokenizer", "bytes").out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        *("list.lark", "bytes", "list.bytes.maskc")
    ]
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


def test_compile_prints_its_report_as_json(command, grammar, tmp_path):
    report = json.loads(command("compile", grammar, "--tokenizer", "bytes", "--json").out)
    assert report["path"] == "list.bytes.maskc"
    assert report["n_bytes"] == (tmp_path / "list.bytes.maskc").stat().st_size
    assert [record["name"] for record in report["passes"]] == list(pipeline.PASSES)


def test_compile_prints_what_each_streamlining_step_did(command, grammar):
    out = command("compile", grammar, "--tokenizer", "bytes", "-v").out
    lines = [line.split() for line in out.splitlines()]
    columns = ["pass", "rows", "before", "rows", "after", "change", "processor", "peak", "memory"]
    assert columns in lines
    steps = maskc.load("list.bytes.maskc").header["streamlining"]
    for before, step in itertools.pairwise(steps):
        name = ["streamline", *step["step"].split()]
        shown = [*name, f"{before['rows']:,}", f"{step['rows']:,}"]
        assert any(line[: len(shown)] == shown for line in lines)


def test_compile_keeps_its_times_beside_the_artifact(
    command, grammar, tmp_path, tmp_path_factory, monkeypatch
):
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    report = json.loads(command("compile", grammar, "--tokenizer", "bytes", "--json").out)
    key = hashlib.sha256((tmp_path / "list.bytes.maskc").read_bytes()).hexdigest()
    kept = json.loads((cache / "maskc" / "timings" / f"{key}.json").read_bytes())
    assert kept["passes"] == report["passes"]


def test_a_cache_that_cannot_be_written_does_not_stop_compile(command, grammar, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    outcome = command("compile", grammar, "--tokenizer", "bytes")
    assert (outcome.status, outcome.err) == (0, "")


def test_compiling_twice_gives_the_same_bytes(command, grammar, tmp_path):
    command("compile", grammar, "--tokenizer", "bytes", "-o", "one")
    command("compile", grammar, "--tokenizer", "bytes", "-o", "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_compile_knows_the_grammars_that_come_with_maskc_by_name(command, tmp_path):
    assert command("compile", "json", "--tokenizer", "bytes").status == 0
    assert maskc.load(tmp_path / "json.bytes.maskc").header["grammar"]["name"] == "json.lark"


def test_a_file_wins_over_a_grammar_that_comes_with_maskc(command, grammar, tmp_path):
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


# Refusals.


def test_an_end_that_is_none_is_refused(refusal, grammar, tokenizer_file):
    sentence = refusal("compile", grammar, "-t", tokenizer_file, "--eos", "4", "--eos", "</t>")
    assert sentence.startswith("--eos </t>: the tokenizer has no such special token; did you mean")


def test_one_name_for_several_grammars_is_refused(refusal, grammar):
    assert "leave it out for several" in refusal(
        "compile", grammar, "csv", "-t", "bytes", "-o", "a"
    )


def test_a_missing_grammar_is_refused(refusal):
    assert refusal("compile", "no.lark", "--tokenizer", "bytes") == (
        "no.lark: cannot be read (No such file or directory); give the path of a grammar"
    )


def test_a_name_that_is_no_grammar_is_refused(refusal):
    assert refusal("compile", "cobol", "--tokenizer", "bytes").startswith("cobol: cannot be read")


def test_a_folder_is_no_grammar(refusal, tmp_path):
    assert "is a folder" in refusal("compile", tmp_path, "--tokenizer", "bytes")


def test_a_text_that_is_no_grammar_is_refused_with_its_line_and_a_way_out(refusal, grammar):
    grammar.write_text('start: "a"\n\nb: (\n')
    assert refusal("compile", grammar, "--tokenizer", "bytes") == (
        "list.lark: line 3: its ( is not closed; write ) at its end, and begin each further line "
        "inside of it with |"
    )


def test_bytes_that_are_no_text_are_refused(refusal, grammar):
    grammar.write_bytes(b"start: \xff")
    assert "byte 7 is not UTF-8" in refusal("compile", grammar, "--tokenizer", "bytes")


def test_an_unknown_start_symbol_is_refused(refusal, grammar):
    sentence = refusal("compile", grammar, "--tokenizer", "bytes", "--start", "nowhere")
    assert "nowhere" in sentence
    assert "start=" in sentence or "--start" in sentence


def test_an_undefined_rule_is_refused(refusal, grammar):
    grammar.write_text("start: nothing\n")
    assert "nothing" in refusal("compile", grammar, "--tokenizer", "bytes")


def test_a_grammar_that_is_not_lalr_is_refused(refusal, grammar):
    grammar.write_text("start: a | b\na: X\nb: X\nX: /x/\n")
    assert "reduce/reduce" in refusal("compile", grammar, "--tokenizer", "bytes")


def test_a_back_reference_is_refused_by_the_terminals_name(refusal, grammar):
    grammar.write_text("start: QUOTED\nQUOTED: /(['\"]).*?\\1/\n")
    assert "terminal QUOTED (line 2): it refers back to group 1" in refusal(
        "compile", grammar, "--tokenizer", "bytes"
    )


def test_a_terminal_that_can_be_empty_is_refused(refusal, grammar):
    grammar.write_text("start: A\nA: /a*/\n")
    assert refusal("compile", grammar, "--tokenizer", "bytes").startswith(
        "list.lark: terminal A (line 2): its pattern a* matches nothing, too"
    )


def test_a_regexp_that_python_refuses_is_refused(refusal, grammar):
    grammar.write_text("start: A\nA: /(a/\n")
    refusal("compile", grammar, "--tokenizer", "bytes")


@pytest.mark.parametrize(
    "postlex",
    ["lark.indenter", "no.such:Thing", "lark.indenter:NoThing", "collections:OrderedDict", ":", ""],
)
def test_a_postlex_that_is_no_indenter_is_refused(refusal, grammar, postlex):
    grammar.write_text("start: A\nA: /a/\n")
    if postlex:
        arguments = ("--tokenizer", "bytes", "--postlex", postlex)
        start = f"list.lark: postlex {postlex}: "
        assert refusal("compile", grammar, *arguments).startswith(start)


def test_a_setting_that_is_none_is_refused_with_its_line(refusal, grammar):
    grammar.write_text("// A list.\n// maskc: begin=list\nstart: A\nA: /a/\n")
    assert refusal("compile", grammar, "--tokenizer", "bytes") == (
        "list.lark:2: 'begin=list' is not a setting; "
        "write start=, parser=, lexer=, postlex=, flags=, priority=, regex=, use_bytes=, hole=, "
        "pattern=, backreference="
    )


def test_an_unknown_tokenizer_is_refused(refusal, grammar):
    sentence = refusal("compile", grammar, "--tokenizer", "llama99")
    assert sentence.startswith("tokenizer llama99: there is no such name, file or folder; ")


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model"])
@pytest.mark.parametrize(
    "data", [b"", b"{", b"{}", b"[]", b"\xff\xfe", b"not base64\n", b"YQ== x\n"]
)
def test_a_broken_tokenizer_file_is_refused(refusal, grammar, tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    assert refusal("compile", grammar, "--tokenizer", name).startswith(f"tokenizer {name}: ")


def test_a_vocabulary_size_below_the_tokenizers_is_refused(refusal, grammar):
    sentence = refusal("compile", grammar, "--tokenizer", "bytes", "--vocab-size", "10")
    assert sentence.startswith("tokenizer bytes: ")


@pytest.fixture
def compiler_that_must_not_run(monkeypatch):
    def fail(*_arguments):
        raise AssertionError("compiled before the output was checked")

    monkeypatch.setattr(pipeline, "compile_contents", fail)


@pytest.mark.usefixtures("compiler_that_must_not_run")
class TestOutput:
    def test_a_missing_folder_is_refused_before_compiling(self, refusal, grammar, tmp_path):
        assert refusal("compile", grammar, "--tokenizer", "bytes", "-o", "no/a.maskc") == (
            f"{tmp_path}/no/a.maskc: cannot be written (there is no folder {tmp_path}/no); "
            "choose another place"
        )

    def test_a_folder_as_output_is_refused_before_compiling(self, refusal, grammar, tmp_path):
        sentence = refusal("compile", grammar, "--tokenizer", "bytes", "-o", tmp_path)
        assert "it is a folder" in sentence

    def test_a_folder_that_takes_no_files_is_refused_before_compiling(self, refusal, grammar):
        sentence = refusal("compile", grammar, "--tokenizer", "bytes", "-o", "/proc/a.maskc")
        assert "cannot be written" in sentence

    def test_a_device_as_output_is_refused_before_compiling(self, refusal, grammar):
        sentence = refusal("compile", grammar, "--tokenizer", "bytes", "-o", "/dev/null")
        assert "it is not a regular file" in sentence


def test_an_interrupt_leaves_no_file(command, grammar, tmp_path, monkeypatch):
    def interrupt(*_arguments):
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
    assert sorted(os.listdir()) == ["list.lark", "wide.kit"]


def test_a_kit_that_is_not_there_is_refused(refusal, grammar):
    said = refusal("compile", grammar, "--tokenizer", "bytes", "--kit", "none.kit")
    assert "none.kit" in said


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


def test_a_start_symbol_that_an_artifact_lacks_is_refused(refusal, command, grammar):
    command("compile", grammar, "--tokenizer", "bytes")
    assert refusal("generate", "list.bytes.maskc", "--start", "x") == (
        "list.lark: was not compiled for the start symbol 'x'; use one of list"
    )
