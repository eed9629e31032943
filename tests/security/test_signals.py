"""A command that is told to stop stops: with one line, its status, and nothing left.

Commands are started as a user starts them and told to stop at random moments of their first 0.8
seconds, from where the command's own first line has run (before, it is Python that answers). With
the profile ``slow`` there are ten times as many moments.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest

import maskc
from tests.examples import seeds

GRAMMAR = 'start: "{" (pair ("," pair)*)? "}"\npair: /"[a-z]+"/ ":" (/[0-9]+/ | start)\n'
COMMANDS = {
    "compile": ["compile", "g.lark", "--tokenizer", "bytes", "-o", "out.maskc"],
    "inspect": ["inspect", "a.maskc"],
    "verify": ["verify", "a.maskc", "--corpus", "corpus", "--jobs", "2"],
    "verify alone": ["verify", "a.maskc", "--corpus", "corpus", "--jobs", "1"],
    "generate": ["generate", "a.maskc", "--count", "20"],
    "lint": ["lint", "g.lark"],
    "tokenizers": ["tokenizers"],
}
# What the interpreter says of each module that it has loaded.
LOADED = re.compile(rb"^import time: .*\n", re.MULTILINE)


@pytest.fixture(scope="module")
def compiled():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


@pytest.fixture
def folder(tmp_path, compiled):
    for name in ("home", "tmp", "work", "work/corpus"):
        (tmp_path / name).mkdir()
    (tmp_path / "work/g.lark").write_text(GRAMMAR)
    (tmp_path / "work/corpus/a.txt").write_text('{"a":1,"b":{"c":2}}')
    compiled.save(tmp_path / "work/a.maskc")
    return tmp_path


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def is_gone(group):
    """Return whether no process of a group is left, within ten seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def count_group(group):
    """Return how many processes a group has."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            found += int(path.read_text().rpartition(")")[2].split()[2]) == group
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def start(arguments, folder):
    """Start a command; return it, with what it writes to standard error, at its first line."""
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "maskc", *arguments],
        cwd=folder / "work",
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    begun, lines = threading.Event(), []

    def read():
        n_loaded = 0
        for line in process.stderr:
            # The first module that is loaded after it tells that it listens.
            n_loaded += n_loaded > 0 or line.rstrip().endswith(b" maskc.cli.signals")
            if n_loaded == 2:
                begun.set()
            lines.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    assert begun.wait(120)
    return process, reader, lines


def stop(arguments, folder, number, delay):
    """Return the exit status of a command that gets a signal after a while, and what it said."""
    process, reader, lines = start(arguments, folder)
    time.sleep(delay)
    process.send_signal(number)
    status = process.wait(120)
    reader.join(120)
    process.stderr.close()
    assert is_gone(process.pid)
    return status, LOADED.sub(b"", b"".join(lines)).decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_leaves_a_line_and_nothing_else(folder, number):
    draw = Random(int(number))
    left = files_of(folder / "work")
    for _ in seeds(10):
        name, delay = draw.choice(sorted(COMMANDS)), draw.uniform(0, 0.8)
        status, said = stop(COMMANDS[name], folder, number, delay)
        case = f"{name} after {delay:.3f} s: {status}, {said!r}"
        # While it is loading or ending, a signal can end a process as the system does.
        stopped = {signal.SIGINT: {130, -2}, signal.SIGTERM: {143, -15}}[number]
        assert status in stopped | {0}, case
        assert "Traceback" not in said, case
        assert "Exception ignored" not in said, case
        if status > 0:
            word = "interrupted" if number == signal.SIGINT else "terminated"
            assert said.splitlines()[-1] == f"maskc: {word}", case
        assert files_of(folder / "tmp") == [], case
        assert [f for f in files_of(folder / "home") if f.endswith(".maskc-part")] == [], case
        if "out.maskc" in files_of(folder / "work"):
            maskc.load(folder / "work/out.maskc")
            (folder / "work/out.maskc").unlink()
        assert files_of(folder / "work") == left, case


def test_a_verification_that_is_terminated_ends_its_processes_and_removes_its_folder(folder):
    """Long after its start, when both processes are at work."""
    options = ["--texts", "4000", "--positions", "4000", "--mutations", "4000"]
    process, reader, lines = start([*COMMANDS["verify"], *options], folder)
    while count_group(process.pid) < 4:  # with what starts the other two
        time.sleep(0.05)
    process.terminate()
    status = process.wait(120)
    reader.join(120)
    process.stderr.close()
    assert is_gone(process.pid)
    said = LOADED.sub(b"", b"".join(lines)).decode()
    assert status == 143
    assert said.splitlines()[-1] == "maskc: terminated"
    assert "Traceback" not in said
    assert files_of(folder / "tmp") == []


def test_a_command_that_ignores_interrupts_goes_on(folder):
    """As one that a shell has started in the background."""
    shell = 'trap "" INT; echo ready; exec "$@"'
    process = subprocess.Popen(
        ["sh", "-c", shell, "sh", sys.executable, "-m", "maskc", "inspect", "a.maskc"],
        cwd=folder / "work",
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"ready\n"
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert b"fingerprint" in out
