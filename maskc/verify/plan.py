"""The experiments of each kind of artifact, and the units that they are made of.

The first stage needs nothing but the corpus; the second draws from the texts that the first has
found to be legal. Plans depend on the artifact's kind, options and texts only, never on how many
processes there are.

Experiments 1, 2 and 4 walk whole texts, of a corpus and drawn ones, and their cuts into tokens. A
unit of *corpus* is a file, of *generation* a few texts, of *segmentation* a text with a few
segments. To the start of a segment leads a random cut of everything before it. Inside, *every* cut
is checked: one byte at a time gives the configuration at each byte; each token that the text holds
there must be legal, and must lead to the configuration at its end. By induction so does any
sequence of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from maskc.errors import ArtifactError, TokenizerError
from maskc.files import read_checksum
from maskc.kinds import kind_of
from maskc.runtime.artifact import load
from maskc.runtime.matcher import Matcher
from maskc.verify.masks import compare_masks, compare_with_raw
from maskc.verify.model import Document, Experiment, Unit, VerifyOptions, legality
from maskc.verify.mutation import check_mutations
from maskc.verify.subject import Cursor, Subject, is_whole

_PER_DOCUMENT = 5  # segments, or mutations, of one document
_RAW_PER_DOCUMENT = 200  # positions
_RAW = "optimisation"

_SHOWN = 400  # characters of a witness
_N_BYTES = 80  # length of a segment


@dataclass(frozen=True, slots=True)
class ExperimentKind:
    """An experiment."""

    needed: str  # the count that must not be zero for the experiment to say anything
    run: Callable[[Any, Unit], None]
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
    cut, change, masks = (f"{no_text} to {what}" for what in ("cut", "change", "compare masks in"))
    found = {
        "corpus": ExperimentKind(corpus[0], walk_file, corpus[1], refused_by=corpus[2]),
        "generation": ExperimentKind("texts", check_generation, no_draw, "texts", per_unit),
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
    subject.found = found = Experiment(unit.experiment, kind.needed)
    subject.begin_unit()
    kind.run(subject, unit)
    return found


def run_unit_anywhere(
    path: str, checksum: str, options: VerifyOptions, folder: Path, unit: Unit
) -> Experiment:
    """Return what a unit shows, in a process that has heard of nothing else."""
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
    """Yield units, each in a text drawn for it; every fourth in one that is not ASCII, if any."""
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


def walk_file(subject: Subject, unit: Unit) -> None:
    """Walk the unit's file, and what else it says, and record what that shows."""
    try:
        own_tokens = subject.encode(unit.about.text)
    except TokenizerError:
        subject.found.count("skipped, not in the vocabulary")
        return
    for document, verdict in subject.judge_file(unit.about):
        is_file = document is unit.about
        tokens = own_tokens if is_file else subject.encode(document.text)
        walked = subject.walk(document, tokens, masks=not subject.has_long_texts)
        subject.found.count("tokens", walked.n_taken)
        if verdict is not None and verdict != walked.is_accepted:
            taken_by = f"{subject.judge_name} {subject.takes}"
            _fail(subject, document, walked, taken_by if verdict else None)
        # What only one side takes shows more in later experiments.
        if not subject.found.documents and (verdict or walked.is_accepted):
            subject.found.documents.append(replace(document, n_tokens=len(tokens)))


def check_generation(subject: Subject, unit: Unit) -> None:
    """Draw the unit's texts, and record where the judge and the masks do not agree."""
    first = unit.number * subject.experiments[unit.experiment].per_unit
    for number in range(first, first + unit.amount):
        text = subject.draw(number)
        if text is None:
            continue
        name = subject.name_of(number)
        document = Document(name, text, encoding=subject.encoding)
        subject.found.count("texts")
        subject.found.count("characters", len(text))
        verdict = subject.verdict(text)
        if verdict is False:
            subject.found.fail(
                what=f"a text that the masks allow is refused by {subject.judge_name}",
                file=name,
                text=text[:_SHOWN],
                maskc="legal",
                **{subject.side: "refuses the text"},
            )
            continue
        try:
            tokens = subject.encode(text)
        except TokenizerError:
            subject.found.count("not in the vocabulary")
            continue
        subject.found.documents.append(replace(document, n_tokens=len(tokens)))
        walked = subject.walk(document, tokens, masks=True)
        subject.found.count("tokens", walked.n_taken)
        if not walked.is_accepted:
            taken_by = f"{subject.judge_name} {subject.takes}" if verdict else "the masks allow"
            _fail(subject, document, walked, taken_by)


