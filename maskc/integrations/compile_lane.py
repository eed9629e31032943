"""One compiling process and those who wait for it, the cheapest first, and nobody for ever.

Whoever comes says by how many seconds others may go ahead: an order stands in the row by the time
at which it came and these seconds, so that one that is likely to take long lets those pass that
are not, for so long and no longer. A ticket is good for a minute, over all rows that its orders
stand in; what is not compiled then is refused.

The process is started ahead, kept, and replaced when it dies, when it was ended because it took
too long, or when it has grown. An order that a dead or a stopped process has not begun with goes to
the next one. Who has waited and goes away leaves the row; if it is his order that is being worked
on, the process is told to leave it.

Example: ``lane.ask({"kind": "pattern", …}, limits, Ticket())`` returns the answer's bytes.
"""

from __future__ import annotations

import signal
import threading
import time
from bisect import insort
from collections.abc import Mapping
from itertools import count
from typing import Any

from maskc.errors import BudgetError, MaskcError
from maskc.integrations.compile_messages import read_error, write_limits
from maskc.integrations.compile_process import (
    LateError,
    Process,
    Processes,
    StuckError,
    UnbegunError,
)
from maskc.integrations.compile_ticket import BusyError, CancelledOrderError, Ticket, expired
from maskc.limits import MEGABYTE, WAYS, Limits

MOST_WAITING = 64
# A process that keeps more than this after an order is replaced.
_MOST_GROWN = 200 * MEGABYTE
_MOST_PROCESSES = 3  # that one order is handed to, until one begins with it


class WorkerDiedError(MaskcError):
    """The process that compiled a request has ended.

    Whether the order was the reason is not known, not even where the system ended it for want of
    memory: that may be others'.
    """

    is_lasting = False

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    def _sentence(self) -> str:
        if self.status == -signal.SIGKILL:
            what = "was ended by the system, as one that takes too much memory is"
        else:
            what = "ended" if self.status is None else f"ended with status {self.status}"
        return f"the process that compiles requests {what}; simplify it, or send it again"


class Lane:
    """A compiling process and its row. Safe to use from any thread.

    Args:
        processes: to take one from.
        niceness: by how much the process steps back for others.
    """

    def __init__(self, processes: Processes, *, niceness: int) -> None:
        self._processes, self._niceness = processes, niceness
        # By when it is somebody's turn; numbers decide between equal times.
        self._row: list[tuple[float, int, Ticket]] = []
        self._numbers = count()
        self._served: Ticket | None = None
        self._turn = threading.Condition()
        self._worker: Process | None = None
        self._is_closed = False
        self.n_started = 0

    def start(self) -> None:
        """Start the process, if there is none: it gets ready while others work."""
        with self._turn:
            if self._worker is None and not self._is_closed:
                self._worker = self._processes.take()
                self.n_started += 1

    def ask(
        self, order: Mapping[str, Any], limits: Limits, ticket: Ticket, *, yields: float = 0.0
    ) -> bytes:
        """Return what came of an order, when those before it are done.

        Args:
            order: see :mod:`maskc.integrations.compile_messages`.
            limits: of the order.
            ticket: of who asks.
            yields: seconds for which those who come later, and yield less, go ahead.

        Raises:
            BusyError: too many wait, or the ticket's time is over.
            CancelledOrderError: the ticket was given up.
            LimitError: a limit was reached.
            MaskcError: it cannot be compiled.
            WorkerDiedError: the process died, or the row was closed.
        """
        self._wait(ticket, yields)
        try:
            if ticket.is_cancelled:
                raise CancelledOrderError
            return self._exchange(order, limits, ticket)
        finally:
            with self._turn:
                ticket.stand_in(None)
                self._served = None
                self._turn.notify_all()

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the row, or end the work on its order."""
        with self._turn:
            if self._served is ticket and self._worker is not None:
                self._worker.interrupt()
            self._turn.notify_all()

    def _wait(self, ticket: Ticket, yields: float) -> None:
        """Stand in the row until it is the ticket's turn, which it has then."""
        with self._turn:
            if len(self._row) >= MOST_WAITING:
                raise BusyError(
                    "requests that wait to be compiled", MOST_WAITING, "send it again later"
                )
            place = (time.monotonic() + yields, next(self._numbers), ticket)
            insort(self._row, place)
            ticket.stand_in(self)

            def is_served() -> bool:
                return self._served is None and self._row[0] is place

            self._turn.wait_for(lambda: ticket.is_cancelled or is_served(), ticket.seconds_left())
            is_next = not ticket.is_cancelled and is_served()
            self._row.remove(place)
            if is_next:
                self._served = ticket
                return
            ticket.stand_in(None)
            self._turn.notify_all()
        raise CancelledOrderError if ticket.is_cancelled else ticket.expired()

    def close(self) -> None:
        """End the process; who waits gets a WorkerDiedError."""
        with self._turn:
            self._is_closed = True
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def _exchange(self, order: Mapping[str, Any], limits: Limits, ticket: Ticket) -> bytes:
        asked = {**order, "nice": self._niceness, "limits": write_limits(limits)}
        status = None
        for _ in range(_MOST_PROCESSES):
            self.start()
            worker = self._worker
            if worker is None:
                break
            try:
                if not worker.wait_until_ready(ticket.seconds_left()):
                    raise ticket.expired()
                return self._ask(worker, asked, limits, ticket)
            except UnbegunError:
                status = self._replace(worker)
        raise WorkerDiedError(status)

    def _ask(
        self, worker: Process, asked: Mapping[str, Any], limits: Limits, ticket: Ticket
    ) -> bytes:
        try:
            message, data = worker.ask(asked, limits, ticket.seconds_left())
        except UnbegunError:
            raise
        except LateError:
            self._replace(worker)
            raise ticket.expired() from None
        except StuckError as error:
            self._replace(worker)
            raise expired(error.seconds) from None
        except (EOFError, OSError):
            raise _explain(self._replace(worker), limits) from None
        except BaseException:
            # Whoever waited was interrupted, by a budget of its own or by Ctrl-C: the answer that
            # is still to come must not be taken for that of the next order.
            self._replace(worker)
            raise
        if message.get("grown", 0) > _MOST_GROWN:
            self._replace(worker)
        if "error" in message:
            raise read_error(message)
        if "cancelled" in message:
            raise CancelledOrderError if ticket.is_cancelled else ticket.expired()
        return data

    def _replace(self, worker: Process) -> int | None:
        """End a process, take the next, and return the exit status of the first."""
        with self._turn:
            if self._worker is worker:
                self._worker = None
        status = worker.kill()
        self.start()
        return status


def _explain(status: int | None, limits: Limits) -> MaskcError:
    """Return the error for a process that ended while it worked."""
    if status == -signal.SIGXCPU:
        return BudgetError(
            "seconds of processor time",
            limits.seconds,
            f"simplify it, or allow more with {WAYS['seconds']}",
        )
    return WorkerDiedError(status)
