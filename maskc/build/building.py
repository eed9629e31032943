"""Builds the artifacts that a ``maskc.toml`` names, if they are out of date.

Each file is written whole, then its record, then the manifest. A unit that fails does not keep the
others from being made. A run that is interrupted leaves whole files with their records, and the
next run makes the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from maskc.bounded import run_bounded
from maskc.build.config import Config
from maskc.build.units import (
    BuildUnit,
    describe_versions,
    make_file,
    make_key,
    plan_units,
    read_imports,
    take_shard,
)
from maskc.errors import ExecutorError, MaskcError, OutputError, UnreadableFileError
from maskc.files import hash_file, read_bounded, write_atomically
from maskc.jobs import GrammarJob
from maskc.limits import Limits
from maskc.work.processes import Timed, open_executor, result_of

MANIFEST = "manifest.json"
SUFFIX = ".json"
_MAX_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Record:
    """What a file was made from: ``json.llama3.maskc.json`` lies beside ``json.llama3.maskc``.

    It is written after its file. Where it is missing or says something else, the file is made
    again. It says nothing of times, so equal inputs give equal records. ``manifest.json`` is all
    records together, for whoever copies artifacts elsewhere.
    """

    key: str  # of the unit
    parts: Mapping[str, str]  # what the key is a hash of, by name
    imports: tuple[str, ...]  # paths of the texts that the grammar imports, from its own folder
    sha256: str  # of the file
    n_bytes: int  # of the file


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


# A file's name, how many are done, of how many.
Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class BuildReport:
    """What a build found and did."""

    out_of_date: dict[str, str] = field(default_factory=dict)  # file → why
    current: list[str] = field(default_factory=list)  # the files that were up to date
    built: dict[str, int] = field(default_factory=dict)  # file → its size in bytes
    failed: dict[str, MaskcError] = field(default_factory=dict)  # file → the error
    # files in the folder that nothing asks for any more
    left_over: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "out_of_date": self.out_of_date,
            "current": self.current,
            "built": self.built,
            "failed": {file: str(error) for file, error in self.failed.items()},
            "left_over": self.left_over,
        }


def check_build(config: Config, shard: tuple[int, int] = (1, 1)) -> BuildReport:
    """Return what is out of date, and make nothing.

    Raises:
        MaskcError: a grammar or a tokenizer cannot be read.
    """
    units = plan_units(config)
    report, _ = _look(units, config, shard)
    is_whole = shard == (1, 1) and not report.out_of_date
    if is_whole and not is_manifest_current(units, config.output):
        report.out_of_date[MANIFEST] = "it does not list these files"
    return report


def run_build(
    config: Config,
    *,
    shard: tuple[int, int] = (1, 1),
    jobs: int = 1,
    executor: str | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Make what is out of date, and return what was done.

    Raises:
        ExecutorError: the executor is none, or failed.
        MaskcError: a grammar or a tokenizer cannot be read, or the folder not be written to.
    """
    units = plan_units(config)
    report, old = _look(units, config, shard)
    try:
        config.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(str(config.output), error.strerror or str(error)) from None
    if old:
        with open_executor(executor, min(jobs, len(old))) as workers:
            _make(old, config, workers, report, progress)
    write_manifest(units, config.output)
    return report


def _look(
    units: Sequence[BuildUnit], config: Config, shard: tuple[int, int]
) -> tuple[BuildReport, list[BuildUnit]]:
    report, old = BuildReport(left_over=find_left_over(units, config.output)), []
    for unit in take_shard(units, *shard):
        reason = find_reason(unit, config.output)
        if reason is None:
            report.current.append(unit.file)
        else:
            report.out_of_date[unit.file] = reason
            old.append(unit)
    return report, old


def _make(
    units: Sequence[BuildUnit],
    config: Config,
    workers: Executor,
    report: BuildReport,
    progress: Progress | None,
) -> None:
    imports = _find_imports(units, report, config.limits)
    futures: dict[Future[bytes], BuildUnit] = {}
    for unit in units:
        if unit.file not in report.failed:
            job = unit.job
            if isinstance(job, GrammarJob):
                job = job.with_imports(imports[unit.file])
            futures[_submit(workers, unit, job, config.limits)] = unit
    try:
        for n_done, future in enumerate(as_completed(futures), 1):
            unit = futures[future]
            try:
                _keep(unit, config.output, result_of(future), imports.get(unit.file, {}))
                report.built[unit.file] = (config.output / unit.file).stat().st_size
            except (ExecutorError, OutputError):
                raise
            except MaskcError as error:
                report.failed[unit.file] = error
            if progress:
                progress(unit.file, n_done, len(futures))
    finally:
        for future in futures:
            future.cancel()


def _submit(workers: Executor, unit: BuildUnit, job: Any, limits: Limits) -> Future[bytes]:
    # It has bounds of its own.
    timed = Timed(make_file, unit.file, 0)
    versions = describe_versions()
    return workers.submit(
        timed, job, unit.vocabulary, limits, versions, leaves_tokens=unit.leaves_tokens
    )


def _find_imports(
    units: Sequence[BuildUnit], report: BuildReport, limits: Limits
) -> dict[str, dict[str, str]]:
    """Return the texts that each unit's grammar imports; a grammar is read once for all."""
    found: dict[int, dict[str, str] | MaskcError] = {}
    by_file: dict[str, dict[str, str]] = {}
    for unit in units:
        if not isinstance(unit.job, GrammarJob):
            continue
        if id(unit.job) not in found:
            try:
                found[id(unit.job)] = run_bounded(unit.job.find_imports, limits)
            except MaskcError as error:
                found[id(unit.job)] = error
        imports = found[id(unit.job)]
        if isinstance(imports, MaskcError):
            report.failed[unit.file] = imports
        else:
            by_file[unit.file] = imports
    return by_file


def _keep(unit: BuildUnit, folder: Path, data: bytes, imports: dict[str, str]) -> None:
    write_atomically(folder / unit.file, data)
    parts = unit.parts(imports)
    digest = hashlib.sha256(data).hexdigest()
    record = Record(make_key(parts), parts, tuple(sorted(imports)), digest, len(data))
    write_record(unit, folder, record)
