"""How long this machine took to compile an artifact.

Same input, same bytes: an artifact cannot hold times. ``maskc compile`` keeps them in the user's
folder of caches, on Linux ``$XDG_CACHE_HOME/maskc/timings/`` (``~/.cache`` without the variable),
in a small JSON file that is named after the SHA-256 of the artifact's bytes::

    {"passes": [{"name": "grammar", "seconds": 0.11, "cpu_seconds": 0.1, "peak_mb": 88.2}, …],
     "steps": {"raw": 0.52, "closings": 0.08, …}}

A cache may be lost: where it cannot be written nothing is kept, and a file that is missing or
damaged is no timings.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, TypeGuard

import platformdirs

from maskc.artifact.files import write_atomically
from maskc.errors import OutputError
from maskc.pipeline import PassRecord

# A pass of this name and a space is a streamlining step.
STEP_PREFIX = "streamline "


class PassTimes(TypedDict):
    """What one pass cost: see :class:`maskc.pipeline.PassRecord`."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_mb: float


class Timings(TypedDict):
    """What a compilation cost.

    ``passes`` are in order; ``steps`` maps a streamlining step to its seconds.
    """

    passes: list[PassTimes]
    steps: dict[str, float]


def collect_timings(records: Sequence[PassRecord]) -> Timings:
    """Return the timings of a compilation.

    >>> records = [PassRecord("streamline raw", 0.25, 0.2, 90.0)]
    >>> collect_timings(records)["steps"]
    {'raw': 0.25}
    """
    return {
        "passes": [_to_times(record) for record in records],
        "steps": {
            r.name.removeprefix(STEP_PREFIX): r.seconds
            for r in records
            if r.name.startswith(STEP_PREFIX)
        },
    }


def _to_times(record: PassRecord) -> PassTimes:
    return {
        "name": record.name,
        "seconds": record.seconds,
        "cpu_seconds": record.cpu_seconds,
        "peak_mb": record.peak_mb,
    }


def hash_artifact(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal, the key of its timings."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_timings(artifact_sha256_hex: str, timings: Timings) -> None:
    """Keep the timings of an artifact; nothing happens where the cache cannot be written."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(timings, indent=1).encode())
    except (OSError, OutputError):
        return


def load_timings(artifact_sha256_hex: str) -> Timings | None:
    """Return the timings of an artifact, ``None`` if this machine has none that can be read."""
    path = _find_file(artifact_sha256_hex)
    if path is None:
        return None
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if _is_timings(found) else None


def _find_file(artifact_sha256_hex: str) -> Path | None:
    try:
        cache = platformdirs.user_cache_path("maskc", appauthor=False)
    except RuntimeError:  # a user without a home
        return None
    return cache / "timings" / f"{artifact_sha256_hex}.json"


def _is_timings(found: Any) -> TypeGuard[Timings]:
    if not isinstance(found, dict):
        return False
    passes, steps = found.get("passes"), found.get("steps")
    return (
        isinstance(passes, list)
        and all(_is_pass(record) for record in passes)
        and isinstance(steps, dict)
        and all(_is_number(seconds) for seconds in steps.values())
    )


def _is_pass(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and isinstance(found.get("name"), str)
        and _is_number(found.get("seconds"))
        and _is_number(found.get("cpu_seconds"))
        and _is_number(found.get("peak_mb"))
    )


def _is_number(found: Any) -> bool:
    # JSON as Python reads it has NaN and Infinity, which no report can show.
    return isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e9
