"""Does an artifact keep its promise? Six experiments, each with a witness when it fails.

1. *corpus*: texts that Lark parses are accepted token by token, the others are not; these are
   named, and are a failure of the run unless they are allowed.
2. *generation*: texts drawn from the masks are parsed by Lark, and none gets stuck.
3. *oracle*: masks agree with an oracle that shares no code with scanner, store or runtime.
4. *segmentation*: however a text is cut into tokens, it leads to the same configuration.
5. *mutation*: a text that is changed by a byte is refused iff Lark refuses it, at the right byte.
6. *raw store*: masks are those of the rows before any streamlining, bit for bit.

Of a JSON Schema the judge is the package ``jsonschema``, of a structural tag or tools a reader of
the tag's JSON; :mod:`maskc.verify.plan` has the experiments of each.
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
from maskc.runtime.artifact import load
from maskc.verify.files import choose_files, find_corpus, read_text
from maskc.verify.grammar import read_encoding
from maskc.verify.model import (
    Document,
    Experiment,
    Progress,
    Unit,
    VerifyOptions,
    VerifyReport,
)
from maskc.verify.plan import (
    Kind,
    Kinds,
    expect_units,
    kinds_of,
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
        corpus: files and folders.
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
    compiled_with = header.get("unicode", unicodedata.unidata_version)
    found_files = find_corpus(corpus, options.max_bytes)
    chosen = choose_files(found_files.files, options.files, options.seed)
    files, no_texts = _read_files(chosen, options.max_bytes, read_encoding(header))
    kinds = kinds_of(header)
    experiments = _experiment(path, kinds, files, options, jobs, executor, progress)
    _add_unread(experiments["corpus"], options, no_texts, found_files.left_out)
    differ = compiled_with != unicodedata.unidata_version
    return VerifyReport(
        tuple(experiments.values()),
        (compiled_with, unicodedata.unidata_version) if differ else None,
    )


def _experiment(
    path: str,
    kinds: Kinds,
    files: list[Document],
    options: VerifyOptions,
    jobs: int,
    executor: str | None,
    progress: Progress | None,
) -> dict[str, Experiment]:
    """Return the outcomes by experiment: first of the texts, then of what is made of them."""
    tell = _Teller(expect_units(kinds, options, len(files)), progress)
    # What one unit leaves to the others lies where all machines see it.
    place = None if executor is None else os.path.dirname(path)
    with tempfile.TemporaryDirectory(prefix=".maskc-verify-", dir=place) as folder:
        run = partial(run_unit_anywhere, path, read_checksum(path), options, Path(folder))
        with open_executor(executor, jobs) as workers:

            def do(units: Sequence[Unit]) -> dict[str, list[Experiment]]:
                return _do(units, run, options, workers, tell)

            found = do(plan_first(kinds, options, files))
            documents = [
                document
                for name in ("corpus", "generation")
                for outcome in found.get(name, ())
                for document in outcome.documents
            ]
            if documents and not any(document.text for document in documents):
                tell.expected.pop("mutation", None)  # no text has a byte
            second = plan_second(kinds, options, documents)
            tell.plan(second)
            for name, outcomes in do(second).items():
                found.setdefault(name, []).extend(outcomes)
    asked = [name for name in kinds if name in found or name in tell.expected]
    return {name: _join(name, kinds[name], found.get(name, ())) for name in asked}


def _add_unread(
    walked: Experiment,
    options: VerifyOptions,
    no_texts: list[Mapping[str, Any]],
    left_out: Mapping[str, int],
) -> None:
    """Add the files that were not read to what was found of the corpus."""
    walked.allow_refused = options.allow_refused
    if no_texts:
        walked.count("skipped, not UTF-8", len(no_texts))
        walked.refused += no_texts
        walked.refused.sort(key=lambda text: str(text["file"]))
    for reason, number in left_out.items():
        walked.count(reason, number)


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


class _Teller:
    """Counts the units that are done, and tells who watches."""

    def __init__(self, expected: dict[str, int], progress: Progress | None) -> None:
        self.expected, self._progress = expected, progress
        self._done: Counter[str] = Counter()
        for name in expected:
            self._tell(name)

    def plan(self, units: Sequence[Unit]) -> None:
        """Replace what was expected of experiments by what is planned for the second stage."""
        planned = Counter(unit.experiment for unit in units)
        for name, number in planned.items():
            self.expected[name] = self._done[name] + number
            self._tell(name)

    def done(self, unit: Unit) -> None:
        """Count a unit."""
        self._done[unit.experiment] += 1
        self._tell(unit.experiment)

    def _tell(self, name: str) -> None:
        if self._progress:
            self._progress(name, self._done[name], self.expected[name])


def _do(
    units: Sequence[Unit],
    run: Callable[[Unit], Experiment],
    options: VerifyOptions,
    workers: Executor,
    tell: _Teller,
) -> dict[str, list[Experiment]]:
    """Return what the units show, by experiment, in the order of their numbers."""
    outcomes: dict[tuple[str, int], Experiment] = {}
    asked = {
        workers.submit(Timed(run, name_unit(unit), _find_limit(unit, options)), unit): unit
        for unit in units
    }
    for unit, outcome in gather(asked):
        outcomes[unit.experiment, unit.number] = outcome
        tell.done(unit)
    found: dict[str, list[Experiment]] = {}
    for name, number in sorted(outcomes):
        found.setdefault(name, []).append(outcomes[name, number])
    return found


def _find_limit(unit: Unit, options: VerifyOptions) -> float:
    """Return the seconds that a unit may take; what compiles has the compiler's own bounds."""
    is_compiling = unit.experiment == "raw store" and unit.document is None
    return 0 if is_compiling else options.part_seconds


def _join(name: str, kind: Kind, outcomes: Iterable[Experiment]) -> Experiment:
    joined = Experiment(name, kind.needed, lack=kind.lack, refused_by=kind.refused_by)
    for outcome in outcomes:
        joined.add(outcome)
    return joined
