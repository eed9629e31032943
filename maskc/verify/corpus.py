"""Experiment 1: is every text that Lark parses accepted, token by token, and no other?

Each file is tokenised as the model's tokenizer does it. If Lark parses the file, each next token
must be legal and the end must be legal behind the last one. If Lark refuses it, the walk must
get stuck, or the end must be illegal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lark import Lark
from lark.exceptions import LarkError

from maskc.errors import TokenizerError
from maskc.runtime.artifact import Artifact
from maskc.verify.files import read_text
from maskc.verify.model import Experiment, Progress, place_of
from maskc.vocab import Encoder


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the corpus: where it is, what it says, and whether Lark parses it."""

    name: str
    text: str
    parsed: bool


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
    text = read_text(path)
    if text is None:
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
