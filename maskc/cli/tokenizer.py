"""Is the tokenizer that a user names the one that an artifact was compiled for?

And what is it called in the name of a file?
"""

from __future__ import annotations

from pathlib import Path

from maskc.errors import ArtifactError, VocabularyMismatchError
from maskc.runtime.artifact import Artifact

_SUFFIXES = (".json", ".model", ".tiktoken")


def check_tokenizer(path: str, artifact: Artifact, spec: str) -> None:
    """Check that both have the same tokens, padded to the artifact's size, and the same ends.

    Raises:
        TokenizerError: the tokenizer cannot be read.
        VocabularyMismatchError: it is another one.
    """
    from maskc.vocab import Vocabulary, load_vocabulary

    found = load_vocabulary(spec)
    padding = (None,) * (artifact.vocab_size - found.vocab_size)
    padded = Vocabulary(found.tokens + padding, found.eos_ids, found.name)
    if padded.fingerprint != artifact.fingerprint:
        raise VocabularyMismatchError(
            path,
            f"{artifact.header['tokenizer'].get('name')} ({artifact.fingerprint[:8]})",
            f"{found.name} ({padded.fingerprint[:8]})",
        )


def check_fingerprint(path: str, artifact: Artifact) -> None:
    """Check that an artifact's header names the tokens that its arrays hold.

    Raises:
        ArtifactError: it does not.
    """
    claimed = artifact.header["tokenizer"].get("fingerprint")
    if claimed != artifact.fingerprint:
        raise ArtifactError(
            path,
            f"its header claims tokens with the fingerprint {str(claimed)[:64]}, and those that it "
            f"holds have {artifact.fingerprint}",
            "compile the grammar again",
        )


def name_tokenizer(spec: str) -> str:
    """Return what a tokenizer is called in the name of a file that is made for it.

    >>> name_tokenizer("llama3")
    'llama3'
    >>> name_tokenizer("models/Llama-3.1/tokenizer.json")
    'tokenizer'
    """
    name = Path(spec).name or "tokenizer"
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name
