"""Where does a kit come from?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.kit.kit import Kit
from maskc.kit.tokens import KitTokens
from maskc.runtime.artifact import DEFAULT_CACHE_BYTES
from maskc.runtime.schema.tokens import TokenIndex
from maskc.vocab.vocabulary import Vocabulary


def make_kit(vocabulary: Vocabulary, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> Kit:
    """Return the kit of a vocabulary, made now."""
    texts = [token or b"" for token in vocabulary.tokens]
    arrays: dict[str, NDArray[Any]] = {
        "token_first": np.cumsum([0, *map(len, texts)]).astype(np.int32),
        "token_bytes": np.frombuffer(b"".join(texts), dtype=np.uint8),
    }
    index = TokenIndex(arrays["token_first"], arrays["token_bytes"])
    return Kit(KitTokens(index, arrays, vocabulary.eos_ids), cache_bytes=cache_bytes)
