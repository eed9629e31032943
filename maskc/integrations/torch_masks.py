"""Bitmasks on logits, in plain torch, on whatever device the logits are.

A bitmask is ``int32[rows, words]``: token ``t`` is bit ``t % 32`` of word ``t // 32``, and 1 means
legal. Eight tokens to a byte cross to the device; they are unpacked there.

An artifact's distinct masks can also lie on the device, in :mod:`maskc.integrations.mask_tables`:
then one number a sequence crosses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.errors import WrongTypeError, WrongValueError
from maskc.integrations.errors import load_engine

if TYPE_CHECKING:
    from torch import Tensor

EXTRA = "torch"


def apply_bitmask(
    logits: Tensor,
    bitmask: Tensor | NDArray[np.int32],
    *,
    rows: Sequence[int] | None = None,
) -> None:
    """Make the logits of tokens that are not legal -inf, in place.

    Args:
        logits: floating point, [batch, width] or [width], on any device.
        bitmask: int32, a row for each of ``rows``, from the CPU or from the logits' device.
        rows: the rows of the logits that are masked; default: all, in order.

    Raises:
        TypeError: the logits are no floating point numbers, or the bitmask is no int32.
        ValueError: the bitmask has not one row for each row that is masked.
    """
    torch = load_engine("torch", EXTRA)
    if not logits.is_floating_point():
        raise WrongTypeError(f"logits must be floating point numbers, not {logits.dtype}")
    if str(bitmask.dtype).removeprefix("torch.") != "int32":
        raise WrongTypeError(f"a bitmask must hold int32, not {bitmask.dtype}")
    table = logits if logits.dim() == 2 else logits.unsqueeze(0)
    n_rows = table.shape[0] if rows is None else len(rows)
    if bitmask.shape[0] != n_rows:
        raise WrongValueError(f"{bitmask.shape[0]} rows of masks for {n_rows} rows of logits")
    illegal = ~unpack_bitmask(bitmask, table.shape[1], device=table.device)
    if rows is None:
        table.masked_fill_(illegal, -torch.inf)
    else:
        chosen = torch.as_tensor(rows, dtype=torch.long, device=table.device)
        table[chosen] = table[chosen].masked_fill(illegal, -torch.inf)


def unpack_bitmask(
    bitmask: Tensor | NDArray[np.int32], width: int, *, device: Any = None
) -> Tensor:
    """Return bool[rows, width], true for legal tokens; false beyond the bitmask's width.

    Args:
        bitmask: int32[rows, words].
        width: of the logits.
        device: where to unpack; default: where the bitmask is.
    """
    torch = load_engine("torch", EXTRA)
    words = torch.as_tensor(bitmask)
    if device is not None:
        words = words.to(device, non_blocking=True)
    if words.device.type == "cpu":
        # NumPy has this as one operation.
        packed_rows = words.contiguous().numpy().view(np.uint8)
        unpacked = np.unpackbits(packed_rows, axis=1, bitorder="little")
        return _fit(torch.from_numpy(unpacked).view(torch.bool), width)
    bits = torch.arange(8, dtype=torch.uint8, device=words.device)
    packed = words.contiguous().view(torch.uint8)
    legal = packed.unsqueeze(-1).bitwise_right_shift(bits).bitwise_and_(1).to(torch.bool).flatten(1)
    return _fit(legal, width)


def _fit(legal: Tensor, width: int) -> Tensor:
    """Return the columns up to a width; those that there are not are false."""
    if legal.shape[1] < width:
        torch = load_engine("torch", EXTRA)
        legal = torch.nn.functional.pad(legal, (0, width - legal.shape[1]))
    return legal[:, :width]
