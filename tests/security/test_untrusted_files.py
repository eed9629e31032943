"""A file that comes in is regular, bounded, and lies where it may: refused at once, in a sentence.

Each command has a time limit and little memory: one that waits for a pipe or reads a device without
end fails, rather than hanging the suite.
"""

import io
import os
import resource
import signal
import subprocess
import sys
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from maskc.cli.main import run as run_command
from tests.cli.conftest import Outcome

SECONDS = 60
MEMORY = 1 << 30  # bytes of address space that a command may take
SECRET = "root-of-all-secrets"
GRAMMAR = "%import .words (WORD)\nstart: WORD\n"


@contextmanager
def bounds():
    """Interrupt what waits or reads without end."""

    def interrupt(*_):
        raise TimeoutError

    before = resource.getrlimit(resource.RLIMIT_AS)
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGALRM, interrupt)
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, before[1]))
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, handler)


def run(folder, *arguments):
    out, err = io.StringIO(), io.StringIO()
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    environment = patch.dict(os.environ, cache)
    with environment, chdir(folder), bounds(), redirect_stdout(out), redirect_stderr(err):
        status = run_command([str(argument) for argument in arguments])
    return Outcome(status, out.getvalue(), err.getvalue())


TOO_LARGE = (
    "{}: more than 1,000,000 characters of grammar; remove unused parts, or raise "
    "--text-limit CHARACTERS (text= of maskc.Limits)"
)


def refusal(folder, *arguments):
    ran = run(folder, *arguments)
    assert (ran.status, ran.out) == (2, ""), ran.err
    assert ran.err.startswith("maskc: ")
    assert ran.err.count("\n") == 1
    assert SECRET not in ran.err
    return ran.err.removeprefix("maskc: ").rstrip("\n")


