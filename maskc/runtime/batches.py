"""The rows of an engine's bitmask: allocated, and filled for many sequences at once.

Example: ``fill_bitmasks([a, b], allocate_bitmask(2, a_size), range(2))`` writes what may come after
each of two texts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.arguments import as_count, as_rows, check_bitmask
from maskc.runtime.matcher import Matcher


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[np.int32]:
    """Return int32[batch, ceil(vocab_size / 32)], all ones: nothing is forbidden.

    Token ``t`` is bit ``t % 32``, least significant first, of word ``t // 32``; 1 means legal.

    Raises:
        TypeError: a size is no integer.
        ValueError: a size is less than 0.
    """
    shape = (as_count("a batch", batch), -(-as_count("vocab_size", vocab_size) // 32))
    return np.full(shape, -1, dtype=np.int32)


def fill_bitmasks(
    matchers: Iterable[Matcher], bitmask: NDArray[np.int32], rows: Iterable[int]
) -> None:
    """Write the legal tokens of many matchers, each into its row: all of them, or nothing.

    Args:
        matchers: of one artifact or of several with vocabularies of one size.
        bitmask: int32[batch, ceil(vocab_size / 32)], C-contiguous, written to.
        rows: the row of each matcher, each another one.

    Raises:
        TypeError: an argument is of another kind; nothing is written.
        ValueError: there are not as many rows as matchers, a row is not in the bitmask or comes
            twice, or the bitmask has another shape; nothing is written.
    """
    batch = list(matchers)
    if set(map(type, batch)) - {Matcher}:
        for matcher in batch:
            if not isinstance(matcher, Matcher):
                raise TypeError(f"fill_bitmasks takes matchers, not {type(matcher).__name__}")
    check_bitmask(bitmask, batch[0]._n_words if batch else None)
    places = as_rows(rows, len(batch), bitmask)
    if not batch:
        return
    artifact = batch[0]._artifact
    # One loop, as each costs as much as copying a third of the masks.
    alike = [m._hypotheses for m in batch if m._artifact is artifact and not m._terminated]
    if len(alike) == len(batch) and places == list(range(len(batch))):
        numbers = artifact.machine.mask_numbers(alike)
        if min(numbers) >= 0:
            # With "raise" in the place of "clip", it would go through an array in between.
            table, filled = artifact.machine.pool.rows, bitmask[: len(batch)]
            np.take(table, numbers, axis=0, out=filled, mode="clip")
            return
    for matcher in batch:
        if matcher._n_words != bitmask.shape[1]:
            check_bitmask(bitmask, matcher._n_words)
    masks = [matcher._words() for matcher in batch]
    for row, words in zip(places, masks, strict=True):
        bitmask[row] = words
