"""One worker and those who wait for it, the cheapest first, and nobody for ever.

Whoever comes says by how many seconds others may go ahead: a request stands in the queue by the
time at which it came and these seconds, so that one that is likely to take long lets those pass
that are not, for so long and no longer. A request is good for a minute, over all queues that it
stands in; its owner can give it up before, from any thread, as when a client goes away.

The worker is kept, and replaced by another one, which takes milliseconds, when it has ended, or was
ended because its work was given up. What a dead or a stopped worker has not begun with goes to the
next one.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from bisect import insort
from collections.abc import Callable
from itertools import count

from maskc.errors import LimitError, MaskcError
from maskc.work import UnbegunError, Worker

_KILLED = -getattr(signal, "SIGKILL", 9)
MOST_WAITING = 64
MOST_SECONDS = 60.0  # by the clock, from a request to its answer
_MOST_WORKERS = 3  # that one request is handed to, until one begins with it


class CancelledOrderError(MaskcError):
    """Who asked has gone away."""

    is_lasting = False

    def _sentence(self) -> str:
        return "the request was cancelled while its constraint was compiled"


class BusyError(LimitError):
    """There was no time for a request, whatever it is."""

    is_lasting = False


class WorkerDiedError(MaskcError):
    """The process that compiled a request has ended.

    Whether the request was the reason is not known, not even where the system ended it for want of
    memory: that may be others'.
    """

    is_lasting = False

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    def _sentence(self) -> str:
        if self.status == _KILLED:
            what = "was ended by the system, as one that takes too much memory is"
        else:
            what = "ended" if self.status is None else f"ended with status {self.status}"
        return f"the process that compiles requests {what}; simplify it, or send it again"


class Request:
    """What stands in queues for so many seconds, until it is answered or given up by its owner."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._until, self.seconds = time.monotonic() + seconds, seconds
        self.is_cancelled = False
        self.on_cancel: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Give it up: nothing is worked on for it any more."""
        self.is_cancelled = True
        told = self.on_cancel  # who sets it looks at the flag afterwards
        if told is not None:
            told()

    def seconds_left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def lost(self) -> MaskcError:
        """Return the error that says why it is good no more."""
        return CancelledOrderError() if self.is_cancelled else _expired(self.seconds)

    def wait(self, turn: threading.Condition, is_over: Callable[[], bool]) -> None:
        """Wait until it is over, with the lock of the condition held."""

        def wake() -> None:
            with turn:
                turn.notify_all()

        self.on_cancel = wake
        try:
            turn.wait_for(lambda: self.is_cancelled or is_over(), self.seconds_left())
        finally:
            self.on_cancel = None
        if not is_over():
            raise self.lost()


def _expired(seconds: float) -> BusyError:
    return BusyError("seconds until it was compiled", seconds, "send it again later")


class WorkerQueue:
    """A worker, which ``start`` returns in so many seconds, and its queue; for any thread."""

    def __init__(self, start: Callable[[float], Worker]) -> None:
        self._start = start
        # By when it is somebody's turn; numbers decide between equal times.
        self._queue: list[tuple[float, int, Request]] = []
        self._numbers = count()
        self._served: Request | None = None
        self._turn = threading.Condition()
        self.worker: Worker | None = None
        self._is_closed = False

    def ask(
        self, data: bytes, request: Request, *, patience: float = math.inf, yields: float = 0.0
    ) -> bytes:
        """Return what came of a request, when those before it are done.

        Args:
            patience: seconds by the clock after which the worker is held for stuck.
            yields: seconds for which those who come later, and yield less, go ahead.

        Raises:
            BusyError: too many wait, or the request's time or the patience is over.
            CancelledOrderError: the request was given up.
            WorkerDiedError: the worker has ended, or the queue was closed.
        """
        self._wait(request, yields)
        request.on_cancel = lambda: self._leave(request)
        try:
            return self._exchange(data, request, patience)
        finally:
            request.on_cancel = None
            with self._turn:
                self._served = None
                self._turn.notify_all()

    def close(self) -> None:
        """End the worker; who waits gets a WorkerDiedError."""
        with self._turn:
            self._is_closed = True
            if self._served is None:
                self._end()
            else:
                self._stop()

    def _leave(self, request: Request) -> None:
        with self._turn:
            if self._served is request:
                self._stop()

    def _wait(self, request: Request, yields: float) -> None:
        """Stand in the queue until it is the request's turn, which it has then."""
        with self._turn:
            if len(self._queue) >= MOST_WAITING:
                raise BusyError(
                    "requests that wait to be compiled", MOST_WAITING, "send it again later"
                )
            entry = (time.monotonic() + yields, next(self._numbers), request)
            insort(self._queue, entry)
            try:
                request.wait(self._turn, lambda: self._served is None and self._queue[0] is entry)
                self._served = request
            finally:
                self._queue.remove(entry)
                self._turn.notify_all()

    def _exchange(self, data: bytes, request: Request, patience: float) -> bytes:
        status = None
        for _ in range(_MOST_WORKERS):
            if request.is_cancelled:
                raise CancelledOrderError
            left = request.seconds_left()
            try:
                worker = self._open(left)
                return worker.exchange(
                    data, time.monotonic() + min(request.seconds_left(), patience)
                )
            except UnbegunError:
                status = self._end()
            except TimeoutError:
                self._end()
                raise (_expired(patience) if patience < left else request.lost()) from None
            except ConnectionError:
                status = self._end()
                if request.is_cancelled:
                    raise CancelledOrderError from None
                raise WorkerDiedError(status) from None
            except BaseException:
                # Whoever waited was interrupted, by a budget of its own or by Ctrl-C: the answer
                # that is still to come must not be taken for that of the next request.
                self._end()
                raise
        raise WorkerDiedError(status)

    def _open(self, seconds: float) -> Worker:
        if self._is_closed:
            raise WorkerDiedError(None)
        if self.worker is None:
            self.worker = self._start(seconds)
        return self.worker

    def _stop(self) -> None:
        worker = self.worker
        if worker is not None:
            worker.kill()

    def _end(self) -> int | None:
        """End the worker; return its exit status."""
        self._stop()
        worker, self.worker = self.worker, None
        return None if worker is None else worker.close()
