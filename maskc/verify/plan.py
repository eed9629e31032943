"""Which units is a verification made of?

The first stage needs nothing but the corpus; the second draws from the texts that the first has
found to be parsed by Lark. Plans depend on options and texts only, never on how many processes
there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from maskc.artifact.checksums import read_checksum
from maskc.errors import ArtifactError
from maskc.verify import corpus, generation, mutation, positions, raw, segmentation
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions
from maskc.verify.subject import Subject

_RAW_PER_DOCUMENT = 200  # positions


@dataclass(frozen=True, slots=True)
class Kind:
    """An experiment.

    Attributes:
        needed: the count that must not be zero for the experiment to say anything.
        run: does a unit and records what it shows.
        lack: what is missing if that count is zero.
    """

    needed: str
    run: Callable[[Subject, Unit, Experiment], None]
    lack: str


# In the order of the report.
_NO_TEXT = "there was no text that Lark parses"
KINDS = {
    "corpus": Kind(
        "files that Lark parses", corpus.walk_file, "Lark parses none of the files of the corpus"
    ),
    "generation": Kind("texts", generation.check_generation, "no text was generated"),
    "oracle": Kind("comparisons", positions.compare_masks, f"{_NO_TEXT} to compare masks in"),
    "segmentation": Kind("stretches", segmentation.check_segmentations, f"{_NO_TEXT} to cut"),
    "mutation": Kind("mutated texts", mutation.check_mutations, f"{_NO_TEXT} to change"),
    "raw store": Kind("positions", raw.compare_with_raw, f"{_NO_TEXT} to compare masks in"),
}


def name_unit(unit: Unit) -> str:
    """Return what a unit is called where it is told that it took too long."""
    about = unit.document.name if unit.document is not None else f"part {unit.number + 1}"
    return f"{about}: experiment {unit.experiment}"


def run_unit(subject: Subject, unit: Unit) -> Experiment:
    """Return what a unit shows."""
    kind = KINDS[unit.experiment]
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
def _open_subject(path: str, checksum: str, options: VerifyOptions, folder: Path) -> Subject:
    if read_checksum(path) != checksum:
        raise ArtifactError(
            path,
            "is another file where a part of the work is done",
            "let all machines see the same folder, and write no artifact meanwhile",
        )
    return Subject(path, options, folder)


def expect_units(options: VerifyOptions, n_files: int) -> dict[str, int]:
    """Return about how many units the experiments asked for have, in the order of the report."""
    expected = {
        "corpus": n_files,
        "generation": -(-options.texts // generation.PER_UNIT),
        "oracle": -(-options.positions // positions.PER_DOCUMENT),
        "segmentation": -(-options.stretches // segmentation.PER_DOCUMENT),
        "mutation": -(-options.mutations // mutation.PER_DOCUMENT),
        "raw store": 1 + -(-options.raw_positions // _RAW_PER_DOCUMENT),
    }
    if not options.raw_positions:
        del expected["raw store"]
    return {name: number for name, number in expected.items() if number or name == "corpus"}


def plan_first(options: VerifyOptions, files: Sequence[Document]) -> list[Unit]:
    """Return the units that need no text but the files."""
    units = []
    if options.raw_positions:
        units.append(Unit("raw store", 0, "", 0))  # compiles, and so takes longest
    for number in range(-(-options.texts // generation.PER_UNIT)):
        amount = min(generation.PER_UNIT, options.texts - number * generation.PER_UNIT)
        units.append(Unit("generation", number, "", amount))
    units += [Unit("corpus", number, "", 1, file) for number, file in enumerate(files)]
    return units


def plan_second(options: VerifyOptions, documents: Sequence[Document]) -> list[Unit]:
    """Return the units that take texts that Lark parses."""
    if not documents:
        return []
    written = [document for document in documents if document.text]
    short = [d for d in written if len(d.text) <= mutation.MOST_BYTES] or written
    return [
        *_draw_units("oracle", options, options.positions, positions.PER_DOCUMENT, documents),
        *_draw_units(
            "segmentation", options, options.stretches, segmentation.PER_DOCUMENT, documents
        ),
        *_draw_units("mutation", options, options.mutations, mutation.PER_DOCUMENT, short),
        *_plan_raw(options, documents),
    ]


def _draw_units(
    experiment: str,
    options: VerifyOptions,
    amount: int,
    per_unit: int,
    documents: Sequence[Document],
) -> Iterator[Unit]:
    """Yield units that do ``amount`` things together, each in a text drawn for it.

    Every fourth takes a text with characters of several bytes, if there is one.
    """
    wide = [document for document in documents if not document.text.isascii()]
    for number in range(-(-amount // per_unit) if documents else 0):
        seed = f"{experiment}:{options.seed}:{number}"
        choice = wide if wide and number % 4 == 3 else documents
        document = choice[Random(seed).randrange(len(choice))]
        here = min(per_unit, amount - number * per_unit)
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
