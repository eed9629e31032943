"""Make what is out of date: each file is written whole, then its record, then the manifest.

A unit that fails does not keep the others from being made. A run that is interrupted leaves whole
files with their records, and the next run makes the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maskc.artifact.files import write_atomically
from maskc.bounded import run_bounded
from maskc.build.config import Config
from maskc.build.records import (
    MANIFEST,
    Record,
    find_left_over,
    find_reason,
    is_manifest_current,
    write_manifest,
    write_record,
)
from maskc.build.units import (
    BuildUnit,
    describe_versions,
    make_file,
    make_key,
    plan_units,
    take_shard,
)
from maskc.errors import ExecutorError, MaskcError, OutputError
from maskc.jobs import GrammarJob
from maskc.limits import Limits
from maskc.work.processes import Timed, open_executor, result_of

# A file's name, how many are done, of how many.
Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class BuildReport:
    """What a build found and did.

    Attributes:
        out_of_date: file → why.
        current: the files that were up to date.
        built: file → its size in bytes.
        failed: file → the error.
        left_over: files in the folder that nothing asks for any more.
    """

    out_of_date: dict[str, str] = field(default_factory=dict)
    current: list[str] = field(default_factory=list)
    built: dict[str, int] = field(default_factory=dict)
    failed: dict[str, MaskcError] = field(default_factory=dict)
    left_over: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
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
