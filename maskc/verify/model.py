"""What ``maskc verify`` works on and says: files of a corpus, options, units of work, the report.

What lies in a folder may be anybody's: links that lead out of it, and what is not a regular file,
are left out and counted, and so are files that are too long. A file that is named may be a link.

An experiment is cut into *units*. What comes of a unit depends on the unit alone, so that units
can be done in any order, in any process, and the report is the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

from maskc.errors import GrammarError
from maskc.files import find_inside, read_bounded
from maskc.limits import Limits
from maskc.verify.characters import UTF8

LINKS_OUT = "left out, links out of the folder"
IRREGULAR = "left out, no regular files"
TOO_LONG = "left out, too long"

# An experiment's name, how many of its units are done, how many it has.
Progress = Callable[[str, int, int], None]

MAX_FAILURES = 20  # witnesses kept of each experiment; all are counted
N_BEFORE, N_AFTER = 80, 40  # characters shown around a witness


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a corpus."""

    files: tuple[Path, ...]
    left_out: Mapping[str, int]  # how many files are not among them, by the reason


def find_corpus(paths: Sequence[str], max_bytes: int) -> Corpus:
    """Return the files given, and of each folder those with its most common suffix, in order.

    Raises:
        GrammarError: a path does not exist or is no file or folder, or no file is left.
    """
    found: list[Path] = []
    left_out: Counter[str] = Counter()
    for name in paths:
        path = Path(name)
        if os.path.isdir(path):
            inside = list(_list_folder(path, left_out))
            suffixes = Counter(p.suffix for p in inside if p.suffix)
            if suffixes:
                most = min(suffixes, key=lambda suffix: (-suffixes[suffix], suffix))
                found += [p for p in inside if p.suffix == most]
        elif os.path.isfile(path):
            found.append(path)
        else:
            kind = "is not a regular file" if os.path.lexists(path) else "is no file or folder"
            raise GrammarError(name, f"{kind}; give --corpus a path that exists")
    small = [path for path in found if path.stat().st_size <= max_bytes]
    if len(small) < len(found):
        left_out[TOO_LONG] = len(found) - len(small)
    if not small:
        reasons = "".join(f" ({number:,} {reason})" for reason, number in sorted(left_out.items()))
        raise GrammarError(
            ", ".join(paths),
            f"holds no file of at most {max_bytes:,} bytes{reasons}; give --corpus other paths",
        )
    return Corpus(tuple(small), dict(sorted(left_out.items())))


def _list_folder(folder: Path, left_out: Counter[str]) -> Iterator[Path]:
    """Yield the regular files that lie below a folder, in order; count what is none."""
    found = [Path(inner, name) for inner, _, names in os.walk(folder) for name in names]
    for path in sorted(found):
        if not {"__pycache__", "site-packages", ".git"}.isdisjoint(path.parts):
            continue
        # Folders that are links are not entered: without a link of its own a file is inside.
        if path.is_symlink() and find_inside(folder, path) is None:
            left_out[LINKS_OUT] += 1
        elif not os.path.isfile(path):  # or a link to nowhere, or a file that has just gone
            left_out[IRREGULAR] += 1
        else:
            yield path


def choose_files(files: Sequence[Path], n_files: int, seed: int) -> list[Path]:
    """Return so many files, chosen at random, in order."""
    if len(files) <= n_files:
        return list(files)
    return sorted(Random(seed).sample(list(files), n_files))


def read_text(path: Path, max_bytes: int, encoding: str = "utf-8") -> str:
    """Return what a file says, line ends as they are.

    Raises:
        UnreadableFileError: it is larger, unreadable, or no regular file any more.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bounded(path, max_bytes).decode(encoding)


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
