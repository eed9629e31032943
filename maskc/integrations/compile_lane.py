"""One compiling process and those who wait for it, in the order in which they came.

The process is started ahead, kept, and replaced when it dies, when it was ended because it took
too long, or when it has grown. Who has waited and goes away leaves the row; if it is his order that
is being worked on, the process is told to leave it.

Example: ``lane.ask({"kind": "pattern", …}, limits, Ticket())`` returns the answer's bytes.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from multiprocessing import Pipe
from typing import Any

import numpy as np

from maskc.errors import BudgetError, LimitError, MaskcError
from maskc.integrations.compile_messages import (
    pack,
    read_error,
    receive,
    send,
    write_limits,
)
from maskc.integrations.compile_worker import TOKEN_ARRAYS, out_of_memory
from maskc.limits import MEGABYTE, WAYS, Limits
from maskc.vocab.vocabulary import Vocabulary

MOST_WAITING = 64
# A process that keeps more than this after an order is replaced.
_MOST_GROWN = 200 * MEGABYTE
# The system counts processor time; if the machine is busy, an order takes so much longer.
_PATIENCE = 20.0  # times the seconds that it may take
_MOMENT = 1.0  # seconds until a process whose pipe is closed has an exit status
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from maskc.integrations.compile_worker import serve; serve(int(sys.argv[1]))"
)


class CancelledOrderError(MaskcError):
    """Who asked has gone away."""

    def __str__(self) -> str:
        return "the request was cancelled while its constraint was compiled"


class WorkerDiedError(MaskcError):
    """The process that compiled a request has ended."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        status = "" if self.status is None else f" with status {self.status}"
        return f"the process that compiles requests ended{status}; simplify it, or send it again"


class Ticket:
    """A place in the row, which its owner can give up from any thread."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self._lane: Lane | None = None
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """Give it up: nothing is worked on for it any more."""
        with self._lock:
            self.is_cancelled = True
            lane = self._lane
        if lane is not None:
            lane.leave(self)

    def stand_in(self, lane: Lane | None) -> None:
        """Say which row it stands in."""
        with self._lock:
            self._lane = lane


class Lane:
    """A compiling process and its row. Safe to use from any thread.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
        niceness: by how much the process steps back for others.
    """

    def __init__(self, vocabulary: Vocabulary, limits: Limits, *, niceness: int) -> None:
        self._vocabulary, self._limits, self._niceness = vocabulary, limits, niceness
        self._row: deque[Ticket] = deque()
        self._turn = threading.Condition()
        self._worker: _Worker | None = None
        self._is_closed = False
        self.n_started = 0

    def start(self) -> None:
        """Start the process, if there is none: it gets ready while others work."""
        with self._turn:
            if self._worker is None and not self._is_closed:
                self._worker = _Worker(self._vocabulary, self._limits, self._niceness)
                self.n_started += 1

    def ask(self, order: Mapping[str, Any], limits: Limits, ticket: Ticket) -> bytes:
        """Return what came of an order, when those before it are done.

        Raises:
            CancelledOrderError: the ticket was given up.
            LimitError: too many wait, or a limit was reached.
            MaskcError: it cannot be compiled.
            WorkerDiedError: the process died, or the row was closed.
        """
        with self._turn:
            if len(self._row) >= MOST_WAITING:
                raise LimitError(
                    "requests that wait to be compiled", MOST_WAITING, "send it again later"
                )
            self._row.append(ticket)
            ticket.stand_in(self)
            self._turn.wait_for(lambda: self._row[0] is ticket or ticket.is_cancelled)
        try:
            if ticket.is_cancelled:
                raise CancelledOrderError
            return self._exchange(order, limits)
        finally:
            with self._turn:
                ticket.stand_in(None)
                self._row.remove(ticket)
                self._turn.notify_all()

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the row, or end the work on its order."""
        with self._turn:
            if self._row and self._row[0] is ticket and self._worker is not None:
                self._worker.interrupt()
            self._turn.notify_all()

    def close(self) -> None:
        """End the process; who waits gets a WorkerDiedError."""
        with self._turn:
            self._is_closed = True
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def _exchange(self, order: Mapping[str, Any], limits: Limits) -> bytes:
        self.start()
        worker = self._worker
        if worker is None:
            raise WorkerDiedError(None)
        try:
            message, data = worker.ask({**order, "limits": write_limits(limits)}, limits)
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
            raise CancelledOrderError
        return data

    def _replace(self, worker: _Worker) -> int | None:
        """End a process, start the next, and return the exit status of the first."""
        with self._turn:
            if self._worker is worker:
                self._worker = None
        status = worker.kill()
        self.start()
        return status


class _Worker:
    """The process, as this one sees it."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits, niceness: int) -> None:
        self._ours, theirs = Pipe()
        paths = json.dumps([path for path in sys.path if path])
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - it is this Python, nothing of a user's
                [sys.executable, "-P", "-c", _START, str(theirs.fileno()), paths],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # A Ctrl-C is the server's, which then closes the pipe.
                process_group=0,
            )
        self._told = {
            "eos_ids": list(vocabulary.eos_ids),
            "nice": niceness,
            "limits": write_limits(limits),
        }
        self._vocabulary: Vocabulary | None = vocabulary
        self._is_ready = self._is_broken = self._was_stuck = False

    def ask(self, order: Mapping[str, Any], limits: Limits) -> tuple[dict[str, Any], bytes]:
        """Return the answer to an order.

        Raises:
            EOFError: the process has ended, or was ended since it took too long.
            OSError: it has ended.
        """
        try:
            if self._vocabulary is not None:
                texts, self._vocabulary = _write_tokens(self._vocabulary), None
                send(self._ours, self._told, texts)
                receive(self._ours)
                self._is_ready = True
            send(self._ours, order)
            if not self._ours.poll(_PATIENCE * limits.seconds):
                self._was_stuck = True
                raise EOFError
            return receive(self._ours)
        except (EOFError, OSError):
            self._is_broken = True
            raise

    def interrupt(self) -> None:
        """Tell it to leave the order that it works on."""
        if self._is_ready and self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1)

    def kill(self) -> int | None:
        """End it, if it has not ended by itself, and return its exit status."""
        if self._was_stuck or not self._has_ended():
            self._process.kill()
            self._process.wait()
        self._ours.close()
        return -signal.SIGXCPU if self._was_stuck else self._process.returncode

    def _has_ended(self) -> bool:
        try:
            self._process.wait(_MOMENT if self._is_broken else 0)
        except subprocess.TimeoutExpired:
            return False
        return True


def _write_tokens(vocabulary: Vocabulary) -> bytes:
    texts = [token or b"" for token in vocabulary.tokens]
    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return pack({}, dict(zip(TOKEN_ARRAYS, (first, data), strict=True)))


def _explain(status: int | None, limits: Limits) -> MaskcError:
    """Return the error for a process that ended while it worked."""
    if status == -signal.SIGXCPU:
        return BudgetError(
            "seconds of processor time",
            limits.seconds,
            f"simplify it, or allow more with {WAYS['seconds']}",
        )
    # What the system ends so was too large for it.
    return out_of_memory(limits) if status == -signal.SIGKILL else WorkerDiedError(status)
