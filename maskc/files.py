"""Reads files that somebody else names, within bounds.

Only a regular file, links followed, and never more than a stated number of bytes. A named pipe
would keep the reader waiting, a device may never end, and a file may be larger than memory or grow
while it is read. What is opened is looked at again, so that a file that was exchanged in between is
refused too.

Example: ``read_bounded("/dev/zero", 1 << 20)`` raises ``/dev/zero: is not a regular file (a
device); …`` at once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

from maskc.errors import FileTooLargeError, UnreadableFileError

_PIECE = 1 << 20
_REMEDY = "give the path of a file"
# A pipe that came in the place of the file is opened without waiting, and then refused.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
)
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is not a regular file (a named pipe)"),
    (stat.S_ISCHR, "is not a regular file (a device)"),
    (stat.S_ISBLK, "is not a regular file (a device)"),
    (stat.S_ISSOCK, "is not a regular file (a socket)"),
)


def read_bounded(path: str | os.PathLike[str], limit: int) -> bytes:
    """Return the contents of a regular file of at most ``limit`` bytes.

    Raises:
        FileTooLargeError: it is larger.
        UnreadableFileError: it is missing, unreadable, or no regular file.
    """
    name = os.fspath(path)
    file = open_regular(name)
    try:
        if os.fstat(file).st_size > limit:
            raise _too_large(name, limit)
        # The size that is told may be wrong: the file may grow, and those of /proc have none.
        data = bytearray()
        while len(data) <= limit and (piece := os.read(file, min(_PIECE, limit + 1 - len(data)))):
            data += piece
    except OSError as error:
        raise _unreadable(name, error) from None
    finally:
        os.close(file)
    if len(data) > limit:
        raise _too_large(name, limit)
    return bytes(data)


def open_regular(path: str | os.PathLike[str]) -> int:
    """Return a file descriptor of a regular file, open for reading; the caller closes it.

    Raises:
        UnreadableFileError: it is missing, unreadable, or no regular file.
    """
    name = os.fspath(path)
    try:
        # Opening a device can do something: it is not even opened.
        _check_kind(name, os.stat(name).st_mode)
        file = os.open(name, _FLAGS)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    try:
        _check_kind(name, os.fstat(file).st_mode)
    except UnreadableFileError:
        os.close(file)
        raise
    return file


def find_inside(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> str | None:
    """Return the path of a file with all links followed, ``None`` if that leads out of a folder.

    The folder's own path may be made of links. A file need not exist to be inside.
    """
    root, found = os.path.realpath(folder), os.path.realpath(path)
    try:
        is_inside = os.path.commonpath([root, found]) == root
    except ValueError:  # on Windows, another drive
        is_inside = False
    return found if is_inside else None


def _check_kind(name: str, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kind = next((text for is_kind, text in _KINDS if is_kind(mode)), "is not a regular file")
    raise UnreadableFileError(name, kind, _REMEDY)


def _too_large(name: str, limit: int) -> FileTooLargeError:
    return FileTooLargeError(name, f"is larger than {limit:,} bytes", "give a smaller one")


def _unreadable(name: str, error: OSError | ValueError) -> UnreadableFileError:
    reason = getattr(error, "strerror", None) or str(error)
    if "\0" in name:  # Python words it differently from version to version
        reason = "its path has a NUL byte"
    return UnreadableFileError(name, f"cannot be read ({reason})", _REMEDY)
