"""On which threads of vLLM's engine are the constraints of requests made?

vLLM's manager gives all of them to one executor. The plug-in puts its own in the place of that: it
knows which requests are maskc's, and gives these threads of their own, quick ones apart
(:mod:`maskc.integrations.request_threads`). All others go to vLLM's executor as before.

Example: a grammar that is compiled again in the engine holds up no schema that comes compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.request_threads import RequestThreads
from maskc.integrations.vllm_requests import wanted_kind
from maskc.integrations.vllm_waiting import detach


class ManagerThreads(Executor):
    """What takes the place of the executor of vLLM's manager.

    Args:
        theirs: that executor.
    """

    def __init__(self, theirs: Executor) -> None:
        self._theirs, self._ours = theirs, RequestThreads()

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """Return the future of some work, whose first argument may be a request."""
        params = getattr(args[0], "sampling_params", None) if args else None
        try:
            wanted = wanted_kind(getattr(params, "structured_outputs", None))
        except MaskcError:
            wanted = None  # the work comes upon it again, and tells it
        if wanted is None:
            return self._theirs.submit(work, *args, **named)
        return self._ours.submit(*wanted, detach(params), lambda: work(*args, **named))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as it is in Python
        """Take no more work."""
        self._ours.close()
        self._theirs.shutdown(wait, cancel_futures=cancel_futures)


def take_threads(manager: Any) -> None:
    """Put our executor in the place of a manager's, if it has one and ours is not there yet."""
    theirs = getattr(manager, "executor", None)
    if isinstance(theirs, Executor) and not isinstance(theirs, ManagerThreads):
        manager.executor = ManagerThreads(theirs)
