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
    *("analyze", "bench", "build", "check", "compile", "diff", "dump", "explain", "families"),
    *("generate", "grammars", "inspect", "kit", "lint", "play", "spelling", "tokenizers", "verify"),
)


def run(*arguments, options=(), check=True, **settings):
    """Run a command in a process of its own."""
    command = [sys.executable, *options, "-m", "maskc", *map(str, arguments)]
    given = {"capture_output": True, "text": True}
    return subprocess.run(command, check=check, **given | settings)


def test_what_a_command_does_is_not_cut(command):
    shown = command("--help").out.partition("Commands:")[2]
    assert "..." not in shown
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_the_commands_are_these_and_each_explains_itself(command):
    assert tuple(commands.list_commands(click.Context(commands))) == COMMANDS
    for name in COMMANDS:
        outcome = command(name, "--help")
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out.startswith(f"Usage: maskc {name} ")
        # A default is said once.
        assert all(part.count("[default: ") <= 1 for part in outcome.out.split("\n  -"))


def test_a_shell_is_told_what_may_follow():
    asked = {"_MASKC_COMPLETE": "bash_complete", "COMP_WORDS": "maskc comp", "COMP_CWORD": "1"}
    assert run(env=os.environ | asked).stdout == "plain,compile\n"


def test_a_command_imports_no_other():
    loaded = run("tokenizers", options=("-X", "importtime")).stderr
    assert "maskc.vocab" in loaded
    assert "maskc.compiler.pipeline" not in loaded
    assert "maskc.cli.compile" not in loaded


def test_what_a_set_may_mean_some_day_is_not_printed(tmp_path):
    (tmp_path / "g.lark").write_text("start: A\nA: /[[a]/\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(maskc.__file__).parents[1])}
    ran = run("compile", "g.lark", "-t", "bytes", "-q", cwd=tmp_path, env=environment)
    assert ran.stderr == ""


def test_the_version_is_printed(command):
    assert command("--version").out == (
        f"maskc, version {maskc.__version__} (runtime: {describe_runtime()})\n"
    )


def test_no_command_prints_the_help_and_is_an_error(command):
    outcome = command()
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("Usage: maskc ")


@pytest.mark.parametrize("options", [["inspect", "--json"], ["inspect"], ["explain", "--text="]])
def test_a_reader_that_goes_away_is_no_error(artifact, options):
    reader, writer = os.pipe()
    os.close(reader)
    piped = {"capture_output": False, "stdout": writer, "stderr": subprocess.PIPE}
    process = run(*options, artifact, **piped, check=False, text=False)
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
        piped = {"capture_output": False, "stdout": full, "stderr": subprocess.PIPE}
        process = run("inspect", artifact, "--json", **piped, check=False, text=False)
    assert process.returncode == 2
    assert process.stderr == b"maskc: No space left on device\n"
