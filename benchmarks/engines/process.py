"""Work that may take for ever, or die: within some seconds, or in a process of its own."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.workloads import ROOT


class TooSlowError(BaseException):
    """Some work took longer than its limit."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit a block to seconds of this process's time.

    Raises:
        TooSlowError: they are over.
    """

    def stop(*_: object) -> None:
        raise TooSlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)  # which the alarm may still interrupt


def read_lines(
    module: str, *arguments: str, seconds: float, start_seconds: float = 0.0, each: bool = False
) -> tuple[list[str], str]:
    """Return the lines that a module prints, and how it ended: nothing if as it should.

    Args:
        module: to run.
        arguments: of its command.
        seconds: that it has, after which it is killed.
        start_seconds: that it has more for its first line.
        each: it has the seconds for each line, and not for all of them.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
        )
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        raw, end = b"", time.monotonic() + seconds + start_seconds
        while True:
            ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            if not piece:
                break
            raw += piece
            end = time.monotonic() + seconds if each else end
        process.stdout.close()
        if not ready:
            process.kill()
        status = process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    # What was being written when the process ended is no line.
    lines = raw.decode().split("\n")[:-1]
    if not ready:
        return lines, f"no answer within {seconds:g} s"
    if status < 0:
        return lines, f"killed by signal {-status}"
    return lines, (said or [f"exit status {status}"])[-1] if status else ""
