"""Waiting for a request beside the loop, which needs no vLLM."""

import asyncio
import threading

import pytest

from maskc.errors import GrammarError
from maskc.integrations.compile_pool import _request
from maskc.integrations.compile_worker import find_or_make
from maskc.integrations.vllm_requests import EXTRA, attach, detach, settle
from maskc.work.worker_queue import CancelledOrderError, Request

WANTED = ("regex", "a")


def test_the_loop_goes_on_while_a_request_is_compiled():
    may_end = threading.Event()

    async def both():
        waiting = asyncio.ensure_future(settle(lambda _: may_end.wait(10) and None, WANTED))
        await asyncio.sleep(0)
        assert not waiting.done()
        may_end.set()
        return await waiting

    assert asyncio.run(both()) == (None, {})


def test_a_refusal_is_returned():
    def refuse(_):
        raise GrammarError("<regex>", "no")

    assert str(asyncio.run(settle(refuse, WANTED))[0]) == "<regex>: no"


def test_a_cancelled_task_gives_its_request_up():
    requests, cancelled = [], threading.Event()

    def work(_):
        request = _request.get()
        requests.append(request)
        cancelled.wait(10)
        raise CancelledOrderError

    async def both():
        waiting = asyncio.ensure_future(settle(work, WANTED))
        while not requests:
            await asyncio.sleep(0.001)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        cancelled.set()

    asyncio.run(both())
    assert isinstance(requests[0], Request)
    assert requests[0].is_cancelled


class Params:
    def __init__(self, extra_args=None):
        self.extra_args = extra_args


def test_what_was_compiled_goes_with_a_request_and_comes_out_again():
    params = Params({"theirs": 1})
    attached = attach(params, {"a": b"plan"})
    assert (attached.extra_args["theirs"], detach(attached)) == (1, {"a": b"plan"})
    assert params.extra_args == {"theirs": 1}


def test_what_a_client_sends_under_our_name_is_dropped():
    assert attach(Params({EXTRA: {"a": "forged"}}), {}).extra_args is None
    assert detach(attach(Params({EXTRA: {"a": "forged"}}), {"b": b"ours"})) == {"b": b"ours"}


def test_what_is_no_bytes_is_no_answer():
    assert detach(Params({EXTRA: {"a": "text", "b": b"bytes"}})) == {"b": b"bytes"}
    assert detach(Params({EXTRA: ["a"]})) == {}
    assert detach(None) == {}


def test_what_is_compiled_for_a_request_is_what_the_engine_gets():
    def check(_):
        find_or_make({"kind": "plan"}, lambda: b"plan")

    error, answers = asyncio.run(settle(check, WANTED))
    assert error is None
    assert list(answers.values()) == [b"plan"]
