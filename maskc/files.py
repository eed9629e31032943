"""Reads files that somebody else names within bounds, and writes ours whole or not at all.

Only a regular file is read, links followed, and never more than a stated number of bytes. A named
pipe would keep the reader waiting, a device may never end, and a file may be larger than memory or
grow while it is read. What is opened is looked at again, so that a file that was exchanged in
between is refused too.

What is written goes to a temporary file in the same folder, reaches the disk, and takes the final
name in one rename: a process that maps the old file keeps the old file, and an interrupt leaves
nothing behind.

Example: ``read_bounded("/dev/zero", 1 << 20)`` raises ``/dev/zero: is not a regular file (a
device); …`` at once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable

from maskc.errors import ArtifactError, FileTooLargeError, OutputError, UnreadableFileError

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


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` as the file ``path``, replacing a file that is there.

    Raises:
        OutputError: the file cannot be written; nothing has changed.
    """
    target = _resolve(path)
    temporary = _name_temporary(target)
    try:
        _create(temporary, target)
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise OutputError(os.fspath(path), error.strerror or str(error)) from None
    except BaseException:
        _remove(temporary)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that :func:`write_atomically` can create a file at ``path``, before long work.

    Raises:
        OutputError: it cannot.
    """
    target = _resolve(path)
    temporary = _name_temporary(target)
    try:
        _create(temporary, target)
        os.unlink(temporary)
    except BaseException:
        _remove(temporary)
        raise


def _resolve(path: str | os.PathLike[str]) -> str:
    """Return the path with links followed; only a regular file may be replaced."""
    try:
        target = os.path.realpath(path)
    except ValueError:
        raise OutputError(os.fspath(path), "it is not a path of this system") from None
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return target
    except OSError as error:
        raise OutputError(os.fspath(path), error.strerror or str(error)) from None
    if stat.S_ISDIR(mode):
        raise OutputError(os.fspath(path), "it is a folder")
    # Renaming over `/dev/null` would take it away from everyone.
    if not stat.S_ISREG(mode):
        raise OutputError(os.fspath(path), "it is not a regular file")
    return target


def _name_temporary(target: str) -> str:
    return os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.maskc-part")


def _create(temporary: str, target: str) -> None:
    """Create the file; inside a ``try`` that removes it, for an interrupt may come in between."""
    try:
        # The mode that the umask leaves of 0666: others may load the artifact.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileNotFoundError:
        raise OutputError(target, f"there is no folder {os.path.dirname(target)}") from None
    except OSError as error:
        raise OutputError(target, error.strerror or str(error)) from None


def _remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


N_CHECKSUM = 32


def read_checksum(path: str | os.PathLike[str]) -> str:
    """Return the checksum at the end of an artifact or a kit, in hexadecimal; it is not verified.

    Raises:
        ArtifactError: the file cannot be read.
    """
    name = os.fspath(path)
    try:
        file = open_regular(name)
    except UnreadableFileError as error:
        raise ArtifactError(name, error.reason, "give the path of an artifact") from None
    try:
        os.lseek(file, max(0, os.fstat(file).st_size - N_CHECKSUM), os.SEEK_SET)
        return os.read(file, N_CHECKSUM).hex()
    except OSError as error:
        reason = f"cannot be read ({error.strerror})"
        raise ArtifactError(name, reason, "give the path of an artifact") from None
    finally:
        os.close(file)


def hash_file(path: str | os.PathLike[str]) -> str | None:
    """Return the SHA-256 of a regular file in hexadecimal, ``None`` if it cannot be read."""
    try:
        with open(open_regular(path), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, UnreadableFileError):
        return None
