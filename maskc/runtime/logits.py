"""Bitmasks on logits that are an array of NumPy's.

Token ``t`` is bit ``t % 32`` of word ``t // 32`` of its row's mask, and 1 means legal. Those of
torch are masked by :mod:`maskc.integrations.torch_masks`.

Example: a row of the one word 5 leaves the logits of tokens 0 and 2, and makes all others -inf,
those beyond the 32 of that word too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskc.errors import WrongTypeError, WrongValueError
from maskc.runtime.arguments import WORD


def apply_to_array(logits: Any, bitmask: Any) -> None:
    """Make the logits of tokens that are not legal -inf, in place.

    Args:
        logits: floating point, [batch, width] or [width], written to.
        bitmask: int32[batch, words], or int32[words] for logits of one row.

    Raises:
        TypeError: the logits are no floating point numbers, or the bitmask is no int32.
        ValueError: there is not one mask for each row of logits, or they cannot be written to.

    >>> logits = np.zeros(4)
    >>> apply_to_array(logits, np.array([5], dtype=np.int32))
    >>> logits
    array([  0., -inf,   0., -inf])
    """
    if not isinstance(logits, np.ndarray) or logits.dtype.kind != "f":
        kind = getattr(logits, "dtype", type(logits).__name__)
        raise WrongTypeError(f"logits are an array of floating point numbers, and these are {kind}")
    if not isinstance(bitmask, np.ndarray) or bitmask.dtype != WORD:
        kind = getattr(bitmask, "dtype", type(bitmask).__name__)
        raise WrongTypeError(f"a bitmask is an array of int32, and this one is of {kind}")
    rows, masks = np.atleast_2d(logits), np.atleast_2d(bitmask)
    if rows.ndim != 2 or masks.ndim != 2 or len(rows) != len(masks):
        raise WrongValueError(
            f"masks int32{[*bitmask.shape]} do not go with logits {[*logits.shape]}"
        )
    if not logits.flags.writeable:
        raise WrongValueError("logits are written to, and these are read-only")
    words = np.ascontiguousarray(masks).view(np.uint8)
    legal = np.unpackbits(words, axis=1, bitorder="little", count=rows.shape[1])
    np.copyto(rows, -np.inf, where=legal == 0)
