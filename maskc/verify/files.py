"""The files of a corpus, and their texts.

What lies in a folder may be anybody's: links that lead out of it, and what is not a regular file,
are left out and counted, and so are files that are too long. A file that is named may be a link.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from maskc.errors import GrammarError
from maskc.files import find_inside, read_bounded

LINKS_OUT = "left out, links out of the folder"
IRREGULAR = "left out, no regular files"
TOO_LONG = "left out, too long"


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a corpus."""

    files: tuple[Path, ...]
    left_out: Mapping[str, int]  # how many files are not among them, by the reason


def find_corpus(paths: Sequence[str], max_bytes: int) -> Corpus:
    """Return the files given, and of each folder those with its most common suffix, in order.

    Raises:
        GrammarError: a path does not exist or is no file or folder, or no file is left.
    """
    found: list[Path] = []
    left_out: Counter[str] = Counter()
    for name in paths:
        path = Path(name)
        if os.path.isdir(path):
            inside = list(_list_folder(path, left_out))
            suffixes = Counter(p.suffix for p in inside if p.suffix)
            if suffixes:
                most = min(suffixes, key=lambda suffix: (-suffixes[suffix], suffix))
                found += [p for p in inside if p.suffix == most]
        elif os.path.isfile(path):
            found.append(path)
        else:
            kind = "is not a regular file" if os.path.lexists(path) else "is no file or folder"
            raise GrammarError(name, f"{kind}; give --corpus a path that exists")
    small = [path for path in found if path.stat().st_size <= max_bytes]
    if len(small) < len(found):
        left_out[TOO_LONG] = len(found) - len(small)
    if not small:
        reasons = "".join(f" ({number:,} {reason})" for reason, number in sorted(left_out.items()))
        raise GrammarError(
            ", ".join(paths),
            f"holds no file of at most {max_bytes:,} bytes{reasons}; give --corpus other paths",
        )
    return Corpus(tuple(small), dict(sorted(left_out.items())))


def _list_folder(folder: Path, left_out: Counter[str]) -> Iterator[Path]:
    """Yield the regular files that lie below a folder, in order; count what is none."""
    found = [Path(inner, name) for inner, _, names in os.walk(folder) for name in names]
    for path in sorted(found):
        if not {"__pycache__", "site-packages", ".git"}.isdisjoint(path.parts):
            continue
        # Folders that are links are not entered: without a link of its own a file is inside.
        if path.is_symlink() and find_inside(folder, path) is None:
            left_out[LINKS_OUT] += 1
        elif not _is_regular(path):
            left_out[IRREGULAR] += 1
        else:
            yield path


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:  # a link to nowhere, or a file that has just gone
        return False


def choose_files(files: Sequence[Path], n_files: int, seed: int) -> list[Path]:
    """Return so many files, chosen at random, in order."""
    if len(files) <= n_files:
        return list(files)
    return sorted(Random(seed).sample(list(files), n_files))


def read_text(path: Path, max_bytes: int, encoding: str = "utf-8") -> str:
    """Return what a file says, line ends as they are.

    Raises:
        UnreadableFileError: it is larger, unreadable, or no regular file any more.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bounded(path, max_bytes).decode(encoding)
