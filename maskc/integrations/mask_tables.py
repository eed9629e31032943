"""Bitmasks on logits, in plain torch, on whatever device the logits are.

A bitmask is ``int32[rows, words]``: token ``t`` is bit ``t % 32`` of word ``t // 32``, and 1 means
legal. Eight tokens to a byte cross to the device; they are unpacked there.

An artifact's distinct masks can also lie on the device, so that a step sends one number a sequence.
A mask of 128,256 tokens takes 16 KB; sequences of one grammar share a few hundred of them. The
table holds each mask once and grows as new ones are composed: only rows that the device lacks
are sent. A mask without a number (see :meth:`maskc.Matcher.mask_id`) is sent whole.

Example, in a decoding loop::

    table = MaskTable(artifact, device=logits.device)
    table.apply(logits, matchers)  # one matcher for each row of the logits
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.errors import WrongTypeError, WrongValueError
from maskc.integrations.errors import load_engine
from maskc.runtime.artifact import Compiled
from maskc.runtime.batches import allocate_bitmask, fill_bitmasks
from maskc.runtime.matcher import Matcher

if TYPE_CHECKING:
    from torch import Tensor


EXTRA = "torch"

_FIRST_ROOM = 64


def apply_bitmask(
    logits: Tensor, bitmask: Tensor | NDArray[np.int32], *, rows: Sequence[int] | None = None
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
        legal = torch.from_numpy(unpacked).view(torch.bool)
    else:
        bits = torch.arange(8, dtype=torch.uint8, device=words.device)
        packed = words.contiguous().view(torch.uint8).unsqueeze(-1)
        legal = packed.bitwise_right_shift(bits).bitwise_and_(1).to(torch.bool).flatten(1)
    if legal.shape[1] < width:
        legal = torch.nn.functional.pad(legal, (0, width - legal.shape[1]))
    return legal[:, :width]


def apply_mask_ids(
    logits: Tensor, ids: Tensor | Sequence[int], table: Tensor, *, rows: Sequence[int] | None = None
) -> None:
    """Make the logits of tokens that are not legal -inf, in place.

    Args:
        logits: floating point, [batch, width], on any device.
        ids: the number of the mask of each row that is masked.
        table: int32[masks, words], on the logits' device.
        rows: the rows of the logits that are masked; default: all, in order.

    Raises:
        ValueError: a number on the CPU is not one of the table's, or there is not one for each
            row. Numbers on another device are not looked at here, since that would wait for it:
            there, torch itself stops at one that is not in the table.
    """
    torch = load_engine("torch", EXTRA)
    numbers = torch.as_tensor(ids, dtype=torch.int32)
    if numbers.device.type == "cpu" and numbers.numel():
        lowest, highest = int(numbers.min()), int(numbers.max())
        if lowest < 0 or highest >= table.shape[0]:
            wrong = lowest if lowest < 0 else highest
            raise WrongValueError(f"mask {wrong} is not among the {table.shape[0]} of the table")
    chosen = table.index_select(0, numbers.to(table.device, non_blocking=True))
    apply_bitmask(logits, chosen, rows=rows)


class MaskTable:
    """The masks of one artifact on one device."""

    def __init__(self, artifact: Compiled, *, device: Any) -> None:
        torch = load_engine("torch", EXTRA)
        self._artifact = artifact
        self._n_masks = 0
        # Two threads that add rows at once could leave one's out of the longer table of the other.
        self._lock = Lock()
        n_words = -(-artifact.vocab_size // 32)
        self._rows = torch.empty((_FIRST_ROOM, n_words), dtype=torch.int32, device=device)

    def sync(self) -> Tensor:
        """Return int32[masks, words] on the device, with all masks that have a number by now."""
        torch = load_engine("torch", EXTRA)
        with self._lock:
            new, n_known = self._artifact.mask_table(self._n_masks), self._n_masks
            n_masks = n_known + len(new)
            if n_masks > len(self._rows):
                # Twice as long, so that all copies together are not longer than the table.
                rows = torch.empty(
                    (2 * n_masks, self._rows.shape[1]), dtype=torch.int32, device=self._rows.device
                )
                rows[:n_known] = self._rows[:n_known]
                self._rows = rows
            if len(new):
                # Torch wants to own what it reads, and those rows are not to be written to.
                self._rows[n_known:n_masks] = torch.from_numpy(new.copy())
            self._n_masks = n_masks
            return self._rows[:n_masks]

    def apply(
        self, logits: Tensor, matchers: Sequence[Matcher], *, rows: Sequence[int] | None = None
    ) -> None:
        """Make the logits of tokens that are not legal -inf, in place.

        Args:
            logits: floating point, [batch, width], on the table's device.
            matchers: of the table's artifact, one for each row that is masked.
            rows: the rows of the logits that are masked; default: all, in order.

        Raises:
            ValueError: there is not one matcher for each row.
        """
        n_rows = logits.shape[0] if rows is None else len(rows)
        if n_rows != len(matchers):
            raise WrongValueError(f"{len(matchers)} matchers for {n_rows} rows of logits")
        row_numbers = list(range(n_rows) if rows is None else rows)
        ids = [matcher.mask_id() for matcher in matchers]
        named = [i for i, number in enumerate(ids) if number >= 0]
        if named:
            where = (
                None if rows is None and len(named) == n_rows else [row_numbers[i] for i in named]
            )
            apply_mask_ids(logits, [ids[i] for i in named], self.sync(), rows=where)
        if len(named) < n_rows:
            rest = [i for i, number in enumerate(ids) if number < 0]
            bitmask = allocate_bitmask(len(rest), self._artifact.vocab_size)
            fill_bitmasks([matchers[i] for i in rest], bitmask, range(len(rest)))
            apply_bitmask(logits, bitmask, rows=[row_numbers[i] for i in rest])
