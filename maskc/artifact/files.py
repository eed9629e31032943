"""Writing a file whole or not at all.

The bytes go to a temporary file in the same folder, reach the disk, and take the final name
in one rename: a process that maps the old file keeps the old file, and an interrupt leaves
nothing behind.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat

from maskc.errors import ArtifactError, OutputError, UnreadableFileError
from maskc.files import open_regular


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
