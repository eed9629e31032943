"""An artifact's distinct masks on a device, so that a step sends one number a sequence.

A mask of 128,256 tokens takes 16 KB; sequences of one grammar share a few hundred of them. The
table holds each mask once and grows as new ones are composed: only rows that the device lacks
are sent.

Example, in a decoding loop::

    table = MaskTable(artifact, device=logits.device)
    table.apply(logits, matchers)  # one matcher for each row of the logits

A mask without a number (see :meth:`maskc.Matcher.mask_id`) is sent whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from maskc.errors import WrongValueError
from maskc.integrations.errors import load_engine
from maskc.integrations.torch_masks import EXTRA, apply_bitmask
from maskc.runtime.batches import allocate_bitmask, fill_bitmasks
from maskc.runtime.compiled import Compiled
from maskc.runtime.matcher import Matcher

if TYPE_CHECKING:
    from torch import Tensor

_FIRST_ROOM = 64


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
        with self._lock:
            return self._add_missing()

    def _add_missing(self) -> Tensor:
        torch = load_engine("torch", EXTRA)
        new = self._artifact.mask_table(self._n_masks)
        n_masks = self._n_masks + len(new)
        if len(new):
            if n_masks > len(self._rows):
                # Twice as long, so that all copies together are not longer than the table.
                rows = torch.empty(
                    (2 * n_masks, self._rows.shape[1]),
                    dtype=torch.int32,
                    device=self._rows.device,
                )
                rows[: self._n_masks] = self._rows[: self._n_masks]
                self._rows = rows
            # Torch wants to own what it reads, and those rows are not to be written to.
            self._rows[self._n_masks : n_masks] = torch.from_numpy(new.copy())
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
