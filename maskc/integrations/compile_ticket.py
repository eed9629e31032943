"""The place of a request in the rows of those who wait to be compiled, and why it is lost.

A request has one ticket for all its orders. It is good for a minute; its owner can give it up
before, from any thread, as when a client goes away.

Example: ``with holding(ticket): kit.regex(…)``, and meanwhile ``ticket.cancel()`` elsewhere.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

from maskc.errors import LimitError, MaskcError

MOST_SECONDS = 60.0  # by the clock, from a request to its answer


class CancelledOrderError(MaskcError):
    """Who asked has gone away."""

    def __str__(self) -> str:
        return "the request was cancelled while its constraint was compiled"


class BusyError(LimitError):
    """There was no time for an order, whatever it is."""


class Row(Protocol):
    """Where a ticket stands."""

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the row, or end the work on its order."""


class Ticket:
    """A place in a row, which its owner can give up from any thread.

    Args:
        seconds: by the clock, until it is good for nothing.
    """

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self.came, self.seconds = time.monotonic(), seconds
        self.is_cancelled = False
        self._lane: Row | None = None
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """Give it up: nothing is worked on for it any more."""
        with self._lock:
            self.is_cancelled = True
            lane = self._lane
        if lane is not None:
            lane.leave(self)

    def seconds_left(self) -> float:
        """Return for how long it is still good."""
        return max(0.0, self.came + self.seconds - time.monotonic())

    def expired(self) -> BusyError:
        """Return the error that says that it is good no more."""
        return BusyError("seconds until it was compiled", self.seconds, "send it again later")

    def stand_in(self, lane: Row | None) -> None:
        """Say which row it stands in."""
        with self._lock:
            self._lane = lane
