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
from collections.abc import Mapping
from multiprocessing import Pipe
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
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from maskc.integrations.compile_worker import serve; serve(int(sys.argv[1]))"
)


class Processes:
    """Compiling processes of one server. Safe to use from any thread.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
    """

    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        self._vocabulary, self._limits = vocabulary, limits
        self._spare: Process | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self.n_started = 0

    def take(self) -> Process:
        """Return the spare process, or one that is started now; it is the caller's to end."""
        with self._lock:
            found, self._spare = self._spare, None
        if found is None:
            return self._start(is_warm=False)
        self.keep_spare()
        return found

    def keep_spare(self) -> None:
        """Have a spare process from now on."""
        with self._lock:
            if self._spare is None and not self._is_closed:
                self._spare = self._start(is_warm=True)

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


class LateError(Exception):
    """The time for an order is over, and the process does not leave it."""


class Process:
    """A compiling process, as this one sees it. It gets ready while others work.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
        is_warm: whether it compiles a grammar for itself first: the first one takes 0.7 seconds
            more than others.
    """

    def __init__(self, vocabulary: Vocabulary, limits: Limits, *, is_warm: bool) -> None:
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
        self._is_broken = self._was_stuck = False
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
        """Return whether it takes orders, or has ended, before so many seconds are over."""
        self._readying.join(seconds)
        return not self._readying.is_alive()

    def ask(
        self, order: Mapping[str, Any], limits: Limits, seconds: float
    ) -> tuple[dict[str, Any], bytes]:
        """Return the answer to an order, if there is one in so many seconds.

        Raises:
            LateError: there is none.
            EOFError: the process has ended, or was ended since it took too long.
            OSError: it has ended.
        """
        try:
            if self._is_broken:
                raise EOFError
            send(self._ours, order)
            patience = _PATIENCE * max(limits.seconds, _LEAST_SECONDS)
            if not self._ours.poll(min(patience, seconds)):
                if patience <= seconds:
                    self._was_stuck = True
                    raise EOFError
                if not self._leaves_order():
                    raise LateError
            return receive(self._ours)
        except (EOFError, OSError):
            self._is_broken = True
            raise

    def _leaves_order(self) -> bool:
        """Tell it to leave its order until it answers: it may have to begin with it yet."""
        for _ in range(_MOST_SIGNALS):
            self.interrupt()
            if self._ours.poll(_MOMENT / _MOST_SIGNALS):
                return True
        return False

    def interrupt(self) -> None:
        """Tell it to leave the order that it works on."""
        if not self._readying.is_alive() and self._process.poll() is None:
            self._process.send_signal(signal.SIGUSR1)

    def kill(self) -> int | None:
        """End it, if it has not ended by itself, and return its exit status."""
        if self._was_stuck or not self._has_ended():
            self._process.kill()
            self._process.wait()
        self._readying.join()  # which waits for nothing any more
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
