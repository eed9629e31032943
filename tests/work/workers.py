"""What workers of tests do: they echo, wait, grow, or end."""

import os
import signal
import time


def open_echo(told):
    """Answer messages; one that begins with a word of these does what it says first."""
    started = os.getpid()

    def answer(data):
        word, _, rest = data.partition(b" ")
        if word == b"wait":
            time.sleep(float(rest))
        elif word == b"end":
            os._exit(int(rest))
        elif word == b"signal":
            os.kill(os.getpid(), int(rest))
        elif word == b"told":
            return told
        elif word == b"pids":
            return f"{started} {os.getpid()}".encode()
        return data

    return answer, 1 << 40


def open_grown(_told):
    """Answer, and end after each message."""
    return bytes.upper, -(1 << 40)


def open_late(told):
    """Get ready after so many seconds."""
    time.sleep(float(told))
    return open_echo(told)


def open_stopped(told):
    """Never get ready."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return open_echo(told)
