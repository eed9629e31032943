"""How long this machine took to compile an artifact, kept in the user's folder of caches.

Same input, same bytes: an artifact cannot hold times. A file is named after the SHA-256 of the
artifact's bytes and holds ``{"passes": [{"name", "seconds", "cpu_seconds", "peak_mb"}, …]}``. Where
the cache cannot be written nothing is kept, and a missing or damaged file is no timings.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import platformdirs

from maskc.artifact.files import write_atomically
from maskc.compiler.pipeline import PassRecord
from maskc.errors import OutputError

# A pass of this name and a space is an optimisation step.
STEP_PREFIX = "streamline "
Timings = Sequence[PassRecord]
_COSTS = ("seconds", "cpu_seconds", "peak_mb")


def hash_artifact(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal, the key of its timings."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_timings(artifact_sha256_hex: str, timings: Timings) -> None:
    """Keep the timings of an artifact; nothing happens where the cache cannot be written."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return
    passes = [asdict(record) for record in timings]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"passes": passes}, indent=1).encode())
    except (OSError, OutputError):
        return


def load_timings(artifact_sha256_hex: str) -> Timings:
    """Return the timings of an artifact; none if this machine has none that can be read."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return ()
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ()
    passes = found.get("passes") if isinstance(found, dict) else None
    if not isinstance(passes, list) or not all(map(_is_pass, passes)):
        return ()
    return tuple(
        PassRecord(record["name"], *(record[cost] for cost in _COSTS)) for record in passes
    )


def _find_file(artifact_sha256_hex: str) -> Path | None:
    try:
        cache = platformdirs.user_cache_path("maskc", appauthor=False)
    except RuntimeError:  # a user without a home
        return None
    return cache / "timings" / f"{artifact_sha256_hex}.json"


def _is_pass(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return False
    costs: list[Any] = [found.get(cost) for cost in _COSTS]
    # JSON as Python reads it has NaN and Infinity, which no report can show.
    return all(type(cost) in (int, float) and 0 <= cost < 1e9 for cost in costs)
