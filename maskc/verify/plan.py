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
from typing import Any, NamedTuple

from maskc.artifact.checksums import read_checksum
from maskc.errors import ArtifactError
from maskc.kinds import kind_of
from maskc.runtime.artifact import load
from maskc.verify.corpus import check_generation, check_segmentations, walk_file
from maskc.verify.grammar import GrammarSubject
from maskc.verify.masks import compare_masks, compare_with_raw
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions
from maskc.verify.mutation import check_mutations
from maskc.verify.schema import SchemaSubject
from maskc.verify.subject import Subject
from maskc.verify.tag import TagSubject

_PER_DOCUMENT = 5  # stretches, or mutations, of one document
_RAW_PER_DOCUMENT = 200  # positions


@dataclass(frozen=True, slots=True)
class ExperimentKind:
    """An experiment."""

    needed: str  # the count that must not be zero for the experiment to say anything
    run: Callable[[Any, Unit, Experiment], None]
    lack: str  # what is missing if that count is zero
    option: str  # the field of VerifyOptions that says how many things are done; "": every file
    per_unit: int = 1  # how many of them one unit does
    most: int = 1 << 60  # characters of its texts, if there are shorter ones
    refused_by: str = "Lark"  # who refuses files of the corpus

    def count(self, options: VerifyOptions) -> int:
        wanted: int = getattr(options, self.option)
        return -(-wanted // self.per_unit)


Kinds = Mapping[str, ExperimentKind]


class Verification(NamedTuple):
    """The experiments of a kind of artifact, by name in the order of the report, and its judge."""

    experiments: Kinds
    subject: type[Subject]


def _list_kinds(
    corpus: ExperimentKind,
    *,
    no_text: str,  # how it is said that later ones have nothing to check
    per_unit: int,  # texts that are drawn in one unit
    most: int,  # characters of a text that is changed
    oracle: tuple[int, int] | None = None,  # masks compared in one text, and its characters
    has_raw: bool = False,
) -> Kinds:
    """Return the experiments of a kind of artifact, in the order of the report."""
    no_draw = "no text was generated" if has_raw else "no text came to an end in the search"
    generate = partial(check_generation, per_unit=per_unit)
    found = {
        "corpus": corpus,
        "generation": ExperimentKind("texts", generate, no_draw, "texts", per_unit),
    }
    no_masks = f"{no_text} to compare masks in"
    if oracle is not None:
        found["oracle"] = ExperimentKind(
            "comparisons", compare_masks, no_masks, "positions", *oracle
        )
    cut, change = f"{no_text} to cut", f"{no_text} to change"
    found["segmentation"] = ExperimentKind(
        "stretches", check_segmentations, cut, "stretches", _PER_DOCUMENT
    )
    found["mutation"] = ExperimentKind(
        "mutated texts", check_mutations, change, "mutations", _PER_DOCUMENT, most
    )
    if has_raw:
        found["raw store"] = ExperimentKind(
            "positions", compare_with_raw, no_masks, "raw_positions"
        )
    return found


_NO_LEGAL = "there was no legal text"
GRAMMAR = Verification(
    _list_kinds(
        ExperimentKind(
            "files that Lark parses", walk_file, "Lark parses none of the files of the corpus", ""
        ),
        no_text="there was no text that Lark parses",
        per_unit=2,
        most=20_000,  # Lark parses every mutation from its start
        oracle=(20, 1 << 60),  # a text is lexed once for all of them
        has_raw=True,
    ),
    GrammarSubject,
)
JSON_SCHEMA = Verification(
    _list_kinds(
        ExperimentKind(
            "texts", walk_file, "no file of the corpus is JSON", "", refused_by="the judge"
        ),
        no_text=_NO_LEGAL,
        per_unit=4,
        most=20_000,
        oracle=(10, 5_000),
    ),
    SchemaSubject,
)
_NO_REPLY = "no file of the corpus is a reply of this tag"
LINK = Verification(
    _list_kinds(
        ExperimentKind("accepted", walk_file, _NO_REPLY, "", refused_by="the tag"),
        no_text=_NO_LEGAL,
        per_unit=4,
        most=5_000,
    ),
    TagSubject,
)


def name_unit(unit: Unit) -> str:
    about = unit.document.name if unit.document is not None else f"part {unit.number + 1}"
    return f"{about}: experiment {unit.experiment}"


def run_unit(subject: Subject, unit: Unit) -> Experiment:
    kind = kind_of(subject.artifact.header).verification().experiments[unit.experiment]
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
    subject = kind_of(load(path).header).verification().subject
    return subject(path, options, folder)


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
    experiment: str, kind: ExperimentKind, options: VerifyOptions, documents: Sequence[Document]
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
