"""When does vLLM's front end wait for what a request brings to be compiled?

vLLM checks a request on the loop that serves all clients, so nothing there may wait. The plug-in
puts itself around ``AsyncLLM.add_request``, waits in a thread, and goes on when it is known whether
the request can be served; vLLM's check then finds the answer. If the task is cancelled, as vLLM
does when the client goes away, the work on the request is ended.

What was compiled goes to the engine with the request, in its ``extra_args``.

Example: a pattern that takes 5 seconds to be refused stops no other client's stream.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.compile_answers import Answers, read_answers, recording
from maskc.integrations.compile_pool import holding
from maskc.integrations.drift import Interface
from maskc.integrations.errors import load_engine
from maskc.integrations.vllm_requests import SETTLED, Wanted, check_constraint, wanted_kind
from maskc.vocab.vocabulary import Vocabulary
from maskc.work.worker_queue import MOST_WAITING, Request

EXTRA = "maskc_compiled"  # our entry of a request's extra_args
_FIRST = ["self", "request_id", "prompt", "params"]

_threads: dict[int, ThreadPoolExecutor] = {}


def find_front(interface: Interface) -> type[Any]:
    """Return vLLM's class of front ends.

    Raises:
        IntegrationError: its ``add_request`` is not the one we know.
    """
    front: type[Any] = load_engine("vllm.v1.engine.async_llm", interface.engine).AsyncLLM
    found = list(inspect.signature(front.add_request).parameters)
    if found[: len(_FIRST)] != _FIRST:
        raise interface.drifted(f"AsyncLLM.add_request takes ({', '.join(found)})")
    return front


def around_add(
    original: Callable[..., Any], vocabulary_of: Callable[[Any, Any], Vocabulary]
) -> Callable[..., Any]:
    """Return an ``add_request`` that waits before vLLM's own.

    Args:
        original: vLLM's.
        vocabulary_of: returns the vocabulary of a model's configuration and a tokenizer.
    """

    @functools.wraps(original)
    async def add_request(
        self: Any, request_id: str, prompt: Any, params: Any, *args: Any, **named: Any
    ) -> Any:
        tokenizer = self.input_processor.tokenizer
        try:
            wanted = wanted_kind(getattr(params, "structured_outputs", None))
        except MaskcError:
            wanted = None  # vLLM's check comes upon it again, and tells it
        if wanted is None or tokenizer is None:
            return await original(self, request_id, prompt, params, *args, **named)
        config = self.model_config

        def check(asked: Wanted) -> None:
            check_constraint(config, lambda: vocabulary_of(config, tokenizer), asked)

        error, answers = await settle(check, wanted)
        token = SETTLED.set((wanted, error))
        try:
            params = attach(params, answers)
            return await original(self, request_id, prompt, params, *args, **named)
        finally:
            SETTLED.reset(token)

    return add_request


async def settle(
    check: Callable[[Wanted], None], wanted: Wanted
) -> tuple[MaskcError | None, Answers]:
    """Return why a request is refused, ``None`` if it is served, without holding up the loop.

    And what was compiled for it, which is for the engine.
    """
    request = Request()

    def work() -> tuple[MaskcError | None, Answers]:
        with holding(request), recording() as answers:
            try:
                check(wanted)
            except MaskcError as error:
                return error, {}
        return None, answers

    try:
        return await asyncio.get_running_loop().run_in_executor(_open_threads(), work)
    except asyncio.CancelledError:
        request.cancel()
        raise


def attach(params: Any, answers: Answers) -> Any:
    """Return a request's parameters with what was compiled for it, for the engine.

    Args:
        params: vLLM's ``SamplingParams``, which stay as they are. What a client has sent under our
            name is dropped.
        answers: what was compiled; nothing, if the front end knew it from before.
    """
    given = params.extra_args or {}
    if not answers and EXTRA not in given:
        return params
    others = {name: value for name, value in given.items() if name != EXTRA}
    attached = copy.copy(params)
    attached.extra_args = {**others, EXTRA: answers} if answers else others or None
    return attached


def detach(params: Any) -> Answers:
    """Return what :func:`attach` gave a request's parameters, in the engine."""
    return read_answers((getattr(params, "extra_args", None) or {}).get(EXTRA))


def _open_threads() -> ThreadPoolExecutor:
    found = _threads.get(os.getpid())
    if found is None:
        found = _threads[os.getpid()] = ThreadPoolExecutor(2 * MOST_WAITING, "maskc-request")
    return found
