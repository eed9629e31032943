"""The place of a request in the rows of those who wait to be compiled, and why it is lost.

A request has one ticket for all its orders. It is good for a minute; its owner can give it up
before, from any thread, as when a client goes away.

Example: ``with holding(ticket): kit.regex(…)``, and meanwhile ``ticket.cancel()`` elsewhere.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from maskc.errors import LimitError, MaskcError

MOST_SECONDS = 60.0  # by the clock, from a request to its answer


class CancelledOrderError(MaskcError):
    """Who asked has gone away."""

    is_lasting = False

    def _sentence(self) -> str:
        return "the request was cancelled while its constraint was compiled"


class BusyError(LimitError):
    """There was no time for an order, whatever it is."""

    is_lasting = False


def expired(seconds: float) -> BusyError:
    """Return the error of an order that was not compiled in so many seconds by the clock."""
    return BusyError("seconds until it was compiled", seconds, "send it again later")


class Row(Protocol):
    """Where a ticket stands."""

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the row, or end the work on its order."""


class Crowd:
    """Those who wait for what another thread makes.

    Args:
        turn: is notified when it is made; the lock of whoever waits.
    """

    def __init__(self, turn: threading.Condition) -> None:
        self._turn = turn

    def leave(self, _ticket: Ticket) -> None:
        """Have all of them look whether it is their ticket that is given up."""
        with self._turn:
            self._turn.notify_all()

    def wait(self, ticket: Ticket, is_over: Callable[[], bool]) -> None:
        """Wait until it is over, with the lock held.

        Raises:
            BusyError: the ticket's time is over before.
            CancelledOrderError: the ticket is given up before.
        """
        ticket.stand_in(self)
        try:
            self._turn.wait_for(lambda: ticket.is_cancelled or is_over(), ticket.seconds_left())
        finally:
            ticket.stand_in(None)
        if not is_over():
            raise CancelledOrderError if ticket.is_cancelled else ticket.expired()


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
        return expired(self.seconds)

    def stand_in(self, lane: Row | None) -> None:
        """Say which row it stands in."""
        with self._lock:
            self._lane = lane
