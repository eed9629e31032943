"""The rows of an engine's bitmask: allocated, filled for many sequences at once, and applied.

Logits of torch are masked by :mod:`maskc.integrations.mask_tables`.

Example: ``fill_bitmasks([a, b], allocate_bitmask(2, a_size), range(2))`` writes what may come after
each of two texts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_items
from maskc.errors import WrongTypeError, WrongValueError
from maskc.runtime.arguments import WORD, as_count, as_rows, as_token_ids, check_bitmask
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
    batch = list(as_items("matchers", matchers))
    if not batch:
        check_bitmask(bitmask, None)
        as_rows(rows, 0, bitmask)
        return
    try:
        artifact = batch[0]._artifact
        # One loop, as each costs as much as copying a twentieth of the masks.
        hypotheses = [m._hypotheses for m in batch if m._artifact is artifact and not m._terminated]
    except AttributeError:
        given: list[object] = [*batch]
        other = next(one for one in given if not isinstance(one, Matcher))
        raise WrongTypeError(f"fill_bitmasks takes matchers, not {type(other).__name__}") from None
    check_bitmask(bitmask, batch[0]._n_words)
    row_indices = as_rows(rows, len(batch), bitmask)
    if len(hypotheses) == len(batch) and type(row_indices) is range:
        machine = artifact.machine
        numbers = np.fromiter(machine.mask_numbers(hypotheses), np.intp, len(hypotheses))
        if numbers.min() >= 0:
            # With "raise" instead of "clip", it would go through an array in between.
            np.take(machine.pool.rows, numbers, axis=0, out=bitmask[: len(batch)], mode="clip")
            return
    for matcher in batch:
        if matcher._n_words != bitmask.shape[1]:
            check_bitmask(bitmask, matcher._n_words)
    masks = [matcher._words() for matcher in batch]
    for row, words in zip(row_indices, masks, strict=True):
        bitmask[row] = words


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
        raise WrongTypeError(f"logits must be an array of floating point numbers, not {kind}")
    if not isinstance(bitmask, np.ndarray) or bitmask.dtype != WORD:
        kind = getattr(bitmask, "dtype", type(bitmask).__name__)
        raise WrongTypeError(f"a bitmask must be an array of int32, not {kind}")
    rows, masks = np.atleast_2d(logits), np.atleast_2d(bitmask)
    if rows.ndim != 2 or masks.ndim != 2 or len(rows) != len(masks):
        raise WrongValueError(
            f"masks int32{[*bitmask.shape]} do not match logits {[*logits.shape]}"
        )
    if not logits.flags.writeable:
        raise WrongValueError("logits must be writable; these are read-only")
    words = np.ascontiguousarray(masks).view(np.uint8)
    legal = np.unpackbits(words, axis=1, bitorder="little", count=rows.shape[1])
    np.copyto(rows, -np.inf, where=legal == 0)


def follow_examples(
    make_matcher: Callable[[], Matcher],
    vocab_size: int,
    examples: Iterable[Iterable[int]],
    seconds: float,
) -> int:
    """Return how many tokens were followed, with the mask before each of them.

    What masks and tokens need that nobody has asked for is computed then, and kept for all matchers
    of an artifact. Example: after 300,000 tokens of Python, a hundred of 10,000 tokens of other
    files wait longer than 23 microseconds for their mask; without them a hundred wait longer than
    64.

    An example that becomes illegal is followed as far as it is legal.

    Args:
        make_matcher: gives a matcher at the start of a text.
        vocab_size: of its masks.
        examples: token ids of texts; they are read as they are followed.
        seconds: after which no further token is followed, by the clock.

    Raises:
        TypeError: a token is no integer.
    """
    until, n_followed = time.monotonic() + seconds, 0
    bitmask = allocate_bitmask(1, vocab_size)
    for tokens in as_items("examples", examples):
        matcher = make_matcher()
        for token in as_token_ids(tokens):
            if time.monotonic() >= until:
                return n_followed
            if matcher.is_terminated:
                break
            matcher.fill_bitmask(bitmask, 0)
            if not matcher.accept_token(token):
                break
            n_followed += 1
    return n_followed
