"""A corpus as the tokens that the model's tokenizer makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from maskc.errors import GrammarError, TokenizerError
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.plan.replies import encode_reply, names_of
from maskc.verify.files import read_text
from maskc.vocab import Encoder


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the corpus.

    Attributes:
        name: its path.
        tokens: canonical ids; their bytes concatenate to the file's.
    """

    name: str
    tokens: tuple[int, ...] = field(repr=False)


def read_documents(
    artifact: Artifact, encoder: Encoder, files: Sequence[Path], max_bytes: int
) -> tuple[list[Document], int]:
    """Return the documents, and how many files are left out.

    Left out are files that are empty, no UTF-8, or have a character that no token writes.

    Raises:
        GrammarError: none has a legal first token: this is no corpus of the grammar.
    """
    documents, names = [], names_of(artifact.header)
    for path in files:
        try:
            text = read_text(path, max_bytes)
            tokens = tuple(encode_reply(text, names, encoder.encode))
        except (UnicodeDecodeError, TokenizerError):
            continue
        if tokens:
            documents.append(Document(str(path), tokens))
    if not any(artifact.matcher().accept_token(document.tokens[0]) for document in documents):
        raise GrammarError(
            artifact.header["grammar"]["name"],
            f"no text of the corpus ({len(files)} files) begins with a legal token; "
            "give --corpus texts of this grammar",
        )
    return documents, len(files) - len(documents)
