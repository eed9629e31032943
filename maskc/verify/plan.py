"""The experiments of each kind of artifact, and the units that they are made of.

The first stage needs nothing but the corpus; the second draws from the texts that the first has
found to be legal. Plans depend on the artifact's kind, options and texts only, never on how many
processes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

from maskc.artifact.files import read_checksum
from maskc.errors import ArtifactError
from maskc.kinds import kind_of
from maskc.runtime.artifact import load
from maskc.verify.corpus import check_generation, check_segmentations, walk_file
from maskc.verify.masks import compare_masks, compare_with_raw
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions
from maskc.verify.mutation import check_mutations
from maskc.verify.subject import Subject

_PER_DOCUMENT = 5  # segments, or mutations, of one document
_RAW_PER_DOCUMENT = 200  # positions
_RAW = "optimisation"


@dataclass(frozen=True, slots=True)
class ExperimentKind:
    """An experiment."""

    needed: str  # the count that must not be zero for the experiment to say anything
    run: Callable[[Any, Unit, Experiment], None]
    lack: str  # what is missing if that count is zero
    option: str = ""  # the field of VerifyOptions that says how many things are done; "": all files
    per_unit: int = 1  # how many of them one unit does
    most: int = 1 << 60  # characters of its texts, if there are shorter ones
    refused_by: str = "Lark"  # who refuses files of the corpus

    def amounts(self, options: VerifyOptions) -> list[int]:
        """Return how many things each unit does."""
        wanted: int = getattr(options, self.option)
        return [min(self.per_unit, wanted - done) for done in range(0, wanted, self.per_unit)]


Kinds = Mapping[str, ExperimentKind]


def list_experiments(
    *,
    corpus: tuple[str, str, str],  # the count that must not be zero, what is missing, who refuses
    no_text: str,  # how it is said that later ones have nothing to check
    per_unit: int,  # texts that are drawn in one unit
    most: int,  # characters of a text that is changed
    oracle: tuple[int, int] | None = None,  # masks compared in one text, and its characters
    has_raw: bool = False,
) -> Kinds:
    """Return the experiments of a kind of artifact, in the order of the report."""
    no_draw = "no text was generated" if has_raw else "no text came to an end in the search"
    generate = partial(check_generation, per_unit=per_unit)
    cut, change, masks = (f"{no_text} to {what}" for what in ("cut", "change", "compare masks in"))
    found = {
        "corpus": ExperimentKind(corpus[0], walk_file, corpus[1], refused_by=corpus[2]),
        "generation": ExperimentKind("texts", generate, no_draw, "texts", per_unit),
    }
    if oracle is not None:
        found["oracle"] = ExperimentKind("comparisons", compare_masks, masks, "positions", *oracle)
    found["segmentation"] = ExperimentKind(
        "segments", check_segmentations, cut, "segments", _PER_DOCUMENT
    )
    found["mutation"] = ExperimentKind(
        "mutated texts", check_mutations, change, "mutations", _PER_DOCUMENT, most
    )
    if has_raw:
        found[_RAW] = ExperimentKind(
            "positions", compare_with_raw, masks, "raw_positions", _RAW_PER_DOCUMENT
        )
    return found


def name_unit(unit: Unit) -> str:
    about = unit.document.name if unit.document is not None else f"part {unit.number + 1}"
    return f"{about}: experiment {unit.experiment}"


def run_unit(subject: Subject, unit: Unit) -> Experiment:
    kind: ExperimentKind = subject.experiments[unit.experiment]
    found = Experiment(unit.experiment, kind.needed)
    subject.begin_unit()
    kind.run(subject, unit, found)
    return found


def run_unit_anywhere(
    path: str, checksum: str, options: VerifyOptions, folder: Path, unit: Unit
) -> Experiment:
    """Return what a unit shows, in a process that has heard of nothing else.

    Raises:
        ArtifactError: the file is another one here than where the verification was started.
    """
    return run_unit(_open_subject(path, checksum, options, folder), unit)


@lru_cache(maxsize=1)
def _open_subject(path: str, checksum: str, options: VerifyOptions, folder: Path) -> Subject:
    if read_checksum(path) != checksum:
        raise ArtifactError(
            path,
            "is another file where a part of the work is done",
            "let all machines see the same folder, and write no artifact meanwhile",
        )
    return kind_of(load(path).header).subject()(path, options, folder)


def expect_units(kinds: Kinds, options: VerifyOptions, n_files: int) -> dict[str, int]:
    """Return about how many units the experiments asked for have, in the order of the report."""
    expected = {
        name: len(kind.amounts(options)) if kind.option else n_files for name, kind in kinds.items()
    }
    if expected.get(_RAW):
        expected[_RAW] += 1  # compiles
    return {name: number for name, number in expected.items() if number or name == "corpus"}


def plan_first(kinds: Kinds, options: VerifyOptions, files: Sequence[Document]) -> list[Unit]:
    """Return the units that need no text but the files."""
    compiles = options.raw_positions and _RAW in kinds
    units = [Unit(_RAW, 0, "", 0)] if compiles else []  # takes longest
    for number, amount in enumerate(kinds["generation"].amounts(options)):
        units.append(Unit("generation", number, "", amount))
    units += [Unit("corpus", number, "", 1, file) for number, file in enumerate(files)]
    return units


def plan_second(kinds: Kinds, options: VerifyOptions, documents: Sequence[Document]) -> list[Unit]:
    """Return the units that take texts that are legal."""
    if not documents:
        return []
    units: list[Unit] = []
    for name in ("oracle", "segmentation", "mutation"):
        if name in kinds:
            units += _draw_units(name, kinds[name], options, documents)
    if _RAW in kinds:
        units += _plan_raw(options, documents)
    return units


def _draw_units(
    experiment: str, kind: ExperimentKind, options: VerifyOptions, documents: Sequence[Document]
) -> Iterator[Unit]:
    """Yield units that do as much as is asked together, each in a text drawn for it.

    Every fourth takes a text with characters of several bytes, if there is one.
    """
    if experiment == "mutation":
        documents = [document for document in documents if document.text]
    documents = [d for d in documents if len(d.text) <= kind.most] or documents
    wide = [document for document in documents if not document.text.isascii()]
    for number, amount in enumerate(kind.amounts(options) if documents else ()):
        seed = f"{experiment}:{options.seed}:{number}"
        choice = wide if wide and number % 4 == 3 else documents
        document = choice[Random(seed).randrange(len(choice))]
        yield Unit(experiment, number, seed, amount, document)


def _plan_raw(options: VerifyOptions, documents: Sequence[Document]) -> Iterator[Unit]:
    order = list(documents)
    Random(f"{_RAW}:{options.seed}").shuffle(order)
    n_left = options.raw_positions
    for number, document in enumerate(order, 1):
        amount = min(n_left, _RAW_PER_DOCUMENT, document.n_tokens + 1)
        if amount < 1:
            return
        n_left -= amount
        yield Unit(_RAW, number, f"{_RAW}:{options.seed}:{number}", amount, document)
