"""Runs in several processes, runs that are interrupted, and the next ones."""

import gc
import multiprocessing
import os
import subprocess
import sys
import time
from unittest import mock

import pytest

from maskc.errors import WorkerError
from maskc.verify import run_verify
from maskc.verify.model import Document, Experiment, Unit
from maskc.verify.saved import Saved, compute_key, remove_old
from maskc.verify.workers import Workers
from tests.verify.test_experiments import NOTHING, QUICK, with_masks


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


class Interrupter:
    """Counts the units done, and raises when there are enough."""

    def __init__(self, limit):
        self.limit, self.done = limit, {}

    def __call__(self, name, n_done, n_units):
        assert n_done <= n_units
        self.done[name] = n_done
        if sum(self.done.values()) >= self.limit:
            raise KeyboardInterrupt


@pytest.mark.parametrize("limit", [1, 9, 18])
def test_an_interrupted_run_is_gone_on_with(saved, corpus, cache, limit):
    expected = run_verify(saved, [str(corpus)], QUICK).to_dict()
    with pytest.raises(KeyboardInterrupt):
        run_verify(saved, [str(corpus)], QUICK, cache=cache, progress=Interrupter(limit))
    report = run_verify(saved, [str(corpus)], QUICK, cache=cache)
    assert report.n_resumed == limit
    assert report.to_dict() == expected
    assert list(cache.iterdir()) == []


def test_a_run_can_be_interrupted_again_and_again(saved, corpus, cache):
    expected = run_verify(saved, [str(corpus)], QUICK).to_dict()
    for limit in (3, 7, 15, 22):
        with pytest.raises(KeyboardInterrupt):
            run_verify(saved, [str(corpus)], QUICK, cache=cache, progress=Interrupter(limit))
    report = run_verify(saved, [str(corpus)], QUICK, cache=cache)
    assert (report.n_resumed, report.to_dict()) == (22, expected)


def test_a_run_that_has_ended_leaves_nothing(saved, corpus, cache):
    run_verify(saved, [str(corpus)], QUICK, cache=cache)
    assert list(cache.iterdir()) == []
    assert run_verify(saved, [str(corpus)], QUICK, cache=cache).n_resumed == 0


def test_failures_are_gone_on_with_too(artifact, corpus, cache, tmp_path):
    path = with_masks(artifact, tmp_path / "a.maskc", False)
    expected = run_verify(path, [str(corpus)], QUICK).to_dict()
    with pytest.raises(KeyboardInterrupt):
        run_verify(path, [str(corpus)], QUICK, cache=cache, progress=Interrupter(20))
    assert run_verify(path, [str(corpus)], QUICK, cache=cache).to_dict() == expected


def test_the_report_does_not_depend_on_the_number_of_processes(saved, corpus, cache):
    expected = run_verify(saved, [str(corpus)], QUICK).to_dict()
    assert run_verify(saved, [str(corpus)], QUICK, jobs=2).to_dict() == expected
    with pytest.raises(KeyboardInterrupt):
        run_verify(saved, [str(corpus)], QUICK, jobs=2, cache=cache, progress=Interrupter(10))
    assert multiprocessing.active_children() == []
    report = run_verify(saved, [str(corpus)], QUICK, cache=cache)
    assert report.n_resumed >= 10
    assert report.to_dict() == expected


def test_a_process_that_is_killed_is_an_error_of_one_sentence(saved, corpus):
    def kill(*_progress):
        for child in multiprocessing.active_children():
            child.kill()

    with pytest.raises(WorkerError, match="ended with status -9") as raised:
        run_verify(saved, [str(corpus)], QUICK, jobs=2, progress=kill)
    assert raised.value.status == -9
    assert multiprocessing.active_children() == []


