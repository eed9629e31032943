"""What a compiling process answers, what is cheap enough to do without it, and its bounds."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from maskc.errors import BudgetError, GrammarError, LimitError, SchemaError, UnknownSymbolError
from maskc.integrations.compile_pool import OtherProcess, is_cheap_pattern, is_cheap_schema
from maskc.integrations.compile_worker import (
    check_size,
    read_answer,
    unpack,
    write_order,
    write_refusal,
)
from maskc.jobs import SchemaJob
from maskc.kit.kit import REQUEST_LIMITS
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab import load_vocabulary
from maskc.work.worker_queue import Request

# Takes seconds to be written out, and is refused then.
ENDLESS = {"kind": "pattern", "text": "((a{1,500}){1,500}){1,500}(?!b)"}
CHEAP = {"kind": "pattern", "text": "a+"}


@pytest.fixture(scope="module")
def queue():
    made = OtherProcess(load_vocabulary("bytes"))
    yield made.processes.quick
    made.close()


def ask(queue, order, **limits):
    data = write_order(order, replace(REQUEST_LIMITS, **limits), niceness=3)
    return read_answer(queue.ask(data, Request()))


def test_an_order_is_answered_by_a_process_that_steps_back(queue):
    assert set(unpack(ask(queue, CHEAP))[1]) == {"byte_class", "after", "accepting"}
    with open(f"/proc/{queue.worker.pid}/stat") as file:
        niceness = file.read().rpartition(")")[2].split()[16]
    assert niceness == str(max(3, os.nice(0)))  # of the tests, if these are nicer


def test_a_refusal_comes_back_with_its_class_and_fields(queue):
    with pytest.raises(GrammarError) as raised:
        ask(queue, {"kind": "pattern", "text": "("})
    assert raised.value.name == "<regex>"
    job = SchemaJob({"type": "nothing"}, {}, JsonLayout(), True)
    with pytest.raises(SchemaError) as raised:
        ask(queue, job.describe())
    assert (raised.value.pointer, raised.value.keyword) == ("", "type")


def test_what_takes_too_long_is_the_same_sentence_and_the_process_stays(queue):
    ask(queue, CHEAP)
    before = queue.worker
    with pytest.raises(BudgetError, match=r"more than 0\.1 seconds of processor time; simplify it"):
        ask(queue, ENDLESS, seconds=0.1)
    assert ask(queue, CHEAP)
    assert queue.worker is before


def test_memory_is_bounded_by_the_budget_and_by_the_system(queue):
    with pytest.raises(BudgetError, match="more than 5 MB of memory; simplify it"):
        ask(queue, ENDLESS, bytes=5_000_000)
    with open(f"/proc/{queue.worker.pid}/limits") as file:
        bounds = {line[:25].strip(): line.split()[3] for line in file}
    assert REQUEST_LIMITS.bytes < int(bounds["Max data size"]) < 10 * REQUEST_LIMITS.bytes


@pytest.mark.parametrize(
    "error",
    [
        LimitError("things", 1e9, "send less", "here"),
        BudgetError("seconds", 0.3, "send less"),
        SchemaError("/a/\ud800", "type", "is none", "give one"),
        UnknownSymbolError("x", "terminal", "A", ("B", "C")),
    ],
)
def test_an_error_comes_through_a_pipe_with_its_fields(error):
    with pytest.raises(type(error)) as raised:
        read_answer(write_refusal(error))
    assert (raised.value.args, str(raised.value)) == (error.args, str(error))


def test_a_plan_may_be_larger_by_what_was_asked_for():
    asked = {"kind": "schema", "text": '{"enum": []}'}
    check_size(asked, 400_000 + len(json.dumps(asked["text"])))
    with pytest.raises(LimitError, match="more than 400,016 bytes of compiled data"):
        check_size(asked, 400_017)


def test_what_comes_of_a_pattern_is_bounded():
    with pytest.raises(LimitError, match="more than 16,000,000 bytes of compiled data"):
        check_size({"kind": "pattern", "text": "a" * 100}, 16_000_001)


def test_processes_end_when_their_server_is_killed():
    program = """
import os
from maskc.integrations.compile_pool import OtherProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.vocab import load_vocabulary
made = OtherProcess(load_vocabulary("bytes"))
made.automaton("(?:a)(?!.)", REQUEST_LIMITS)
print(made.processes.quick.worker.pid, made.processes._server.process.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    found = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    pids = [int(pid) for pid in found.stdout.split()]
    assert len(pids) == 2
    for _ in range(200):
        if not any(map(_is_running, pids)):
            return
        time.sleep(0.05)
    pytest.fail("one still runs")


def _is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"type": "object", "properties": {"a": {"type": "integer", "maximum": 100}}}',
        '{"enum": ["not at all", 1.5]}',
    ],
)
def test_short_plain_schemas_are_cheap(text):
    assert is_cheap_schema(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"pattern": "a"}',
        '{"p\\u0061ttern": "a"}',
        '{"maximum": 1e400}',
        '{"maxLength": 10000000}',
        '{"items": {"not": {}}}',
        " " * 2_000,
    ],
)
def test_what_can_be_dear_is_not(text):
    assert not is_cheap_schema(text)


@pytest.mark.parametrize("text", ["[ab]{3}-[0-9]", "a*b+", "x{2,}", r"\d+"])
def test_short_plain_patterns_are_cheap(text):
    assert is_cheap_pattern(text)


@pytest.mark.parametrize("text", ["a{100}", "(a{9}){9}", "(?=a)b", "a" * 65, "a{"])
def test_patterns_that_count_twice_or_look_around_are_not(text):
    assert not is_cheap_pattern(text)
