"""The bytes of each token, cut out of one text when they are asked for.

Example: of the tokens ``a`` and ``bc`` the text is ``abc``, and token 1 begins at 1.
"""

from __future__ import annotations

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
