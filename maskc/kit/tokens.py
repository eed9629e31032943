"""The tokens of a kit, as matchers and machines want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.fingerprint import compute_fingerprint
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.once import made_once
from maskc.runtime.schema.tokens import TokenIndex


class KitTokens:
    """A vocabulary and its tries.

    Args:
        index: the tries.
        arrays: ``token_first`` and ``token_bytes``, as in an artifact.
        eos_ids: end-of-sequence ids, increasing.
        name: of the tokenizer.
        special_ids: the special tokens by name.

    Attributes:
        index: the tries.
        name: of the tokenizer.
        special_ids: the special tokens by name.
        first: int32[vocab_size + 1], where each token's bytes begin.
        data: uint8, their bytes.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
        first_bytes: int16[vocab_size]: each token's first byte, -1 for one without bytes.
    """

    def __init__(
        self,
        index: TokenIndex,
        arrays: Mapping[str, NDArray[Any]],
        eos_ids: Sequence[int],
        *,
        name: str,
        special_ids: Mapping[str, int],
    ) -> None:
        self.index, self.name, self.special_ids = index, name, special_ids
        self.first: NDArray[np.int32] = arrays["token_first"]
        self.data: NDArray[np.uint8] = arrays["token_bytes"]
        self._raw = self.data.tobytes()
        self.vocab_size, self.eos_ids = len(self.first) - 1, tuple(eos_ids)
        self.ends = frozenset(eos_ids)
        self.first_bytes = np.full(self.vocab_size, -1, dtype=np.int16)
        writes = self.first[1:] > self.first[:-1]
        self.first_bytes[writes] = self.data[self.first[:-1][writes]]
        self.first_bytes.setflags(write=False)

    def text_of(self, token_id: int) -> bytes | None:
        """Return a token's bytes, ``None`` for one without any."""
        if not 0 <= token_id < self.vocab_size:
            return None
        low, high = self.first[token_id], self.first[token_id + 1]
        return self._raw[low:high] or None

    def find(self, name: str) -> int | None:
        """Return a token by its name, or by the text that it writes; ``None``: there is none."""
        found = self.special_ids.get(name)
        return self._ids_by_text.get(name.encode(errors="replace")) if found is None else found

    @made_once
    def _ids_by_text(self) -> dict[bytes, int]:
        ids = zip(self.index.order.tolist(), self.index.tokens.texts, strict=True)
        return {text: token for token, text in sorted(ids, reverse=True)}

    @made_once
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes, for forced tokens."""
        return TokenTexts(self.text_of, self.vocab_size)

    @made_once
    def fingerprint(self) -> str:
        """The fingerprint of the tokens."""
        return compute_fingerprint(self.first, self.data, self.eos_ids)

    def list_all(self) -> tuple[bytes | None, ...]:
        """Return the bytes of each token."""
        return tuple(map(self.text_of, range(self.vocab_size)))
