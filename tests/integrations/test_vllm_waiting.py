"""Waiting for a request beside the loop, which needs no vLLM."""

import asyncio
import threading

import pytest

from maskc.errors import GrammarError
from maskc.integrations.compile_lane import CancelledOrderError, Ticket
from maskc.integrations.compile_pool import _ticket
from maskc.integrations.vllm_waiting import settle

WANTED = ("regex", "a")


def test_the_loop_goes_on_while_a_request_is_compiled():
    may_end = threading.Event()

    async def both():
        waiting = asyncio.ensure_future(settle(lambda _: may_end.wait(10) and None, WANTED))
        await asyncio.sleep(0)
        assert not waiting.done()
        may_end.set()
        return await waiting

    assert asyncio.run(both()) is None


def test_a_refusal_is_returned():
    def refuse(_):
        raise GrammarError("<regex>", "no")

    assert str(asyncio.run(settle(refuse, WANTED))) == "<regex>: no"


def test_a_cancelled_task_gives_its_ticket_up():
    tickets, cancelled = [], threading.Event()

    def work(_):
        ticket = _ticket.get()
        tickets.append(ticket)
        cancelled.wait(10)
        raise CancelledOrderError

    async def both():
        waiting = asyncio.ensure_future(settle(work, WANTED))
        while not tickets:
            await asyncio.sleep(0.001)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        cancelled.set()

    asyncio.run(both())
    assert isinstance(tickets[0], Ticket)
    assert tickets[0].is_cancelled