def compile_refusal(folder, grammar="g.lark"):
    found = refusal(folder, "compile", grammar, "--tokenizer", "bytes")
    assert not list(folder.glob("*.maskc"))
    return found


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a grammar that imports another, and a secret outside."""
    (tmp_path / "secret.lark").write_text(f"{SECRET}:x:0:0\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "g.lark").write_text(GRAMMAR)
    return folder


def lie_in_a_folder_below(folder):
    (folder / "parts").mkdir()
    (folder / "parts" / "words.lark").write_text("%import .letters (A)\nWORD: A+\n")
    (folder / "parts" / "letters.lark").write_text("A: /[a-z]/\n")
    (folder / "g.lark").write_text(GRAMMAR.replace(".words", ".parts.words"))


def be_a_link_within_the_folder(folder):
    (folder / "real.lark").write_text("WORD: /[a-z]+/\n")
    (folder / "words.lark").symlink_to("real.lark")


@pytest.mark.parametrize("make", [lie_in_a_folder_below, be_a_link_within_the_folder])
def test_an_import_inside_of_the_folder_is_read(folder, make):
    make(folder)
    assert run(folder, "compile", "g.lark", "--tokenizer", "bytes").status == 0


def come_from_a_folder_that_is_a_link(folder):
    (folder.parent / "words.lark").write_text("WORD: /a/\n")
    (folder / "up").symlink_to("..")
    (folder / "g.lark").write_text(GRAMMAR.replace(".words", ".up.words"))


def be_sparse(folder):
    with open(folder / "words.lark", "wb") as file:
        file.truncate(1 << 40)


def lead_to(target):
    return lambda folder: (folder / "words.lark").symlink_to(target)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            lead_to("../secret.lark"),
            "g.lark: it imports words.lark, which leads out of its folder; put a copy",
        ),
        (come_from_a_folder_that_is_a_link, "imports up/words.lark, which leads out of its folder"),
        *(
            (lead_to(target), "which leads out of its folder")
            for target in ("/etc/passwd", "/dev/zero", "/proc/self/environ")
        ),
        (
            lambda folder: os.mkfifo(folder / "words.lark"),
            "g.lark: it imports words.lark, which is not a regular file (a named pipe); replace it",
        ),
        (lambda folder: (folder / "words.lark").mkdir(), "which is a folder"),
        (be_sparse, TOO_LARGE.format("words.lark")),
    ],
)
def test_an_import_that_leads_elsewhere_or_is_no_file_is_refused(folder, make, reason):
    make(folder)
    assert reason in compile_refusal(folder)


def test_imports_are_bounded_together(folder):
    names = [f"w{i}" for i in range(5)]
    for name in names:
        (folder / f"{name}.lark").write_text(f"A: /a/\n//{'x' * 600_000}\n")
    imports = "".join(f"%import .{name}.A -> {name.upper()}\n" for name in names)
    (folder / "g.lark").write_text(f"{imports}start: W0\n")
    assert compile_refusal(folder) == TOO_LARGE.format("w1.lark")


@pytest.mark.parametrize("name", [".words", "words"])
def test_an_import_is_not_looked_for_in_the_current_folder(folder, name):
    """Lark would open it: a pipe there would keep it waiting, and a file end in a traceback."""
    inner = folder / "inner"
    inner.mkdir()
    (inner / "g.lark").write_text(GRAMMAR.replace(".words", name))
    (folder / "words.lark").write_text("WORD: /a/\n")
    assert "it imports words" in compile_refusal(folder, "inner/g.lark")
    os.unlink(folder / "words.lark")
    os.mkfifo(folder / "words.lark")
    assert "it imports words" in compile_refusal(folder, "inner/g.lark")


def test_a_name_imported_both_with_a_point_and_without_is_refused(folder):
    (folder / "common.lark").write_text("A: /a/\n")
    (folder / "g.lark").write_text("%import .common.A\n%import common.INT\nstart: A INT\n")
    assert "Inconsistent base_path" in compile_refusal(folder)


def test_a_grammar_that_calls_itself_a_string_does_not_import_beside_the_program(folder):
    """Lark looks beside the program for what a grammar without a file imports."""
    (folder / "<string>").write_text(GRAMMAR)
    assert "it imports" in compile_refusal(folder, "<string>")


@pytest.mark.parametrize("command", ["compile", "lint", "analyze"])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "is not a regular file (a named pipe); give the path of a grammar"),
        (lambda path: path.symlink_to("/dev/zero"), "is not a regular file (a device); give the"),
        (lambda path: path.mkdir(), "is a folder; give the path of a grammar"),
        (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 1 << 40), "more than"),
    ],
    ids=["pipe", "device", "folder", "huge"],
)
def test_a_grammar_that_is_no_small_regular_file_is_refused(folder, command, make, reason):
    make(folder / "odd.lark")
    more = ("--tokenizer", "bytes") if command == "compile" else ()
    assert refusal(folder, command, "odd.lark", *more).startswith(f"odd.lark: {reason}")


def test_a_grammar_of_44_mb_is_refused_at_once(folder):
    (folder / "g.lark").write_bytes(b"start: A\nA: /a/\n" + b"// a line of a comment\n" * 2_000_000)
    assert compile_refusal(folder) == TOO_LARGE.format("g.lark")


def test_a_grammar_from_a_pipe_is_refused_and_from_a_redirected_file_read(folder):
    (folder / "g.lark").write_text("start: /a/\n")

    def compile_stdin(stdin):
        options = ("--tokenizer", "bytes", "-o", "out")
        command = [sys.executable, "-m", "maskc", "compile", "/dev/stdin", *options]
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        return subprocess.run(
            command,
            check=False,
            cwd=folder,
            env=environment,
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    with open(folder / "g.lark") as file:
        assert compile_stdin(file).returncode == 0
    refused = compile_stdin(subprocess.PIPE)
    assert refused.returncode == 2
    assert "(a named pipe)" in refused.stderr


ARTIFACT_COMMANDS = {
    "inspect": (),
    "verify": ("--corpus", "."),
    "explain": ("--text", ""),
    "generate": (),
    "bench": ("--corpus", "."),
}


@pytest.mark.parametrize("command", ARTIFACT_COMMANDS)
def test_an_artifact_that_is_a_pipe_is_refused(folder, command):
    os.mkfifo(folder / "a.maskc")
    assert refusal(folder, command, "a.maskc", *ARTIFACT_COMMANDS[command]) == (
        "a.maskc: is not a regular file (a named pipe); give the path of an artifact"
    )


def test_an_artifact_that_is_a_device_or_of_any_size_is_refused(folder):
    assert "(a device)" in refusal(folder, "inspect", "/dev/zero")
    with open(folder / "a.maskc", "wb") as file:
        file.truncate(1 << 40)
    assert refusal(folder, "inspect", "a.maskc").startswith("a.maskc: is larger than 1,073,741,824")


def test_a_tokenizer_that_is_no_small_regular_file_is_refused(folder):
    (folder / "g.lark").write_text("start: /a/\n")
    os.mkfifo(folder / "tokenizer.json")
    arguments = ("compile", "g.lark", "--tokenizer")
    sentence = "tokenizer tokenizer.json: tokenizer.json is not a regular file (a named pipe); "
    assert refusal(folder, *arguments, "tokenizer.json").startswith(sentence)
    # A pipe is no tokenizer of a folder.
    assert "the folder holds no tokenizer" in refusal(folder, *arguments, ".")
    assert "(a device)" in refusal(folder, *arguments, "/dev/zero")
    os.unlink(folder / "tokenizer.json")
    with open(folder / "tokenizer.json", "wb") as file:
        file.truncate(1 << 40)
    assert refusal(folder, *arguments, "tokenizer.json") == (
        "tokenizer tokenizer.json: tokenizer.json is larger than 268,435,456 bytes; "
        "give a tokenizer file, not a model's weights"
    )
