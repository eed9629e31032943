"""The rows of an engine's bitmask: allocated, and filled for many sequences at once.

Example: ``fill_bitmasks([a, b], allocate_bitmask(2, a_size), range(2))`` writes what may come after
each of two texts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_items
from maskc.errors import WrongTypeError, WrongValueError
from maskc.runtime.arguments import as_count, as_rows, check_bitmask
from maskc.runtime.matcher import Matcher


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[np.int32]:
    """Return int32[batch, ceil(vocab_size / 32)], all ones: nothing is forbidden.

    Token ``t`` is bit ``t % 32``, least significant first, of word ``t // 32``; 1 means legal.

    Raises:
        TypeError: a size is no integer.
        ValueError: a size is less than 0, or they do not fit into memory.
    """
    shape = (as_count("a batch", batch), -(-as_count("vocab_size", vocab_size) // 32))
    try:
        return np.full(shape, -1, dtype=np.int32)
    except (MemoryError, ValueError):
        fact = f"a bitmask of {shape[0]} rows of {shape[1]} words does not fit into memory"
        raise WrongValueError(f"{fact}; give a smaller batch") from None


def fill_bitmasks(
    matchers: Iterable[Matcher], bitmask: NDArray[np.int32], rows: Iterable[int]
) -> None:
    """Write the legal tokens of many matchers, each into its row: all of them, or nothing.

    Args:
        matchers: of one artifact or of several with vocabularies of one size.
        bitmask: int32[batch, ceil(vocab_size / 32)], C-contiguous, aligned, written to.
        rows: the row of each matcher, each another one.

    Raises:
        TypeError: an argument is of another kind; nothing is written.
        ValueError: there are not as many rows as matchers, a row is not in the bitmask or comes
            twice, or the bitmask has another shape or layout; nothing is written.
    """
    batch = list(as_items("what holds the matchers", matchers))
    if not batch:
        check_bitmask(bitmask, None)
        as_rows(rows, 0, bitmask)
        return
    try:
        artifact = batch[0]._artifact
        # One loop, as each costs as much as copying a twentieth of the masks.
        alike = [m._hypotheses for m in batch if m._artifact is artifact and not m._terminated]
    except AttributeError:
        given: list[object] = [*batch]
        other = next(one for one in given if not isinstance(one, Matcher))
        raise WrongTypeError(f"fill_bitmasks takes matchers, not {type(other).__name__}") from None
    check_bitmask(bitmask, batch[0]._n_words)
    places = as_rows(rows, len(batch), bitmask)
    if len(alike) == len(batch) and type(places) is range:
        machine = artifact.machine
        numbers = np.fromiter(machine.mask_numbers(alike), np.intp, len(alike))
        if numbers.min() >= 0:
            # With "raise" in the place of "clip", it would go through an array in between.
            np.take(machine.pool.rows, numbers, axis=0, out=bitmask[: len(batch)], mode="clip")
            return
    for matcher in batch:
        if matcher._n_words != bitmask.shape[1]:
            check_bitmask(bitmask, matcher._n_words)
    masks = [matcher._words() for matcher in batch]
    for row, words in zip(places, masks, strict=True):
        bitmask[row] = words
