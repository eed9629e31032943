"""Is the tokenizer that a user names the one that an artifact was compiled for?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.errors import VocabularyMismatchError


def check_tokenizer(path: str, header: Mapping[str, Any], spec: str) -> None:
    """Check that both have the same tokens, padded to the artifact's size, and the same ends.

    Raises:
        TokenizerError: the tokenizer cannot be read.
        VocabularyMismatchError: it is another one.
    """
    from maskc.vocab import Vocabulary, load_vocabulary

    expected = header["tokenizer"]
    found = load_vocabulary(spec)
    padding = (None,) * (expected["vocab_size"] - found.vocab_size)
    padded = Vocabulary(found.tokens + padding, found.eos_ids, found.name)
    if padded.fingerprint != expected["fingerprint"]:
        raise VocabularyMismatchError(
            path,
            f"{expected['name']} ({expected['fingerprint'][:8]})",
            f"{found.name} ({padded.fingerprint[:8]})",
        )
