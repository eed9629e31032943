"""What takes long on an engine's threads holds up nothing that is quick."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from maskc.integrations import vllm_threads
from maskc.integrations.request_threads import RequestThreads
from maskc.integrations.vllm_threads import ManagerThreads, take_threads
from maskc.integrations.vllm_waiting import EXTRA

PLAN = {"name": b"x" * 1000}


@pytest.fixture
def held():
    """Return threads all of whose slow ones wait, and what lets them go on."""
    threads, go_on = RequestThreads(), threading.Event()
    for number in range(4):
        threads.submit("grammar", str(number), {}, go_on.wait)
    yield threads, go_on
    go_on.set()
    threads.close()


@pytest.mark.parametrize(
    ("kind", "text", "answers"),
    [
        ("json", '{"anyOf": [{"type": "integer"}]}', PLAN),
        ("json", '{"type": "integer"}', {}),
        ("grammar", 'root ::= "a"', {"name": b"x" * 200_000}),
        ("regex", "a{3}", {}),
        ("choice", '["a"]', {}),
        ("json_object", "", {}),
    ],
)
def test_what_is_likely_to_be_quick_waits_for_nothing_slow(held, kind, text, answers):
    assert held[0].submit(kind, text, answers, lambda: 7).result(10) == 7


@pytest.mark.parametrize(
    ("kind", "text", "answers"),
    [
        ("json", '{"anyOf": [{"type": "integer"}]}', {}),
        ("json", '{"anyOf": [{"type": "integer"}]}', {"name": b"x" * 300_000}),
        ("grammar", 'root ::= "a"', {}),
        ("regex", "(?:a{1,50}){1,50}", {"name": b""}),
        ("structural_tag", "{}", {}),
    ],
)
def test_what_may_take_long_waits_with_others_of_its_kind(held, kind, text, answers):
    threads, go_on = held
    found = threads.submit(kind, text, answers, lambda: 7)
    with pytest.raises(TimeoutError):
        found.result(0.05)
    go_on.set()
    assert found.result(10) == 7


def test_what_was_made_before_is_quick():
    threads, go_on = RequestThreads(), threading.Event()
    assert threads.submit("grammar", "start: A", {}, lambda: 1).result(10) == 1
    for number in range(4):
        threads.submit("grammar", str(number), {}, go_on.wait)
    assert threads.submit("grammar", "start: A", {}, lambda: 2).result(10) == 2
    go_on.set()
    threads.close()


def test_an_error_is_the_future_s():
    threads = RequestThreads()

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        threads.submit("regex", "a", {}, fail).result(10)
    threads.close()


def test_only_requests_that_are_ours_get_our_threads(monkeypatch):
    monkeypatch.setattr(vllm_threads, "wanted_kind", lambda asked: asked)
    theirs = ThreadPoolExecutor(1, "theirs")
    manager = SimpleNamespace(executor=theirs)
    take_threads(manager)
    taken = manager.executor
    take_threads(manager)
    assert manager.executor is taken

    def run(wanted):
        params = SimpleNamespace(structured_outputs=wanted, extra_args={EXTRA: PLAN})
        request = SimpleNamespace(sampling_params=params)
        work = lambda _: threading.current_thread().name  # noqa: E731
        return manager.executor.submit(work, request).result(10).rpartition("_")[0]

    assert run(None) == "theirs"
    assert run(("json", "{}")) == "maskc-quick"
    assert run(("structural_tag", "{" * 2000)) == "maskc-quick"
    assert manager.executor.submit(lambda: 5).result(10) == 5
    manager.executor.shutdown()


def test_a_manager_without_threads_is_left_as_it_is():
    manager = SimpleNamespace()
    take_threads(manager)
    assert not hasattr(manager, "executor")
    assert isinstance(ManagerThreads(ThreadPoolExecutor(1)), ManagerThreads)
