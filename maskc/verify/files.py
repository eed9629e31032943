"""Which files does a corpus hold, and what do they say?

Example: of a folder with ``a.py``, ``b.py`` and ``README``, a corpus holds the two ``.py`` files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from maskc.errors import GrammarError


def find_files(paths: Sequence[str], max_bytes: int) -> list[Path]:
    """Return the files given, and of each folder those with its most common suffix, in order.

    Args:
        paths: files and folders.
        max_bytes: longer files are left out.

    Raises:
        GrammarError: a path does not exist, or no file is left.
    """
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.is_file() and not _is_private(p)]
            suffixes = Counter(p.suffix for p in inside if p.suffix)
            if suffixes:
                most = min(suffixes, key=lambda suffix: (-suffixes[suffix], suffix))
                found += [p for p in inside if p.suffix == most]
        elif path.is_file():
            found.append(path)
        else:
            raise GrammarError(name, "is no file or folder; give --corpus a path that exists")
    small = [path for path in found if path.stat().st_size <= max_bytes]
    if not small:
        raise GrammarError(
            ", ".join(paths),
            f"holds no file of at most {max_bytes:,} bytes; give --corpus other paths",
        )
    return small


def _is_private(path: Path) -> bool:
    """Tell whether a file is compiled or installed rather than written."""
    return bool({"__pycache__", "site-packages", ".git"} & set(path.parts))


def choose_files(files: Sequence[Path], n_files: int, seed: int) -> list[Path]:
    """Return so many files, chosen at random, in order."""
    if len(files) <= n_files:
        return list(files)
    return sorted(Random(seed).sample(list(files), n_files))


def read_text(path: Path) -> str | None:
    """Return what a file says, line ends as they are; ``None`` if it is not UTF-8."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
