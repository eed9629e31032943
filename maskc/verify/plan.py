"""Which experiments has an artifact, and which units are they made of?

The first stage needs nothing but the corpus; the second draws from the texts that the first has
found to be legal. Plans depend on the artifact's kind, options and texts only, never on how many
processes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from maskc.artifact.checksums import read_checksum
from maskc.artifact.sections import is_link, is_schema
from maskc.errors import ArtifactError
from maskc.runtime.artifact import load
from maskc.verify import (
    corpus,
    generation,
    json_masks,
    json_mutation,
    json_schema,
    link,
    link_mutation,
    mutation,
    positions,
    raw,
    segmentation,
)
from maskc.verify.loaded import Loaded
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions
from maskc.verify.subject import Subject

_RAW_PER_DOCUMENT = 200  # positions


@dataclass(frozen=True, slots=True)
class Kind:
    """An experiment.

    Attributes:
        needed: the count that must not be zero for the experiment to say anything.
        run: does a unit of a subject and records what it shows.
        lack: what is missing if that count is zero.
        option: the field of ``VerifyOptions`` that says how many things are done; "": every file.
        per_unit: how many of them one unit does.
        most: characters of its texts, if there are shorter ones.
        refused_by: who refuses files of the corpus.
    """

    needed: str
    run: Callable[[Any, Unit, Experiment], None]
    lack: str
    option: str
    per_unit: int = 1
    most: int = 1 << 60
    refused_by: str = "Lark"

    def count(self, options: VerifyOptions) -> int:
        """Return how many units there are, if there are texts enough."""
        wanted: int = getattr(options, self.option)
        return -(-wanted // self.per_unit)


Kinds = Mapping[str, Kind]

# Each in the order of the report.
_NO_TEXT = "there was no text that Lark parses"
_NO_LEGAL = "there was no legal text"
_NO_END = "no text came to an end in the search"
GRAMMAR: Kinds = {
    "corpus": Kind(
        "files that Lark parses",
        corpus.walk_file,
        "Lark parses none of the files of the corpus",
        "",
    ),
    "generation": Kind(
        "texts", generation.check_generation, "no text was generated", "texts", generation.PER_UNIT
    ),
    "oracle": Kind(
        "comparisons",
        positions.compare_masks,
        f"{_NO_TEXT} to compare masks in",
        "positions",
        positions.PER_DOCUMENT,
    ),
    "segmentation": Kind(
        "stretches",
        segmentation.check_segmentations,
        f"{_NO_TEXT} to cut",
        "stretches",
        segmentation.PER_DOCUMENT,
    ),
    "mutation": Kind(
        "mutated texts",
        mutation.check_mutations,
        f"{_NO_TEXT} to change",
        "mutations",
        mutation.PER_DOCUMENT,
        mutation.MOST_BYTES,
    ),
    "raw store": Kind(
        "positions", raw.compare_with_raw, f"{_NO_TEXT} to compare masks in", "raw_positions"
    ),
}
JSON_SCHEMA: Kinds = {
    "corpus": Kind("texts", json_schema.walk_file, "no file of the corpus is JSON", ""),
    "generation": Kind(
        "texts", json_schema.check_generation, _NO_END, "texts", json_schema.PER_UNIT
    ),
    "oracle": Kind(
        "comparisons",
        json_masks.compare_masks,
        f"{_NO_LEGAL} to compare masks in",
        "positions",
        json_masks.PER_DOCUMENT,
        json_masks.MOST_CHARACTERS,
    ),
    "segmentation": Kind(
        "stretches",
        segmentation.check_segmentations,
        f"{_NO_LEGAL} to cut",
        "stretches",
        segmentation.PER_DOCUMENT,
    ),
    "mutation": Kind(
        "mutated texts",
        json_mutation.check_mutations,
        f"{_NO_LEGAL} to change",
        "mutations",
        json_mutation.PER_DOCUMENT,
        json_mutation.MOST_CHARACTERS,
    ),
}
LINK: Kinds = {
    "corpus": Kind(
        "accepted",
        link.walk_file,
        "no file of the corpus is a reply of this tag",
        "",
        refused_by="the tag",
    ),
    "generation": Kind("texts", link.check_generation, _NO_END, "texts", link.PER_UNIT),
    "segmentation": Kind(
        "stretches",
        link_mutation.check_cuts,
        f"{_NO_LEGAL} to cut",
        "stretches",
        link_mutation.PER_DOCUMENT,
    ),
    "mutation": Kind(
        "mutated texts",
        link_mutation.check_mutations,
        f"{_NO_LEGAL} to change",
        "mutations",
        link_mutation.PER_DOCUMENT,
        link_mutation.MOST_CHARACTERS,
    ),
}
_SUBJECTS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Kinds, type[Loaded]], ...] = (
    (is_schema, JSON_SCHEMA, json_schema.SchemaSubject),
    (is_link, LINK, link.LinkSubject),
    (lambda _: True, GRAMMAR, Subject),
)


def kinds_of(header: Mapping[str, Any]) -> Kinds:
    """Return the experiments that there are for an artifact, by name."""
    return _find(header)[0]


def _find(header: Mapping[str, Any]) -> tuple[Kinds, type[Loaded]]:
    return next((kinds, subject) for is_one, kinds, subject in _SUBJECTS if is_one(header))


def name_unit(unit: Unit) -> str:
    """Return what a unit is called where it is told that it took too long."""
    about = unit.document.name if unit.document is not None else f"part {unit.number + 1}"
    return f"{about}: experiment {unit.experiment}"


def run_unit(subject: Loaded, unit: Unit) -> Experiment:
    """Return what a unit shows."""
    kind = kinds_of(subject.artifact.header)[unit.experiment]
    found = Experiment(unit.experiment, kind.needed)
    kind.run(subject, unit, found)
    return found


def run_unit_anywhere(
    path: str, checksum: str, options: VerifyOptions, folder: Path, unit: Unit
) -> Experiment:
    """Return what a unit shows, in a process that has heard of nothing else.

    Args:
        path: of the artifact.
        checksum: of its file, where the verification was started.
        options: how much to check.
        folder: where files may be put that all units share.
        unit: the unit.

    Raises:
        ArtifactError: on this machine the file is another one.
        MaskcError: as :func:`maskc.verify.run_verify`.
    """
    return run_unit(_open_subject(path, checksum, options, folder), unit)


@lru_cache(maxsize=1)
def _open_subject(path: str, checksum: str, options: VerifyOptions, folder: Path) -> Loaded:
    if read_checksum(path) != checksum:
        raise ArtifactError(
            path,
            "is another file where a part of the work is done",
            "let all machines see the same folder, and write no artifact meanwhile",
        )
    return _find(load(path).header)[1](path, options, folder)


def expect_units(kinds: Kinds, options: VerifyOptions, n_files: int) -> dict[str, int]:
    """Return about how many units the experiments asked for have, in the order of the report."""
    expected = {
        name: kind.count(options) if kind.option else n_files for name, kind in kinds.items()
    }
    if options.raw_positions and "raw store" in kinds:
        expected["raw store"] = 1 + -(-options.raw_positions // _RAW_PER_DOCUMENT)
    return {name: number for name, number in expected.items() if number or name == "corpus"}


def plan_first(kinds: Kinds, options: VerifyOptions, files: Sequence[Document]) -> list[Unit]:
    """Return the units that need no text but the files."""
    units = []
    if options.raw_positions and "raw store" in kinds:
        units.append(Unit("raw store", 0, "", 0))  # compiles, and so takes longest
    generated = kinds["generation"]
    for number in range(generated.count(options)):
        amount = min(generated.per_unit, options.texts - number * generated.per_unit)
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
    if "raw store" in kinds:
        units += _plan_raw(options, documents)
    return units


def _draw_units(
    experiment: str, kind: Kind, options: VerifyOptions, documents: Sequence[Document]
) -> Iterator[Unit]:
    """Yield units that do as much as is asked together, each in a text drawn for it.

    Every fourth takes a text with characters of several bytes, if there is one.
    """
    if experiment == "mutation":
        documents = [document for document in documents if document.text]
    documents = [d for d in documents if len(d.text) <= kind.most] or documents
    wide = [document for document in documents if not document.text.isascii()]
    for number in range(kind.count(options) if documents else 0):
        seed = f"{experiment}:{options.seed}:{number}"
        choice = wide if wide and number % 4 == 3 else documents
        document = choice[Random(seed).randrange(len(choice))]
        here = min(kind.per_unit, getattr(options, kind.option) - number * kind.per_unit)
        yield Unit(experiment, number, seed, here, document)


def _plan_raw(options: VerifyOptions, documents: Sequence[Document]) -> Iterator[Unit]:
    """Yield units of consecutive positions, from as many texts as are needed."""
    order = list(documents)
    Random(f"raw store:{options.seed}").shuffle(order)
    n_left = options.raw_positions
    for number, document in enumerate(order, 1):
        amount = min(n_left, _RAW_PER_DOCUMENT, document.n_tokens + 1)
        if amount < 1:
            return
        n_left -= amount
        yield Unit("raw store", number, f"raw store:{options.seed}:{number}", amount, document)
