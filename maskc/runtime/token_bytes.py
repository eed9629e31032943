"""The bytes of each token, cut out of one text when they are asked for; and tokens by their bytes.

Example: of the tokens ``a`` and ``bc`` the text is ``abc``, and token 1 begins at 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray


class TokenBytes:
    """The bytes of a vocabulary's tokens; the text is copied when the first is asked for.

    Args:
        first: int32[vocab_size + 1], where each token's bytes begin.
        data: uint8, their bytes.
    """

    def __init__(self, first: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        self._first, self._data = first, data
        self._vocab_size = len(first) - 1
        self._offsets: Any = None
        self._text = b""

    def of(self, token_id: int) -> bytes | None:
        """Return a token's bytes, ``None`` for one without any."""
        if not 0 <= token_id < self._vocab_size:
            return None
        offsets = self._offsets
        if offsets is None:
            self._text = self._data.tobytes()
            offsets = self._offsets = np.ascontiguousarray(self._first, dtype=np.int32).data
        start: int = offsets[token_id]
        stop: int = offsets[token_id + 1]
        return self._text[start:stop] or None


class TokenTexts:
    """The bytes of a vocabulary's tokens, sorted, to find those that begin with others."""

    def __init__(self, token_bytes: Callable[[int], bytes | None], vocab_size: int) -> None:
        self.text_of = token_bytes  # token id → its bytes, None for one without any
        found = (token_bytes(token_id) for token_id in range(vocab_size))
        self._sorted = sorted(token for token in found if token)
        self._longest = max(map(len, self._sorted), default=0)

    def find_open_ends(self, text: bytes) -> list[int]:
        """Return the offsets in a text whose rest begins a longer token, in order."""
        first = max(0, len(text) - self._longest + 1)
        return [start for start in range(first, len(text)) if self._begins_token(text[start:])]

    def find_boundaries(self, token_ids: Iterable[int]) -> list[int]:
        """Return where each token ends."""
        return list(accumulate(len(self.text_of(token_id) or b"") for token_id in token_ids))

    def writes(self, token_ids: Iterable[int], text: bytes) -> bool:
        """Return whether the tokens write a text, byte for byte."""
        tokens = [self.text_of(token_id) for token_id in token_ids]
        return None not in tokens and b"".join(filter(None, tokens)) == text

    def _begins_token(self, text: bytes) -> bool:
        index = bisect_right(self._sorted, text)
        return index < len(self._sorted) and self._sorted[index].startswith(text)
