"""Example answers of an artifact, which are followed before the first request.

What an artifact is asked for the first time takes longest, and a server that has followed answers
of the kind that it will give has few masks late (:mod:`maskc.runtime.batches`). The compiler writes
some into the artifact of a JSON Schema or of tools (:meth:`maskc.Artifact.prepare`). Others of
``json.maskc`` lie beside it in ``json.examples.jsonl``, and are followed in their place: each line
is an answer, as a JSON list of its token ids, the likeliest first.

Example: with llama3's tokens the line ``[5018, 64, 794, 220, 16, 92]`` is ``{"a": 1}``.

A line is read when it is followed, so a file may be larger than memory.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from maskc.errors import ArtifactError, UnreadableFileError
from maskc.files import open_regular
from maskc.runtime.artifact import Artifact

SUFFIX = ".examples.jsonl"
# For the examples of one artifact, by the clock.
SECONDS = 10.0

_REMEDY = "write each answer's token ids as a JSON list, such as [5018, 64, 794], one a line"
_log = logging.getLogger(__name__)


class _Identity(NamedTuple):
    """What was followed: the content of an artifact, and a file of examples."""

    content_hash: str
    inode: int
    size: int
    modified: int


class Examples:
    """The examples of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._followed: dict[str, _Identity] = {}

    def follow(self, name: str, artifact: Artifact, content_hash: str) -> None:
        """Have an artifact follow its examples, unless it has; at most for ``SECONDS``.

        How many tokens that were is logged; as a warning, if most of a file's were illegal.

        Raises:
            ArtifactError: the file cannot be read, or a line is not a list of token ids.
            LimitError: a text asks too much for one mask.
        """
        path = self._folder / f"{name}{SUFFIX}"
        if not os.path.lexists(path):
            identity = _Identity(content_hash, 0, 0, 0)
            if self._followed.get(name) != identity:
                self._followed[name] = identity
                n_followed = artifact.prepare(seconds=SECONDS)
                _log.info("artifact %s: %s tokens of examples followed", name, f"{n_followed:,}")
            return
        try:
            number = open_regular(path)
        except UnreadableFileError as error:
            remedy = "check the server's folder"
            raise ArtifactError(f"{name}{SUFFIX}", error.reason, remedy) from None
        with open(number, "rb") as file:
            found = os.fstat(number)
            identity = _Identity(content_hash, found.st_ino, found.st_size, found.st_mtime_ns)
            if self._followed.get(name) == identity:
                return
            _follow(name, artifact, file)
            self._followed[name] = identity

    def forget(self, name: str) -> None:
        """Forget what was followed: another artifact comes instead of the one that did."""
        self._followed.pop(name, None)


def _follow(name: str, artifact: Artifact, lines: Iterable[bytes]) -> None:
    n_read, begin = 0, time.monotonic()

    def read() -> Iterator[list[int]]:
        nonlocal n_read
        for number, line in enumerate(lines, 1):
            tokens = _read_line(line, f"{name}{SUFFIX}:{number}")
            n_read += len(tokens)
            yield tokens

    n_followed = artifact.prepare(read(), seconds=SECONDS)
    seconds = time.monotonic() - begin
    is_over = seconds >= SECONDS
    level = logging.WARNING if 2 * n_followed < n_read and not is_over else logging.INFO
    text = "artifact %s: %s of %s tokens of its examples are legal, followed in %.1f seconds%s"
    end = ", which is the most" * is_over
    _log.log(level, text, name, f"{n_followed:,}", f"{n_read:,}", seconds, end)


def _read_line(line: bytes, where: str) -> list[int]:
    """Return the token ids of a line; ArtifactError: it has none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(type(token) is int for token in found):
        raise ArtifactError(where, "is not a list of token ids", _REMEDY)
    return found
