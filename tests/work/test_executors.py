import sys
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from maskc.errors import ExecutorError, GrammarError
from maskc.work.executors import gather, open_executor, result_of
from maskc.work.processes import ProcessExecutor


def failed(error):
    future = Future()
    future.set_exception(error)
    return future


def test_without_a_name_processes_of_this_machine_do_the_work():
    with open_executor(None, 1) as executor:
        assert isinstance(executor, ProcessExecutor)
        assert executor.submit(len, "ab").result() == 2


def test_a_function_of_a_module_of_the_current_folder_makes_the_executor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (tmp_path / "some_cluster.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def reach():\n    return ThreadPoolExecutor(2)\n"
    )
    with open_executor("some_cluster:reach", 1) as executor:
        assert executor._max_workers == 2
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(len, "")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("cluster", "not of the form module:name"),
        (":open", "not of the form module:name"),
        (".cluster:open", "not of the form module:name"),
        ("no_such_module:open", "cannot be imported"),
        ("concurrent.futures:open", "cannot be imported"),
        ("builtins:dict", "makes a dict, and no"),
    ],
)
def test_what_is_no_executor_is_refused_by_name(spec, reason):
    with pytest.raises(ExecutorError, match=reason) as raised, open_executor(spec, 1):
        pass
    assert raised.value.executor == spec


def test_results_come_with_their_keys():
    with ThreadPoolExecutor(2) as executor:
        futures = {executor.submit(len, text): text for text in ("a", "bb", "ccc")}
        assert dict(gather(futures)) == {"a": 1, "bb": 2, "ccc": 3}


def test_what_was_not_done_is_given_up_with_the_first_error():
    waiting = Future()
    with pytest.raises(GrammarError):
        list(gather({failed(GrammarError("g", "is odd")): 0, waiting: 1}))
    assert waiting.cancelled()


def test_what_breaks_in_an_executor_of_others_is_one_sentence():
    with pytest.raises(ExecutorError, match="executor BrokenProcessPool: a process died; give"):
        result_of(failed(BrokenProcessPool("a process died")))
