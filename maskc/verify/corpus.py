"""Experiment 1: is every text that Lark parses accepted, token by token, and no other?

Each file is tokenised as the model's tokenizer does it. If Lark parses the file, each next token
must be legal and the end must be legal behind the last one. If Lark refuses it, the walk must
get stuck, or the end must be illegal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lark import Lark
from lark.exceptions import LarkError

from maskc.errors import GrammarError, TokenizerError
from maskc.runtime.artifact import Artifact
from maskc.verify.model import Experiment, Progress, place_of
from maskc.vocab import Encoder


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the corpus: where it is, what it says, and whether Lark parses it."""

    name: str
    text: str
    parsed: bool


def find_files(paths: Sequence[str], max_bytes: int) -> list[Path]:
    """Return the files given, and of each folder those with its most common suffix, in order.

    Raises:
        GrammarError: a path does not exist.
    """
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = [p for p in sorted(path.rglob("*")) if p.is_file() and not _is_private(p)]
            suffixes = Counter(p.suffix for p in inside if p.suffix)
            if suffixes:
                most = min(suffixes, key=lambda suffix: (-suffixes[suffix], suffix))
                found += [p for p in inside if p.suffix == most]
        elif path.is_file():
            found.append(path)
        else:
            raise GrammarError(name, "is no file or folder; give --corpus a path that exists")
    return [path for path in found if path.stat().st_size <= max_bytes]


def _is_private(path: Path) -> bool:
    """Tell whether a file is compiled or installed rather than written."""
    return bool({"__pycache__", "site-packages", ".git"} & set(path.parts))


def choose_files(files: Sequence[Path], n_files: int, seed: int) -> list[Path]:
    """Return so many files, chosen at random, in order."""
    if len(files) <= n_files:
        return list(files)
    return sorted(Random(seed).sample(list(files), n_files))


def parses(lark: Lark, text: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises more than ``LarkError``."""
    try:
        lark.parse(text)
    except (LarkError, IndexError, AssertionError):
        return False
    return True


def walk_corpus(
    artifact: Artifact,
    lark: Lark,
    encoder: Encoder,
    files: Sequence[Path],
    progress: Progress,
) -> tuple[Experiment, list[Document]]:
    """Return the outcome, and the documents that Lark parses."""
    experiment = Experiment("corpus", needed="files")
    documents = []
    for number, path in enumerate(files):
        progress("corpus", number / len(files))
        document = _read(path, lark, experiment)
        if document is None:
            continue
        try:
            tokens = encoder.encode(document.text)
        except TokenizerError:
            experiment.count("skipped, not in the vocabulary")
            continue
        experiment.count("files")
        experiment.count("non-ASCII files", int(not document.text.isascii()))
        walk_document(artifact, document, tokens, experiment)
        if document.parsed:
            documents.append(document)
    progress("corpus", 1.0)
    return experiment, documents


def _read(path: Path, lark: Lark, experiment: Experiment) -> Document | None:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        experiment.count("skipped, not UTF-8")
        return None
    return Document(str(path), text, parses(lark, text))


def walk_document(
    artifact: Artifact, document: Document, tokens: Iterable[int], experiment: Experiment
) -> None:
    """Walk one document and record what it shows."""
    matcher = artifact.matcher()
    experiment.count("files that Lark parses" if document.parsed else "files that Lark refuses")
    written = b""
    stuck: int | None = None
    for token in tokens:
        if not matcher.accept_token(token):
            stuck = token
            break
        written += artifact.token_bytes(token) or b""
        experiment.count("tokens")
    place = place_of(document.text, len(written.decode(errors="ignore")))
    if document.parsed and stuck is not None:
        experiment.count("illegal tokens")
        experiment.fail(
            what="a token is illegal in a text that Lark parses",
            file=document.name,
            **place,
            token=repr(artifact.token_bytes(stuck)),
        )
    elif document.parsed and not matcher.is_accepting:
        experiment.fail(
            what="the end is illegal behind a text that Lark parses", file=document.name, **place
        )
    elif not document.parsed and stuck is None and matcher.is_accepting:
        experiment.fail(what="a text that Lark refuses is accepted", file=document.name, **place)