def _fail(subject: Subject, document: Document, walked: Cursor, taken_by: str | None) -> None:
    """Record that a text is refused, or taken (``taken_by`` is ``None``), wrongly."""
    stuck = walked.following
    if taken_by is None:
        what = f"a text that {subject.judge_name} refuses is accepted"
    elif stuck is None:
        what = f"the end is illegal after a text that {taken_by}"
    else:
        what = f"a token is illegal in a text that {taken_by}"
        subject.found.count("illegal tokens")
    subject.found.fail_at(
        what,
        document,
        walked.n_written,
        token="the end" if stuck is None else repr(subject.written(stuck)),
        maskc=legality(is_legal=walked.is_accepted),
        **{subject.side: f"{subject.takes if taken_by else 'refuses'} the text"},
    )


def check_segmentations(subject: Subject, unit: Unit) -> None:
    if subject.cut_matters:
        subject.found.count("not compared, since the tag is about tokens")
        return
    document, draw, data = unit.about, Random(unit.seed), unit.about.data
    here, other = Cursor(subject, subject.encode(document.text)), subject.artifact.matcher()
    atom_starts = [start for start, _, _ in subject.atoms(data)]
    for n_tokens in sorted(draw.choices(range(len(here.tokens) + 1), k=unit.amount)):
        start = here.n_written
        # Where the model's own tokens are illegal, the corpus fails.
        if not here.go_to(n_tokens):
            return
        cut = Cursor(subject, subject.cut(data[start : here.n_written], draw), other)
        subject.found.count("tokens of random cuts", len(cut.tokens))
        if not cut.go_to(len(cut.tokens)):
            refused = subject.written(cut.tokens[cut.n_taken])
            _fail_cut(subject, "a token is refused", document, start + cut.n_written, refused)
            return
        if here.matcher.configuration() != other.configuration():
            _fail_cut(subject, "two cuts of the text lead apart", document, here.n_written)
            return
        subject.found.count("segments")
        ends = (at for at in atom_starts if at >= here.n_written)
        end = min(here.n_written + _N_BYTES, *ends, len(data))
        _check_segment(subject, document, here.n_written, end, other)


def _check_segment(
    subject: Subject, document: Document, start: int, end: int, matcher: Matcher
) -> None:
    """Check every cut of the bytes from a start to an end."""
    data, matchers = document.data[:end], [matcher.fork()]
    for offset in range(start, end):
        after = matchers[-1].fork()
        if not after.accept_bytes(data[offset : offset + 1]):
            _fail_cut(subject, "a byte is refused", document, offset, data[offset : offset + 1])
            return
        matchers.append(after)
    configurations = [m.configuration() for m in matchers]
    subject.found.count("bytes", end - start)
    for offset in range(start, end):
        here = matchers[offset - start]
        legal = subject.legal(here)
        for length, ids in subject.segments.at(data, offset):
            for token in ids:
                subject.found.count("tokens")
                after = here.fork()
                if not legal[token]:
                    what = "the mask forbids a token"
                elif not after.accept_token(token):
                    what = "a token is legal and refused"
                elif after.configuration() != configurations[offset - start + length]:
                    what = "a token leads elsewhere than its bytes"
                else:
                    continue
                _fail_cut(subject, what, document, offset, data[offset : offset + length])
    if data == document.data and not is_whole(matchers[-1]):
        _fail_cut(subject, "the end is illegal", document, end)


def _fail_cut(
    subject: Subject, what: str, document: Document, offset: int, token: bytes | None = None
) -> None:
    shown = "the end" if token is None else repr(token)
    subject.found.fail_at(f"{what} in a legal text", document, offset, token=shown)
