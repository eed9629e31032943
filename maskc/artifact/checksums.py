"""The checksum at the end of a file: which content it has, and whether it is whole.

An artifact ends in the checksum of all that is before it: reading 32 bytes tells it from any other.
That the file is whole is another question, for which all of it is read.
"""

from __future__ import annotations

import hashlib
import os

from maskc.errors import ArtifactError, UnreadableFileError
from maskc.files import open_regular

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
