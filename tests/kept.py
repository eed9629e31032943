"""Artifacts that tests compile, kept on disk for all processes of a run and for the next one.

A file is named by a hash of the package's sources, the interpreter, Lark, and what was compiled, so
none is ever out of date. Those of other sources go after a day. ``make clean`` removes all.
"""

import hashlib
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

import maskc
from maskc import Artifact

PACKAGE = Path(maskc.__file__).parent
FOLDER = PACKAGE.parent / ".pytest_cache" / "kept"
DAY = 24 * 60 * 60


def keep(make: Callable[[], Artifact], *key: object) -> Artifact:
    """Return the artifact that ``make`` compiles, or the same one from another process.

    Args:
        make: compiles it.
        key: all that it is compiled from, as values whose ``repr`` tells them apart.
    """
    name = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
    path = folder_of_sources() / f"{name}.maskc"
    if not path.exists():
        part = path.with_name(f"{name}.{os.getpid()}.maskc")
        make().save(part)
        os.replace(part, path)
    return maskc.load(path)


@cache
def folder_of_sources() -> Path:
    """Return the folder for what these sources compile; it is there."""
    digest = hashlib.sha256(f"{sys.version} {version('lark')} {version('numpy')}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    folder = FOLDER / digest.hexdigest()[:32]
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for other in FOLDER.iterdir():
            if other.stat().st_mtime < time.time() - DAY:
                rmtree(other, ignore_errors=True)
    return folder
