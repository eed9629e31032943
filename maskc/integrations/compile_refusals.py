"""What was refused a moment ago is refused again, without being compiled.

A client whose request was refused tends to send it again, and one that means harm does so on
purpose: what took seconds to be found out is kept for a minute.

Example: a pattern that took 5 seconds to be refused is refused at once when it comes again.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from maskc.errors import MaskcError

_SECONDS = 60.0
_MOST = 1_000


class Refusals:
    """Errors by the names of orders. Safe to use from any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, MaskcError]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, name: str) -> None:
        """Raise the error with which an order was refused, if it was, in the last minute."""
        with self._lock:
            until, error = self._kept.get(name, (0.0, None))
        if error is not None and time.monotonic() < until:
            # One of its own, since several threads may raise it, each with a traceback.
            raise type(error)(*error.args)

    def add(self, name: str, error: MaskcError) -> None:
        """Keep the error with which an order was refused."""
        with self._lock:
            self._kept[name] = time.monotonic() + _SECONDS, error
            self._kept.move_to_end(name)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
