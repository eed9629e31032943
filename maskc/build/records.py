"""Records beside built files, which tell whether each is up to date, and the folder's manifest.

Beside each file lies a *record* of what it was made from: ``json.llama3.maskc.json`` holds the key,
the hash of each part of it, the paths of imported texts, and the file's own SHA-256. A record is
written after its file. Where it is missing or says something else, the file is made again.

``manifest.json`` is all records together, for whoever copies artifacts elsewhere: whichever machine
wrote the last file writes it.

A record says nothing of times, so equal inputs give equal records.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from maskc.artifact.files import hash_file, write_atomically
from maskc.build.units import BuildUnit, describe_versions, make_key, read_imports
from maskc.errors import UnreadableFileError
from maskc.files import read_bounded
from maskc.jobs import GrammarJob

MANIFEST = "manifest.json"
SUFFIX = ".json"
_MAX_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Record:
    """What a file was made from.

    Attributes:
        key: of the unit.
        parts: what the key is a hash of, by name.
        imports: paths of the texts that the grammar imports, from its own folder.
        sha256: of the file.
        n_bytes: of the file.
    """

    key: str
    parts: Mapping[str, str]
    imports: tuple[str, ...]
    sha256: str
    n_bytes: int


def find_reason(unit: BuildUnit, folder: Path) -> str | None:
    """Return why a unit is out of date, ``None`` if it is not."""
    record = read_record(unit, folder)
    path = folder / unit.file
    if not os.path.exists(path):
        return "it does not exist"
    if record is None:
        return "its record is missing"
    imports: Mapping[str, str] | None = {}
    if isinstance(unit.job, GrammarJob):
        imports = read_imports(unit.job, record.imports)
    if imports is None:
        return "an imported text no longer exists"
    parts = unit.parts(imports)
    for name, hashed in parts.items():
        if record.parts.get(name) != hashed:
            what = {"maskc": "the version of maskc, Lark or Unicode"}.get(name, f"the {name}")
            return f"{what} is another one"
    if record.key != make_key(parts) or hash_file(path) != record.sha256:
        return "the file has changed since it was built"
    return None


def write_record(unit: BuildUnit, folder: Path, record: Record) -> None:
    """Write the record of a file that has just been written."""
    write_atomically(folder / f"{unit.file}{SUFFIX}", _dump(asdict(record)))


def read_record(unit: BuildUnit, folder: Path) -> Record | None:
    """Return the record of a unit's file, ``None`` if there is none that can be read."""
    try:
        found = json.loads(read_bounded(folder / f"{unit.file}{SUFFIX}", _MAX_BYTES))
        record = Record(**{**found, "imports": tuple(found["imports"])})
    except (UnreadableFileError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if isinstance(record.parts, dict) else None


def make_manifest(units: Sequence[BuildUnit], folder: Path) -> bytes | None:
    """Return what the manifest says when all units have their records, else ``None``."""
    records = {unit.file: read_record(unit, folder) for unit in units}
    entries = {}
    for file, record in records.items():
        if record is None:
            return None
        entries[file] = {k: v for k, v in asdict(record).items() if k != "imports"}
    return _dump({"versions": describe_versions(), "files": entries})


def write_manifest(units: Sequence[BuildUnit], folder: Path) -> None:
    """Write the manifest if all units have their records.

    Another machine may write a record and the manifest at the same time, so the records are read
    again after the manifest was written: the last who writes it has read them all.
    """
    path = folder / MANIFEST
    while (made := make_manifest(units, folder)) is not None and _read(path) != made:
        write_atomically(path, made)


def is_manifest_current(units: Sequence[BuildUnit], folder: Path) -> bool:
    """Return whether the manifest says what the records say."""
    made = make_manifest(units, folder)
    return made is not None and made == _read(folder / MANIFEST)


def find_left_over(units: Sequence[BuildUnit], folder: Path) -> list[str]:
    """Return the files that have a record and that nothing asks for any more."""
    wanted = {f"{unit.file}{SUFFIX}" for unit in units} | {MANIFEST}
    records = (*folder.glob(f"*.maskc{SUFFIX}"), *folder.glob(f"*.kit{SUFFIX}"))
    return sorted(path.name.removesuffix(SUFFIX) for path in records if path.name not in wanted)


def _read(path: Path) -> bytes | None:
    try:
        return read_bounded(path, _MAX_BYTES)
    except UnreadableFileError:
        return None


def _dump(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()
