"""What tells a file from the one that it replaced."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from maskc.errors import UnreadableFileError
from maskc.files import open_regular

_N_CHECKSUM = 32


class Identity(NamedTuple):
    """A file's device and inode, size and times, and the checksum at its end."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    checksum: bytes


def identify(path: Path) -> Identity:
    """Return the identity of the file that lies at a path now.

    Raises:
        UnreadableFileError: there is none, or it is not a regular file.
    """
    file = open_regular(path)
    try:
        found = os.fstat(file)
        os.lseek(file, max(0, found.st_size - _N_CHECKSUM), os.SEEK_SET)
        checksum = os.read(file, _N_CHECKSUM)
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
        raise UnreadableFileError(str(path), reason, "check its folder") from None
    finally:
        os.close(file)
    return Identity(
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, checksum
    )
