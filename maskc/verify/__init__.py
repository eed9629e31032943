"""Check that an artifact keeps its promise: six experiments, with a witness for each failure.

1. *corpus*: texts that the judge takes are accepted token by token, the others are not; these are
   named, and are a failure of the run unless they are allowed.
2. *generation*: the judge takes the texts that are drawn from the masks, and none gets stuck.
3. *oracle*: masks agree with an oracle that shares no code with scanner, store or runtime.
4. *segmentation*: however a text is cut into tokens, it leads to the same configuration.
5. *mutation*: a text that is changed is refused iff the judge refuses it, at the right byte.
6. *raw store*: masks are those of the rows before any streamlining, bit for bit.

The judge of a grammar is Lark, of a JSON Schema the package ``jsonschema``, of a structural tag or
tools a reader of the tag's JSON; :mod:`maskc.verify.plan` has the experiments of each.
"""

from __future__ import annotations

import os
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from maskc.artifact.checksums import read_checksum
from maskc.kinds import kind_of
from maskc.runtime.artifact import load
from maskc.verify.files import Corpus, choose_files, find_corpus, read_text
from maskc.verify.model import (
    Document,
    Experiment,
    Progress,
    Unit,
    VerifyOptions,
    VerifyReport,
)
from maskc.verify.plan import (
    Kinds,
    expect_units,
    name_unit,
    plan_first,
    plan_second,
    run_unit_anywhere,
)
from maskc.verify.refusals import refuse_bytes
from maskc.work.executors import gather, open_executor
from maskc.work.processes import Timed

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
        artifact_path: of the artifact.
        corpus: files and folders; without any the experiment *corpus* is left out, and the others
            take the texts that are drawn.
        options: how much to check.
        jobs: processes to do it with; the outcome does not depend on it.
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
    found_files = find_corpus(corpus, options.max_bytes) if corpus else Corpus((), {})
    chosen = choose_files(found_files.files, options.files, options.seed)
    files, no_texts = _read_files(chosen, options.max_bytes, kind.encoding(header))
    kinds = kind.verification().experiments
    # What one unit leaves to the others lies where all machines see it.
    place = None if executor is None else os.path.dirname(path)
    with (
        tempfile.TemporaryDirectory(prefix=".maskc-verify-", dir=place) as folder,
        open_executor(executor, jobs) as workers,
    ):
        run = partial(run_unit_anywhere, path, read_checksum(path), options, Path(folder))
        if not corpus:
            kinds = {name: experiment for name, experiment in kinds.items() if name != "corpus"}
        experiments = _Run(kinds, options, workers, run, progress).do(files)
    if corpus:
        walked = experiments["corpus"]
        walked.allow_refused = options.allow_refused
        if no_texts:
            walked.count("skipped, not UTF-8", len(no_texts))
            walked.refused = sorted([*walked.refused, *no_texts], key=lambda t: str(t["file"]))
        for reason, number in found_files.left_out.items():
            walked.count(reason, number)
    differ = compiled_with != unicodedata.unidata_version
    return VerifyReport(
        tuple(experiments.values()),
        (compiled_with, unicodedata.unidata_version) if differ else None,
    )


def _read_files(
    paths: Iterable[Path], max_bytes: int, encoding: str
) -> tuple[list[Document], list[Mapping[str, Any]]]:
    """Return the texts of files, and what is to be said of those that are no text."""
    files: list[Document] = []
    no_texts: list[Mapping[str, Any]] = []
    for path in paths:
        try:
            text = read_text(path, max_bytes, encoding)
            files.append(Document(str(path), text, encoding=encoding))
        except UnicodeDecodeError as error:
            no_texts.append(refuse_bytes(error.object, error.start).to_dict(str(path)))
    return files, no_texts


class _Run:
    """Does all units, first of the corpus, then of what is made of its texts; tells who watches."""

    def __init__(
        self,
        kinds: Kinds,
        options: VerifyOptions,
        workers: Executor,
        run: Callable[[Unit], Experiment],
        progress: Progress | None,
    ) -> None:
        self._kinds, self._options, self._workers, self._run = kinds, options, workers, run
        self._progress = progress
        self._expected: dict[str, int] = {}
        self._done: Counter[str] = Counter()
        self._outcomes: dict[tuple[str, int], Experiment] = {}

    def do(self, files: Sequence[Document]) -> dict[str, Experiment]:
        """Return the outcomes by experiment, in the order of the report."""
        kinds, options = self._kinds, self._options
        self._expect(expect_units(kinds, options, len(files)))
        self._do_units(plan_first(kinds, options, files))
        documents = [
            document
            for name in ("corpus", "generation")
            for outcome in self._of(name)
            for document in outcome.documents
        ]
        if documents and not any(document.text for document in documents):
            self._expected.pop("mutation", None)  # no text has a byte
        units = plan_second(kinds, options, documents)
        planned = Counter(unit.experiment for unit in units)
        self._expect({name: self._done[name] + number for name, number in planned.items()})
        self._do_units(units)
        return {name: self._join(name) for name in kinds if name in self._expected}

    def _do_units(self, units: Sequence[Unit]) -> None:
        asked = {
            self._workers.submit(
                Timed(self._run, name_unit(unit), self._find_limit(unit)), unit
            ): unit
            for unit in units
        }
        for unit, outcome in gather(asked):
            self._outcomes[unit.experiment, unit.number] = outcome
            self._done[unit.experiment] += 1
            self._tell(unit.experiment)

    def _find_limit(self, unit: Unit) -> float:
        """Return the seconds that a unit may take; what compiles has the compiler's own bounds."""
        is_compiling = unit.experiment == "raw store" and unit.document is None
        return 0 if is_compiling else self._options.part_seconds

    def _expect(self, numbers: Mapping[str, int]) -> None:
        self._expected.update(numbers)
        for name in numbers:
            self._tell(name)

    def _tell(self, name: str) -> None:
        if self._progress:
            self._progress(name, self._done[name], self._expected[name])

    def _of(self, name: str) -> list[Experiment]:
        """Return what the units of an experiment show, in the order of their numbers."""
        return [self._outcomes[key] for key in sorted(self._outcomes) if key[0] == name]

    def _join(self, name: str) -> Experiment:
        kind = self._kinds[name]
        joined = Experiment(name, kind.needed, lack=kind.lack, refused_by=kind.refused_by)
        for outcome in self._of(name):
            joined.add(outcome)
        return joined
