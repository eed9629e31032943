"""The messages between a server and its compiling process.

A message is a JSON text behind its length, and bytes after it where it announces some. An order
names what is to be compiled and the limits; the process says that it begins, and answers with what
came of it, or with an error by its class and its fields, so that the sentence is the same as if it
had been compiled in the server. Nothing is pickled, and what is read is checked as a file is.

Example: ``{"kind": "pattern", "text": "a+", "limits": [5.0, 500000000, 200000, 20000]}``.
"""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Mapping
from socket import socket
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import errors
from maskc.artifact.container import decode, encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, LimitError, MaskcError
from maskc.limits import Limits

# Of a plan, what a server reads in about a second at the worst, beside its other work, and as much
# as was asked for: what is listed there is listed in the plan. Of the rest, mostly arrays, what it
# reads in a few hundredths.
MAX_BYTES = {"schema": 400_000, "pattern": 16_000_000, "grammar": 16_000_000}
_MAX_MESSAGE = 1 << 26
_LENGTH = struct.Struct("!Q")
_LEAST_SECONDS = 0.001  # for what needs no waiting

_NAME = "<compiled>"


def check_size(asked: Mapping[str, Any], n_bytes: int) -> None:
    """Raise an error if the answer to an order is larger than a server reads.

    Raises:
        LimitError: it is.
    """
    most = MAX_BYTES[asked["kind"]]
    if asked["kind"] == "schema":
        most += len(json.dumps(asked["text"]))
    if n_bytes > most:
        raise LimitError("bytes of what is compiled", most, "ask for less")


def send(
    stream: socket, message: Mapping[str, Any], data: bytes = b"", *, until: float = math.inf
) -> None:
    """Send a message, and bytes after it if there are any.

    Args:
        stream: to the other process.
        message: JSON.
        data: the bytes.
        until: the time, of :func:`time.monotonic`, at which to give up.

    Raises:
        TimeoutError: the other end does not read; what it gets next makes no sense.
        OSError: the other end is closed.
    """
    text = json.dumps({**message, "n_bytes": len(data)}).encode()
    _set_timeout(stream, until)
    stream.sendall(_LENGTH.pack(len(text)) + text + data)


def receive(stream: socket, *, until: float = math.inf) -> tuple[dict[str, Any], bytes]:
    """Return a message and its bytes.

    Raises:
        TimeoutError: not all of it came in time.
        EOFError: the other end is closed.
        OSError: so it is, or a message is too long.
    """
    (n_bytes,) = _LENGTH.unpack(_read(stream, _LENGTH.size, until))
    message = json.loads(_read(stream, n_bytes, until))
    return message, _read(stream, message["n_bytes"], until)


def _read(stream: socket, n_bytes: int, until: float) -> bytes:
    if n_bytes > _MAX_MESSAGE:
        raise OSError("a message is too long")
    data = bytearray(n_bytes)
    rest = memoryview(data)
    while rest:
        _set_timeout(stream, until)
        n_read = stream.recv_into(rest)
        if not n_read:
            raise EOFError
        rest = rest[n_read:]
    return bytes(data)


def _set_timeout(stream: socket, until: float) -> None:
    left = until - time.monotonic()
    stream.settimeout(None if left == math.inf else max(left, _LEAST_SECONDS))


def write_limits(limits: Limits) -> list[float]:
    """Return the limits as a message has them."""
    return [limits.seconds, limits.bytes, limits.text, limits.work]


def read_limits(entry: list[Any]) -> Limits:
    """Return the limits of a message."""
    seconds, n_bytes, text, work = entry
    return Limits(seconds, n_bytes, text, work)


def write_error(error: MaskcError) -> dict[str, Any]:
    """Return an error as a message has it: its class and its fields."""
    return {"error": type(error).__name__, "fields": list(error.args)}


def read_error(message: Mapping[str, Any]) -> MaskcError:
    """Return the error of a message."""
    made = getattr(errors, message["error"])
    fields = (tuple(part) if isinstance(part, list) else part for part in message["fields"])
    found: MaskcError = made(*fields)
    return found


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a header and arrays as an artifact's bytes are."""
    return encode({"format": FORMAT, **header}, arrays)


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
    """Return what :func:`pack` was given, with the format.

    Raises:
        ArtifactError: it is damaged.
    """
    return decode(data, _NAME)


def damaged(fault: str) -> ArtifactError:
    """Return the error of an answer that cannot be used."""
    return ArtifactError(_NAME, f"is damaged: {fault}", "send the request again")