def test_an_error_of_a_process_that_ended_holds_no_buffer(saved, corpus, monkeypatch):
    """Python 3.13 says so on standard error when the collector comes upon both."""
    complaints = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    worker = mock.Mock()
    ours, theirs = multiprocessing.Pipe()
    theirs.close()
    worker.connection, worker.process.exitcode = ours, -9
    workers = Workers(str(saved), QUICK, corpus, jobs=1)
    workers._workers, workers._jobs = [worker], 2
    with pytest.raises(WorkerError) as raised:
        list(workers.run([UNIT]))
    cycle = [raised]
    cycle.append(cycle)
    del raised, cycle
    gc.collect()
    assert complaints == []


def is_gone(group):
    """Return whether no process of a group is left, within ten seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_processes_of_a_run_that_is_killed_go_away(saved, corpus, cache):
    """They notice that their pipe is closed."""
    code = (
        "import sys; from pathlib import Path; from tests.verify.test_experiments import QUICK\n"
        "from maskc.verify import run_verify\n"
        "def tell(name, done, units):\n"
        "    print(name, done, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    path, corpus, cache = sys.argv[1:]\n"
        "    run_verify(path, [corpus], QUICK, jobs=2, cache=Path(cache), progress=tell)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, saved, corpus, cache],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    for line in process.stdout:
        if line.strip() == b"corpus 5":
            break
    process.kill()
    process.communicate()
    assert is_gone(process.pid)
    report = run_verify(saved, [str(corpus)], QUICK, cache=cache)
    assert report.n_resumed >= 5
    assert report.to_dict() == run_verify(saved, [str(corpus)], QUICK).to_dict()


UNIT = Unit("corpus", 3, "", 1, Document("a.txt", "text"))


@pytest.fixture
def outcome():
    found = Experiment("corpus", "files")
    found.count("files")
    found.fail(what="é\ud800", offset=3)
    found.documents.append(Document("a.txt", "text", 4))
    return found


def test_what_a_unit_shows_is_read_as_it_was_written(tmp_path, outcome):
    first = Saved(tmp_path)
    first.keep(UNIT, outcome)
    first.close()
    second = Saved(tmp_path)
    assert second.find(UNIT) == outcome
    assert second.find(Unit("corpus", 4, "", 1)) is None
    second.remove()
    assert not tmp_path.exists()


def test_a_line_that_is_cut_short_is_passed_over(tmp_path, outcome):
    first = Saved(tmp_path)
    first.keep(UNIT, outcome)
    first.keep(Unit("corpus", 4, "", 1), outcome)
    first.close()
    path = tmp_path / "units.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    second = Saved(tmp_path)
    assert second.find(UNIT) == outcome
    assert second.find(Unit("corpus", 4, "", 1)) is None
    second.keep(Unit("corpus", 5, "", 1), outcome)
    second.close()
    third = Saved(tmp_path)
    assert third.find(Unit("corpus", 5, "", 1)) == outcome
    third.close()


def test_a_cache_that_cannot_be_written_is_done_without(saved, corpus, tmp_path):
    (tmp_path / "file").write_text("no folder")
    report = run_verify(saved, [str(corpus)], NOTHING, cache=tmp_path / "file" / "cache")
    assert report.ok


def test_the_key_is_that_of_artifact_options_and_corpus(saved):
    files = [Document("a", "x"), Document("b", "y")]
    key = compute_key(str(saved), QUICK, files)
    assert key == compute_key(str(saved), QUICK, files)
    others = [
        compute_key(str(saved), QUICK, [Document("a", "x"), Document("b", "z")]),
        compute_key(str(saved), QUICK, [Document("a", "x"), Document("c", "y")]),
        compute_key(str(saved), QUICK, files[:1]),
        compute_key(str(saved), type(QUICK)(), files),
    ]
    saved.write_bytes(saved.read_bytes() + b"x")
    others.append(compute_key(str(saved), QUICK, files))
    assert len({key, *others}) == 6


def test_what_was_interrupted_long_ago_is_removed(cache):
    for name, age in (("old", 15), ("new", 13)):
        (cache / name).mkdir(parents=True)
        then = time.time() - age * 24 * 3600
        os.utime(cache / name, (then, then))
    remove_old(cache)
    assert [path.name for path in cache.iterdir()] == ["new"]
