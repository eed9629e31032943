"""Compiling processes as a server sees them, and a spare one.

To start one takes 1.5 seconds of a processor until it compiles grammars as quickly as it can, and
many more on a busy machine. So a server keeps one spare: one that dies or has grown is replaced
by one that is ready, and the next is started.

Example: ``processes.take().ask({"kind": "pattern", …}, limits, seconds)``.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import wait
from socket import SHUT_RDWR, socketpair
from typing import Any

import numpy as np

from maskc.integrations.compile_messages import pack, receive, send, write_limits
from maskc.integrations.compile_worker import TOKEN_ARRAYS
from maskc.limits import Limits
from maskc.vocab.vocabulary import Vocabulary

# The system counts processor time; if the machine is busy, an order takes so much longer.
_PATIENCE = 20.0  # times the seconds that it may take
_LEAST_SECONDS = 1.0  # of them: an order that may take less waits for its turn all the same
_MOMENT = 1.0  # seconds until a process whose pipe is closed has an exit status
_MOST_SIGNALS = 20  # in that time, to leave an order
# By the clock. A process that is idle begins in a thousandth, on a busy machine in some hundredths.
_MOST_IDLE = 10.0  # seconds until it has begun with an order
_MOST_STARTING = 60.0  # seconds until it is ready
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from maskc.integrations.compile_worker import serve; serve(int(sys.argv[1]))"
)


class Processes:
    """Compiling processes of one server. Safe to use from any thread.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
        keeps_spare: whether there is always one that waits, once one was taken.
    """

    def __init__(self, vocabulary: Vocabulary, limits: Limits, *, keeps_spare: bool) -> None:
        self._vocabulary, self._limits, self._keeps_spare = vocabulary, limits, keeps_spare
        self._spare: Process | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self.n_started = 0

    def take(self) -> Process:
        """Return the spare process, or one that is started now; it is the caller's to end."""
        with self._lock:
            found = self._spare or self._start(is_warm=False)
            keeps_spare = self._keeps_spare and not self._is_closed
            self._spare = self._start(is_warm=True) if keeps_spare else None
            return found

    def close(self) -> None:
        """End the spare process; the others are those who took them."""
        with self._lock:
            self._is_closed = True
            found, self._spare = self._spare, None
        if found is not None:
            found.kill()

    def _start(self, *, is_warm: bool) -> Process:
        self.n_started += 1
        return Process(self._vocabulary, self._limits, is_warm=is_warm)


class UnbegunError(Exception):
    """The process has ended or does not answer, and has not begun with the order."""


class LateError(Exception):
    """The time for an order is over, and the process does not leave it."""


class StuckError(Exception):
    """The process has begun with an order, and does not answer.

    The system ends one that takes too much processor time: this one waits for something else.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Process:
    """A compiling process, as this one sees it. It gets ready while others work.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
        is_warm: whether it compiles a grammar for itself first: the first one takes 0.7 seconds
            more than others.
    """

    def __init__(self, vocabulary: Vocabulary, limits: Limits, *, is_warm: bool) -> None:
        self._ours, theirs = socketpair()
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
        self._is_broken = False
        self._ready_by = time.monotonic() + _MOST_STARTING
        told = {
            "eos_ids": list(vocabulary.eos_ids),
            "warm": is_warm,
            "limits": write_limits(limits),
        }
        self._readying = threading.Thread(target=self._ready, args=(told, vocabulary), daemon=True)
        self._readying.start()

    def _ready(self, told: dict[str, Any], vocabulary: Vocabulary) -> None:
        try:
            send(self._ours, told, _write_tokens(vocabulary))
            receive(self._ours)
        except (EOFError, OSError):
            self._is_broken = True

    def wait_until_ready(self, seconds: float) -> bool:
        """Return whether it takes orders, or has ended, before so many seconds are over.

        Raises:
            UnbegunError: it should have been ready by now.
        """
        left = max(0.0, self._ready_by - time.monotonic())
        self._readying.join(min(seconds, left))
        if self._readying.is_alive() and left <= seconds:
            raise UnbegunError
        return not self._readying.is_alive()

    def ask(
        self, order: Mapping[str, Any], limits: Limits, seconds: float
    ) -> tuple[dict[str, Any], bytes]:
        """Return the answer to an order, if there is one in so many seconds.

        Raises:
            UnbegunError: it has not begun with the order; another process may take it.
            LateError: there is no answer.
            StuckError: nor will there be one.
            EOFError: the process has ended.
            OSError: it has ended.
        """
        until = time.monotonic() + seconds
        self._hand_over(order, until)
        left = max(0.0, until - time.monotonic())
        patience = _PATIENCE * max(limits.seconds, _LEAST_SECONDS)
        try:
            if not wait([self._ours], min(patience, left)):
                if patience <= left:
                    raise StuckError(patience)
                if not self._leaves_order():
                    raise LateError
            return receive(self._ours, until=max(until, time.monotonic() + _MOMENT))
        except TimeoutError:
            raise LateError from None
        except (EOFError, OSError):
            self._is_broken = True
            raise

    def _hand_over(self, order: Mapping[str, Any], until: float) -> None:
        now = time.monotonic()
        begun_by = max(now + _MOMENT, min(until, now + _MOST_IDLE))
        try:
            if self._is_broken or self._process.poll() is not None:
                raise UnbegunError
            send(self._ours, order, until=begun_by)
            receive(self._ours, until=begun_by)
        except TimeoutError:
            raise (LateError if time.monotonic() >= until else UnbegunError) from None
        except (EOFError, OSError):
            self._is_broken = True
            raise UnbegunError from None

    def _leaves_order(self) -> bool:
        """Tell it to leave its order until it answers: it may have to begin with it yet."""
        for _ in range(_MOST_SIGNALS):
            self.interrupt()
            if wait([self._ours], _MOMENT / _MOST_SIGNALS):
                return True
        return False

    def interrupt(self) -> None:
        """Tell it to leave the order that it works on."""
        if not self._readying.is_alive() and self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1)

    def kill(self) -> int | None:
        """End it, if it has not ended by itself, and return its exit status."""
        if not self._has_ended():
            self._process.kill()
            self._process.wait()
        with suppress(OSError):  # it is closed already
            self._ours.shutdown(SHUT_RDWR)
        self._readying.join()  # which waits for nothing any more
        self._ours.close()
        return self._process.returncode

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
