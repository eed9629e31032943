"""Two threads of an engine on which the constraints of requests are made: a quick one, and another.

vLLM makes them on half as many threads as it has cores, in the order in which they come: on two
cores, one that is compiled again, or is large to load, holds up all that come after it. Here those
that are likely to take milliseconds have a thread of their own: what was made in this process not
long ago, and what comes compiled and small. All others share
one more; with more of them, the engine's loop would get less of the interpreter.

Example: ``threads.submit("json", text, answers, work)`` is the future of ``work()``.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from typing import Any

from maskc.integrations.compile_costs import is_cheap_pattern, is_cheap_schema

# Bytes of what comes compiled: a schema's plan of so many is read in some ten milliseconds, and so
# are the arrays of a pattern or a grammar.
_FEW_BYTES = {"regex": 1_000_000, "grammar": 1_000_000}
_FEW_BYTES_OF_PLANS = 20_000
_MOST_KNOWN = 4_000
_FEW_CHARACTERS = 1_000


class RequestThreads:
    """Two rows of threads. Safe to use from any thread."""

    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(1, "maskc-quick")
        self._slow = ThreadPoolExecutor(1, "maskc-slow")
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._lock = threading.Lock()

    def submit(
        self, kind: str, text: str, answers: Mapping[str, bytes], work: Callable[[], Any]
    ) -> Future[Any]:
        """Return the future of some work.

        Args:
            kind: of the request, as in :mod:`maskc.integrations.requests`.
            text: of the request.
            answers: what comes compiled with it.
            work: makes its constraint.
        """
        name = sha256(f"{kind} {text}".encode(errors="replace")).digest()
        with self._lock:
            is_known = name in self._known
        is_quick = is_known or _is_quick(kind, text, answers)

        def run() -> Any:
            made = work()
            with self._lock:
                self._known[name] = None
                self._known.move_to_end(name)
                if len(self._known) > _MOST_KNOWN:
                    self._known.popitem(last=False)
            return made

        return (self._quick if is_quick else self._slow).submit(run)

    def close(self) -> None:
        """Take no more work, and wait for what there is."""
        self._quick.shutdown()
        self._slow.shutdown()


def _is_quick(kind: str, text: str, answers: Mapping[str, bytes]) -> bool:
    if answers:
        # An empty one says that the rest is done where the constraint is made.
        most = _FEW_BYTES.get(kind, _FEW_BYTES_OF_PLANS)
        return all(answers.values()) and sum(map(len, answers.values())) <= most
    match kind:
        case "json":
            return is_cheap_schema(text)
        case "regex":
            return is_cheap_pattern(text)
        case "json_object" | "choice":
            return len(text) <= _FEW_CHARACTERS
    return False
