"""Exit statuses and sentences that all commands share."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import maskc
from maskc.cli.main import commands
from maskc.native import describe_runtime

COMMANDS = (
    "analyze",
    "bench",
    "build",
    "check",
    "compile",
    "diff",
    "dump",
    "explain",
    "families",
    "generate",
    "grammars",
    "inspect",
    "kit",
    "lint",
    "play",
    "spelling",
    "tokenizers",
    "verify",
)


def test_what_a_command_does_is_not_cut(command):
    shown = command("--help").out.partition("Commands:")[2]
    assert "..." not in shown
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_a_default_is_said_once(command):
    for name in COMMANDS:
        out = command(name, "--help").out
        assert all(part.count("[default: ") <= 1 for part in out.split("\n  -"))


def test_the_commands_are_these():
    assert tuple(commands.list_commands(click.Context(commands))) == COMMANDS


def test_a_shell_is_told_what_may_follow():
    asked = {"_MASKC_COMPLETE": "bash_complete", "COMP_WORDS": "maskc comp", "COMP_CWORD": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "maskc"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | asked,
    )
    assert ran.stdout == "plain,compile\n"


def test_a_command_with_a_similar_name_is_named(refusal):
    assert refusal("copmile") == (
        "No such command 'copmile'. Did you mean compile? See `maskc --help`."
    )
    assert refusal("xyzzy") == "No such command 'xyzzy'. See `maskc --help`."


def test_a_command_imports_no_other():
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "maskc", "tokenizers"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert "maskc.vocab" in ran.stderr
    assert "maskc.pipeline" not in ran.stderr
    assert "maskc.cli.compile" not in ran.stderr


def test_what_a_set_may_mean_some_day_is_not_printed(tmp_path):
    (tmp_path / "g.lark").write_text("start: A\nA: /[[a]/\n")
    ran = subprocess.run(
        [sys.executable, "-m", "maskc", "compile", "g.lark", "-t", "bytes", "-q"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(maskc.__file__).parents[1])},
        capture_output=True,
        check=True,
    )
    assert ran.stderr == b""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself(command, name):
    outcome = command(name, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(f"Usage: maskc {name} ")
    assert outcome.err == ""


def test_the_version_is_printed(command):
    assert command("--version").out == (
        f"maskc, version {maskc.__version__} (runtime: {describe_runtime()})\n"
    )


def test_no_command_prints_the_help_and_is_an_error(command):
    outcome = command()
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("Usage: maskc ")


def test_an_unknown_command_is_refused(refusal):
    assert refusal("frobnicate") == "No such command 'frobnicate'. See `maskc --help`."


def test_a_missing_option_is_refused(refusal):
    assert refusal("compile", "a.lark") == (
        "Missing option '--tokenizer' / '-t'. See `maskc compile --help`."
    )


def test_an_unknown_option_is_refused(refusal):
    assert refusal("inspect", "--verbose") == (
        "No such option '--verbose'. See `maskc inspect --help`."
    )


def test_an_option_out_of_range_is_refused(refusal):
    sentence = refusal("compile", "a.lark", "--tokenizer", "bytes", "--vocab-size", "0")
    assert sentence.startswith("Invalid value for '--vocab-size': 0 is not in the range")


def test_an_unknown_choice_is_refused(refusal):
    sentence = refusal("compile", "a.lark", "--tokenizer", "bytes", "--lexer", "dinamic")
    assert sentence.startswith("Invalid value for '--lexer': 'dinamic' is not one of")


@pytest.mark.parametrize("name", ["inspect", "generate"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"hello", "is not a maskc artifact"),
        (b"\xa9maskc\r\n\x1a\n", "is truncated"),
    ],
)
def test_a_file_that_is_no_artifact_is_refused(refusal, tmp_path, name, data, reason):
    (tmp_path / "a.maskc").write_bytes(data)
    assert refusal(name, "a.maskc").startswith(f"a.maskc: {reason}")


@pytest.mark.parametrize("name", ["inspect", "generate"])
def test_a_missing_artifact_is_refused(refusal, name):
    assert refusal(name, "a.maskc") == (
        "a.maskc: cannot be read (No such file or directory); give the path of an artifact"
    )


@pytest.mark.parametrize("name", ["inspect", "generate"])
def test_a_folder_is_no_artifact(refusal, tmp_path, name):
    assert refusal(name, tmp_path) == f"{tmp_path}: is a folder; give the path of an artifact"


def test_an_artifact_truncated_anywhere_is_refused_in_one_sentence(refusal, artifact):
    data = artifact.read_bytes()
    for n_bytes in [*range(0, 200, 7), *range(200, len(data), len(data) // 50), len(data) - 1]:
        artifact.write_bytes(data[:n_bytes])
        assert refusal("inspect", artifact)


def test_an_artifact_with_a_byte_flipped_is_refused_in_one_sentence(refusal, artifact):
    data = artifact.read_bytes()
    for position in [*range(60), *range(60, len(data), len(data) // 50), len(data) - 1]:
        artifact.write_bytes(
            data[:position] + bytes([data[position] ^ 0x40]) + data[position + 1 :]
        )
        assert refusal("inspect", artifact)


@pytest.mark.parametrize("options", [["inspect", "--json"], ["inspect"], ["explain", "--text="]])
def test_a_reader_that_goes_away_is_no_error(artifact, options):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "maskc", *options, artifact],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (141, b"")


@pytest.mark.costly
@pytest.mark.parametrize(("closed", "status"), [("<&-", 2), (">&-", 0), ("2>&-", 0)])
def test_a_standard_stream_that_is_closed_is_no_other_file(artifact, tmp_path, closed, status):
    text = "-" if closed == "<&-" else "["
    command = f'"{sys.executable}" -m maskc explain "{artifact}" --text {text} {closed}'
    process = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert process.returncode == status
    assert (b"after" in process.stdout) == (closed == "2>&-")
    refused = b"maskc: -: standard input is closed; give the text through it\n"
    assert process.stderr == (refused if status else b"")
    compiled = tmp_path / "made.maskc"
    command = f'"{sys.executable}" -m maskc compile json -t bytes -o "{compiled}" {closed}'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    assert maskc.load(compiled).matcher().accept_bytes(b"[1]")


def test_a_full_disk_is_one_sentence(artifact):
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "maskc", "inspect", artifact, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert process.returncode == 2
    assert process.stderr == b"maskc: No space left on device\n"
