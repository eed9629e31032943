"""A real Dask cluster: several processes, one of which is killed in the middle.

It takes half a minute, so it runs under the slow profile, where ``distributed`` is installed.
"""

import os
import sys
import threading
import time

import pytest
from hypothesis import settings

import maskc
from maskc.build.building import run_build
from maskc.build.config import load_config
from maskc.verify import VerifyOptions, run_verify

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.skipif(
        settings.get_current_profile_name() != "slow", reason="it runs under the slow profile"
    ),
    pytest.mark.filterwarnings("default"),
]
CONFIG = """\
[tokenizers]
bytes = "bytes"
wide = { source = "bytes", vocab-size = 300 }

[grammars]
json = "json"
csv = "csv"
toml = "toml"
lark = "lark"
"""
MODULE = """\
from distributed import Client

def reach():
    return Client({address!r}).get_executor()
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "some_dask", raising=False)
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        (tmp_path / "some_dask.py").write_text(MODULE.format(address=made.scheduler_address))
        yield made


def contents_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def kill_one(cluster):
    """Kill a worker as soon as it is at work; return who does it, and whom it has killed."""
    killed = []

    def kill():
        with distributed.Client(cluster.scheduler_address) as client:
            for _ in range(600):
                busy = [worker for worker, calls in client.processing().items() if calls]
                if busy:
                    pids = client.run(os.getpid)
                    os.kill(pids[busy[0]], 9)
                    killed.append(busy[0])
                    return
                time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread, killed


def test_a_build_makes_the_same_bytes_though_a_worker_is_killed(cluster, tmp_path):
    path = tmp_path / "maskc.toml"
    path.write_text(CONFIG)
    config = load_config(str(path))
    run_build(config, jobs=2)
    expected = contents_of(config.output)
    for file in config.output.iterdir():
        file.unlink()
    thread, killed = kill_one(cluster)
    report = run_build(config, executor="some_dask:reach")
    thread.join()
    assert killed
    assert not report.failed
    assert contents_of(config.output) == expected
    assert len(expected) == 17


def test_a_verification_has_the_same_report_though_a_worker_is_killed(cluster, tmp_path):
    (tmp_path / "texts").mkdir()
    for number in range(6):
        (tmp_path / "texts" / f"{number}.json").write_text(f'{{"a": [{number}, true]}}')
    maskc.compile_grammar("json", tokenizer="bytes").save("json.maskc")
    options = VerifyOptions(texts=4, positions=20, segments=20, mutations=20, raw_positions=50)
    here = run_verify("json.maskc", ["texts"], options, jobs=2)
    thread, killed = kill_one(cluster)
    there = run_verify("json.maskc", ["texts"], options, executor="some_dask:reach")
    thread.join()
    assert killed
    assert here.ok
    assert there.to_dict() == here.to_dict()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".maskc")] == []
