"""Checks that an artifact is compiled for the tokenizer that a model runs with.

Fingerprints that are equal settle the question, for the artifact's is computed from its arrays and
not read from its header; otherwise the bytes of every token are compared, since the fingerprint
also covers what need not agree, such as the width of the padding and further end-of-sequence ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from maskc.errors import UnreadableFileError, VocabularyMismatchError
from maskc.files import open_regular
from maskc.runtime.artifact import Artifact
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary


def check_vocabulary(artifact: Artifact, name: str, vocabulary: Vocabulary) -> None:
    """Check that an artifact's tokens are the model's, byte for byte."""
    if artifact.fingerprint == vocabulary.fingerprint:
        return
    if vocabulary.added:
        vocabulary = vocabulary.take_added(artifact.is_text)
    difference = _find_difference(artifact, vocabulary)
    if difference:
        raise VocabularyMismatchError(
            name,
            str(artifact.header["tokenizer"].get("name")),
            f"{vocabulary.name}, where {difference},",
        )


def read_vocabulary(tokenizer: Any, *, vocab_size: int, eos_ids: Iterable[int]) -> Vocabulary:
    """Return the vocabulary of a tokenizer, as wide as the model's logits, with its ends."""
    return load_vocabulary(tokenizer, vocab_size=vocab_size, eos_ids=tuple(eos_ids))


def _find_difference(artifact: Artifact, vocabulary: Vocabulary) -> str | None:
    """Return the first thing that forbids using both together, ``None`` if nothing does."""
    if artifact.vocab_size > vocabulary.vocab_size:
        return (
            f"the model's logits have {vocabulary.vocab_size} ids "
            f"and the artifact's masks {artifact.vocab_size}"
        )
    for token_id, theirs in enumerate(vocabulary.tokens):
        ours = artifact.token_bytes(token_id)
        if ours != theirs:
            return (
                f"token {token_id} is {_format(ours)} in the artifact "
                f"and {_format(theirs)} in the model"
            )
    if not set(artifact.eos_ids) & set(vocabulary.eos_ids):
        return (
            f"the artifact's texts end with {_format_ids(artifact.eos_ids)} "
            f"and the model's with {_format_ids(vocabulary.eos_ids)}"
        )
    return None


def _format(token: bytes | None) -> str:
    return "no text" if token is None else repr(token)


def _format_ids(ids: tuple[int, ...]) -> str:
    return f"token {ids[0]}" if len(ids) == 1 else f"one of {ids}"


_N_CHECKSUM = 32


class Identity(NamedTuple):
    """A file's device and inode, size and times, and the checksum at its end."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    checksum: bytes


def identify(path: Path) -> Identity:
    """Return the identity of the file that lies at a path now."""
    file = open_regular(path)
    try:
        found = os.fstat(file)
        os.lseek(file, max(0, found.st_size - _N_CHECKSUM), os.SEEK_SET)
        checksum = os.read(file, _N_CHECKSUM)
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
        raise UnreadableFileError(str(path), reason, "check its folder") from None
    finally:
        os.close(file)
    return Identity(
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, checksum
    )
