"""Options, units of work and report of ``maskc verify``.

An experiment is cut into *units*. What comes of a unit depends on the unit alone, so that units
can be done in any order, in any process, and the report is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from maskc.limits import Limits
from maskc.verify.characters import UTF8

# An experiment's name, how many of its units are done, how many it has.
Progress = Callable[[str, int, int], None]

MAX_FAILURES = 20  # witnesses kept of each experiment; all are counted
N_BEFORE, N_AFTER = 80, 40  # characters shown around a witness


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How much to check."""

    files: int = 300  # of the corpus, to walk
    max_bytes: int = 100_000  # longer files are left out
    texts: int = 40  # to generate
    max_tokens: int = 400  # after which a text is steered to its end
    positions: int = 400  # whose masks are compared with the oracle
    segments: int = 200  # ranges of texts, to cut into tokens in every way
    mutations: int = 300  # texts to change
    raw_positions: int = 2_000  # where masks are compared with those before optimisation
    seed: int = 0  # of all that is chosen at random
    tokenizer: str | None = None  # where it is, if the artifact's name for it does not find it
    start: str | None = None  # the start symbol; None: the artifact's first one
    allow_refused: bool = False  # refused files are no failure, as long as one is not
    part_seconds: float = 300.0  # of the clock, for one unit
    limits: Limits | None = None  # of building Lark's parser, and of compiling without optimisation
    resources: Mapping[str, Any] | None = field(default=None, compare=False)  # of a JSON Schema


class Outcome(Enum):
    """How an experiment, or the whole of them, ended."""

    PASSED = "passed"
    FAILED = "failed"  # the artifact is wrong, and a witness says where
    REFUSED = "texts were refused"  # by the judge; the artifact did as it should
    NOTHING = "nothing was checked"


@dataclass(frozen=True, slots=True)
class Document:
    """A legal text, or a file of which that is to be found out."""

    name: str  # path of the file, or what the text is
    text: str
    n_tokens: int = 0  # that the model's tokenizer makes of it; 0 if not known
    encoding: str = UTF8

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of an experiment that is done by itself."""

    experiment: str
    number: int  # tells it from the experiment's other units, and gives their order
    seed: str
    amount: int  # how many of its things to do
    document: Document | None = None  # what it is about, if it is about one text

    @property
    def about(self) -> Document:
        if self.document is None:
            raise ValueError(f"unit {self.number} of experiment {self.experiment} has no document")
        return self.document


@dataclass(slots=True)
class Experiment:
    """The outcome of an experiment, or of one of its units.

    Of each text that the judge refuses ``refused`` has the file, line and column, what is there,
    and what was expected.
    """

    name: str
    needed: str  # the count that must not be zero for the experiment to say anything
    counts: dict[str, int] = field(default_factory=dict)  # what was done, by name
    failures: list[Mapping[str, Any]] = field(default_factory=list)  # the first MAX_FAILURES
    documents: list[Document] = field(default_factory=list)  # legal, for later experiments
    refused: list[Mapping[str, Any]] = field(default_factory=list)
    allow_refused: bool = False  # refused texts are no failure
    lack: str = ""  # what is missing where nothing was checked
    refused_by: str = "Lark"

    def count(self, name: str, by: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + by

    def fail(self, **witness: Any) -> None:
        self.count("failures")
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(witness)

    def fail_at(self, what: str, document: Document, offset: int, **sides: str) -> None:
        """Count a failure at a byte of a text; ``sides``: the token, and what each side says."""
        self.fail(what=what, file=document.name, **describe_offset(document.data, offset), **sides)

    def add(self, other: Experiment) -> None:
        for name, number in other.counts.items():
            self.count(name, number)
        self.failures += other.failures[: MAX_FAILURES - len(self.failures)]
        self.documents += other.documents
        self.refused += other.refused

    @property
    def outcome(self) -> Outcome:
        """How it ended; what is wrong with the artifact comes first."""
        if self.counts.get("failures"):
            return Outcome.FAILED
        if not self.counts.get(self.needed):
            return Outcome.NOTHING
        return Outcome.REFUSED if self.refused and not self.allow_refused else Outcome.PASSED

    @property
    def ok(self) -> bool:
        """Whether nothing failed, something was checked, and no text was refused that must not."""
        return self.outcome is Outcome.PASSED

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ok": self.ok,
            "outcome": self.outcome.value,
            "lack": self.lack if self.outcome is Outcome.NOTHING else None,
            "checked": {self.needed: self.counts.get(self.needed, 0)},
            "counts": self.counts,
            "failures": [dict(witness) for witness in self.failures],
            "refused": [dict(text) for text in self.refused],
            "refused_by": self.refused_by,
        }


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The outcome of all experiments that were asked for."""

    experiments: tuple[Experiment, ...]  # in the order in which they are described
    # versions of Unicode, the artifact's and this Python's, if they differ: then the judge reads
    # patterns with other tables of characters than the compiler did
    unicode: tuple[str, str] | None = None

    @property
    def ok(self) -> bool:
        """Whether every experiment passed."""
        return all(experiment.ok for experiment in self.experiments)

    @property
    def is_wrong(self) -> bool:
        """Whether the artifact is wrong; if it is not, it need not have been verified."""
        return any(experiment.outcome is Outcome.FAILED for experiment in self.experiments)

    def to_dict(self) -> dict[str, Any]:
        versions = dict(zip(("artifact", "python"), self.unicode or (), strict=False)) or None
        return {
            "ok": self.ok,
            "wrong": self.is_wrong,
            "unicode": versions,
            "experiments": [experiment.to_dict() for experiment in self.experiments],
        }


def describe_offset(data: bytes, offset: int) -> dict[str, Any]:
    """Return line, byte offset, and the text around an offset, for a witness."""
    around = slice(max(0, offset - 4 * N_BEFORE), offset), slice(offset, offset + 4 * N_AFTER)
    before, after = (data[part].decode(errors="replace") for part in around)
    return {
        "line": data.count(b"\n", 0, offset) + 1,
        "offset": offset,
        "before": before[-N_BEFORE:],
        "after": after[:N_AFTER],
    }


def legality(*, is_legal: bool) -> str:
    return "legal" if is_legal else "illegal"
