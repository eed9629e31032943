"""Check that an artifact keeps its promise: six experiments (docs/verify.md), with witnesses.

The judge of a grammar is Lark, of a JSON Schema the package ``jsonschema``, of a structural tag or
tools a reader of the tag's JSON; :mod:`maskc.verify.plan` has the experiments of each.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from maskc.files import read_checksum
from maskc.kinds import kind_of
from maskc.runtime.artifact import load
from maskc.verify.grammar import refuse_bytes
from maskc.verify.model import (
    Corpus,
    Document,
    Experiment,
    Progress,
    Unit,
    VerifyOptions,
    VerifyReport,
    choose_files,
    find_corpus,
    read_text,
)
from maskc.verify.plan import (
    Kinds,
    expect_units,
    name_unit,
    plan_first,
    plan_second,
    run_unit_anywhere,
)
from maskc.work.processes import Timed, gather, open_executor

__all__ = ["Experiment", "VerifyOptions", "VerifyReport", "run_verify"]


def run_verify(
    artifact_path: str | os.PathLike[str],
    corpus: Sequence[str],
    options: VerifyOptions,
    *,
    jobs: int = 1,
    executor: str | None = None,
    progress: Progress | None = None,
) -> VerifyReport:
    """Return the outcome of the experiments on an artifact.

    Args:
        corpus: files and folders; without any the experiment *corpus* is left out, and the others
            take the texts that are drawn.
        executor: ``module:name`` of a function that returns a ``concurrent.futures.Executor``, to
            do it with instead. Its machines must see the artifact, and the tokenizer if it is a
            file, under the same paths as this one.
        progress: called for an experiment when some of its units are done.

    Raises:
        ArtifactError: the artifact cannot be loaded.
        ExecutorError: the executor is none, or failed.
        GrammarError: the corpus has no file, or the grammar no longer loads.
        LimitError: building Lark's parser, or a unit, took longer than it may.
        UnreadableFileError: a file of the corpus cannot be read.
        TokenizerError: the tokenizer cannot be found.
        WorkerError: a process was killed.
    """
    path = os.path.abspath(artifact_path)
    # A file that is no artifact is refused before the corpus is read.
    header = load(path).header
    kind = kind_of(header)
    compiled_with = header.get("unicode", unicodedata.unidata_version)
    found = find_corpus(corpus, options.max_bytes) if corpus else Corpus((), {})
    documents, refused = _read_files(found.files, options, kind.encoding(header))
    kinds = kind.subject().experiments
    if not corpus:
        kinds = {name: experiment for name, experiment in kinds.items() if name != "corpus"}
    # What one unit leaves to the others lies where all machines see it.
    parent = None if executor is None else os.path.dirname(path)
    with (
        tempfile.TemporaryDirectory(prefix=".maskc-verify-", dir=parent) as folder,
        open_executor(executor, jobs) as workers,
    ):
        run = partial(run_unit_anywhere, path, read_checksum(path), options, Path(folder))
        do = partial(_do_units, workers, run, options.part_seconds)
        experiments = _do_all(kinds, options, documents, do, progress)
    if corpus:
        walked = experiments["corpus"]
        walked.allow_refused = options.allow_refused
        if refused:
            walked.count("skipped, not UTF-8", len(refused))
            walked.refused = sorted([*walked.refused, *refused], key=lambda t: str(t["file"]))
        for reason, number in found.left_out.items():
            walked.count(reason, number)
    differ = compiled_with != unicodedata.unidata_version
    return VerifyReport(
        tuple(experiments.values()),
        (compiled_with, unicodedata.unidata_version) if differ else None,
    )


def _read_files(
    files: Sequence[Path], options: VerifyOptions, encoding: str
) -> tuple[list[Document], list[Mapping[str, Any]]]:
    """Return the texts of so many files of a corpus, and the refusals of those that are none."""
    documents, refused = list[Document](), list[Mapping[str, Any]]()
    for path in choose_files(files, options.files, options.seed):
        try:
            text = read_text(path, options.max_bytes, encoding)
            documents.append(Document(str(path), text, encoding=encoding))
        except UnicodeDecodeError as error:
            refused.append(refuse_bytes(error.object, error.start).to_dict(str(path)))
    return documents, refused


def _do_units(
    workers: Executor, run: Callable[[Unit], Experiment], seconds: float, units: Sequence[Unit]
) -> Iterator[tuple[Unit, Experiment]]:
    asked = {}
    for unit in units:
        # What compiles has the compiler's own bounds.
        is_compiling = unit.experiment == "optimisation" and unit.document is None
        timed = Timed(run, name_unit(unit), 0 if is_compiling else seconds)
        asked[workers.submit(timed, unit)] = unit
    return gather(asked)


def _do_all(
    kinds: Kinds,
    options: VerifyOptions,
    files: Sequence[Document],
    do: Callable[[Sequence[Unit]], Iterator[tuple[Unit, Experiment]]],
    progress: Progress | None,
) -> dict[str, Experiment]:
    """Return the outcomes by experiment: of the corpus first, then of what is made of its texts."""
    expected: dict[str, int] = {}
    outcomes: dict[str, dict[int, Experiment]] = {name: {} for name in kinds}

    def expect(numbers: Mapping[str, int]) -> None:
        expected.update(numbers)
        for name in numbers:
            tell(name)

    def tell(name: str) -> None:
        if progress:
            progress(name, len(outcomes[name]), expected[name])

    def do_units(units: Sequence[Unit]) -> None:
        for unit, outcome in do(units):
            outcomes[unit.experiment][unit.number] = outcome
            tell(unit.experiment)

    def list_outcomes(name: str) -> list[Experiment]:
        return [outcome for _, outcome in sorted(outcomes.get(name, {}).items())]

    expect(expect_units(kinds, options, len(files)))
    do_units(plan_first(kinds, options, files))
    first = [*list_outcomes("corpus"), *list_outcomes("generation")]
    documents = [document for outcome in first for document in outcome.documents]
    if documents and not any(document.text for document in documents):
        expected.pop("mutation", None)  # no text has a byte
    units = plan_second(kinds, options, documents)
    planned = Counter(unit.experiment for unit in units)
    expect({name: len(outcomes[name]) + n for name, n in planned.items()})
    do_units(units)
    found = {}
    for name in kinds:
        if name in expected:
            kind = kinds[name]
            found[name] = Experiment(name, kind.needed, lack=kind.lack, refused_by=kind.refused_by)
            for outcome in list_outcomes(name):
                found[name].add(outcome)
    return found
