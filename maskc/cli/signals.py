"""What Ctrl-C and SIGTERM do to a command, from its first line to its last.

While modules are loaded, which takes most of a short command's time, and again while the process
ends, nothing is open that would have to be closed: Ctrl-C writes a line and leaves with status 130
at once, and SIGTERM does what it does to any process. While the command runs, each is an exception,
so that temporary files and folders are removed and other processes are ended on the way out.

This is what runs first, so nothing is imported but ``signal`` and what every Python has loaded. A
signal that who started the command wanted to be ignored stays ignored.
"""

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED, TERMINATED = 130, 143

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class Terminated(KeyboardInterrupt):
    """SIGTERM came: as Ctrl-C, but for the exit status."""


def quit_at_once() -> None:
    """Let Ctrl-C end the process without an exception from now on."""
    if _is_heeded(signal.SIGINT):
        signal.signal(signal.SIGINT, _quit)
    if _is_heeded(signal.SIGTERM):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def raise_exceptions() -> None:
    """Let both signals be exceptions from now on: ``KeyboardInterrupt`` and ``Terminated``."""
    sys.unraisablehook = _send_again
    if _is_heeded(signal.SIGINT):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if _is_heeded(signal.SIGTERM):
        signal.signal(signal.SIGTERM, _terminate)


def status_of(interrupt: BaseException) -> int:
    """Write the line that says what ended the command; return its exit status."""
    terminated = isinstance(interrupt, Terminated)
    _write("terminated" if terminated else "interrupted")
    return TERMINATED if terminated else INTERRUPTED


def _is_heeded(number: signal.Signals) -> bool:
    return signal.getsignal(number) not in {signal.SIG_IGN, None}


def _quit(_number: int, _frame: FrameType | None) -> None:
    _write("interrupted")
    os._exit(INTERRUPTED)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


def _write(what: str) -> None:
    try:
        os.write(2, f"maskc: {what}\n".encode())
    except OSError:
        return  # nobody reads it


def _send_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Do not lose an interrupt that came where exceptions end: in a callback or a destructor."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    from threading import Timer

    terminated = issubclass(unraisable.exc_type, Terminated)
    number = signal.SIGTERM if terminated else signal.SIGINT
    # On Windows, os.kill ends the process whatever the signal.
    send = (
        (os.kill, (os.getpid(), number)) if os.name == "posix" else (signal.raise_signal, (number,))
    )
    again = Timer(0.01, *send)
    again.daemon = True
    again.start()
