"""What maskc does where Windows' Python runs it: no fork, no alarm, no ``resource`` or ``fcntl``.

A ``sitecustomize`` takes these away, from this Python and from those that it starts.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import maskc
from maskc import system
from maskc.work import UnbegunError
from maskc.work.servers import SpawnServer

HERE = Path(__file__).parent
HERE_ALONE = """
import sys
import maskc
from maskc.cli.main import run
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

assert run(["compile", "small.lark", "--tokenizer", "bytes", "-o", "small.maskc"]) == 0
artifact = maskc.load("small.maskc")
bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
artifact.matcher().fill_bitmask(bitmask, 0)
assert [n for n in range(257) if bitmask[0, n // 32] >> n % 32 & 1] == [ord("[")]
vocabulary = load_vocabulary("bytes")
assert make_kit(vocabulary).json_schema({"enum": [1]}).matcher().accept_bytes(b"1")
assert not {"fcntl", "resource"} & {*sys.modules}
"""
WITH_WORKERS = """
from maskc.integrations.compile_pool import OtherProcess

assert run(["verify", "small.maskc", "--corpus", "texts", "--texts", "1", "--jobs", "1"]) == 0
assert run(["build", "maskc.toml", "--jobs", "1"]) == 0
assert maskc.load("artifacts/small.bytes.maskc").matcher().accept_bytes(b"[[")
compiler = OtherProcess(vocabulary)
kit = make_kit(vocabulary, compiler=compiler)
assert kit.lark('start: "a" start | "b"').matcher().accept_bytes(b"ab")
assert compiler.statistics() == {"processes_started": 1}
compiler.close()
"""


@pytest.fixture
def elsewhere(tmp_path):
    """Run Python's code in a folder where these modules are missing; return what it prints."""
    (tmp_path / "small.lark").write_text('start: "[" (start ("," start)*)? "]"')
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("[[],[[]]]")
    (tmp_path / "maskc.toml").write_text(
        'output = "artifacts"\n[tokenizers]\nbytes = "bytes"\n[grammars]\nsmall = "small.lark"\n'
    )

    def run(code):
        path = os.pathsep.join((str(HERE / "elsewhere"), str(Path(maskc.__file__).parent.parent)))
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_grammar_is_compiled_loaded_and_filled_without_fork_alarm_and_resource(elsewhere):
    elsewhere(HERE_ALONE)


@pytest.mark.costly
def test_commands_and_kits_have_workers_without_fork(elsewhere):
    assert "passed" in elsewhere(HERE_ALONE + WITH_WORKERS)


def test_a_call_of_c_is_ended_after_its_time_without_an_alarm(elsewhere):
    elsewhere(
        "import re\n"
        "from maskc.errors import LimitError\n"
        "from maskc.work.processes import ProcessExecutor, Timed\n"
        "with ProcessExecutor(1) as executor:\n"
        "    timed = Timed(re.match, 'the text', 0.1)\n"
        "    error = executor.submit(timed, '(a+)+b', 'a' * 40).exception()\n"
        "assert isinstance(error, LimitError) and error.location == 'the text', error\n"
    )


@pytest.fixture(scope="module")
def server():
    made = SpawnServer("tests.work.workers:open_echo", b"some bytes", is_apart=True)
    yield made
    made.close()


def test_a_spawned_worker_is_told_answers_and_ends_with_its_pipe(server):
    worker = server.start()
    assert worker.exchange(b"told") == b"some bytes"
    assert worker.exchange(b"\x00" * 100_000) == b"\x00" * 100_000
    assert worker.close() == 0


@pytest.mark.parametrize(("message", "status"), [(b"end 7", 7), (b"signal 9", -9)])
def test_how_a_spawned_worker_ended_is_said(server, message, status):
    worker = server.start()
    with pytest.raises(ConnectionError):
        worker.exchange(message)
    assert worker.close() == status


def test_a_spawned_worker_that_works_too_long_is_killed(server):
    worker = server.start()
    with pytest.raises(TimeoutError):
        worker.exchange(b"wait 60", seconds=0.05)
    worker.kill()
    assert worker.close() == -9


def test_one_that_is_not_ready_in_time_or_ends_is_no_worker():
    late = SpawnServer("tests.work.workers:open_late", b"60")
    with pytest.raises(TimeoutError):
        late.start(0.1)
    missing = SpawnServer("tests.work.workers:no_such_name", is_apart=True)
    with pytest.raises(UnbegunError):
        missing.start()
    assert (late._processes, missing._processes) == ({}, {})
    late.close()
    assert not late.is_alive
    with pytest.raises(UnbegunError):
        late.start()


def test_who_comes_to_the_port_without_the_secret_is_no_worker(server, monkeypatch):
    create, strangers = socket.create_server, []

    def create_and_knock(address):
        listener = create(address)
        for said in (b"", b"a" * 32):
            stranger = socket.create_connection(listener.getsockname())
            stranger.sendall(said)
            stranger.shutdown(socket.SHUT_WR)
            strangers.append(stranger)
        return listener

    monkeypatch.setattr(socket, "create_server", create_and_knock)
    worker = server.start()
    assert worker.exchange(b"a") == b"a"
    assert worker.close() == 0
    assert [stranger.recv(1) for stranger in strangers] == [b"", b""]
    for stranger in strangers:
        stranger.close()


def test_memory_that_no_system_tells_is_nothing_and_bounds_nothing(monkeypatch):
    monkeypatch.setattr(system, "_RESOURCE", None)
    monkeypatch.setattr(system, "_read_pages", list)
    assert (system.read_memory(), system.peak_memory(), system.bound_data(1)) == (0, 0, None)
    system.unbound_data(None)
    system.bound_seconds(0)
