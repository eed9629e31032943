"""Checks what a caller hands to a matcher.

Numbers are Python's or NumPy's integers, and become Python's before anything is worked out: in 16
bits the token after 32,767 is -32,768. Truth values, floats, texts and arrays are no numbers, not
even arrays of one number: one of them is a mistake in the caller's code, and is refused before
anything changes.

Example: ``as_number("a token", np.int16(7))`` is 7; with ``True`` it raises ``WrongTypeError``.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.arguments import as_items, describe
from maskc.errors import WrongTypeError, WrongValueError

WORD = np.dtype(np.int32)


def as_number(what: str, value: Any) -> int:
    """Return an integer as Python's.

    Args:
        what: what it is, for the message.
        value: what the caller gave.

    Raises:
        WrongTypeError: it is no integer.
    """
    if not isinstance(value, bool | np.bool_) and not hasattr(value, "__len__"):
        # A tensor without dimensions has a length, which raises; an array has an index.
        try:
            return operator.index(value)
        except TypeError:
            pass
    hint = "; give its .tolist()" if hasattr(value, "tolist") else ""
    raise WrongTypeError(f"{what} must be an int, not {describe(value)}{hint}")


def as_count(what: str, value: Any) -> int:
    """Return an integer as Python's, 0 at least.

    Raises:
        WrongTypeError: it is no integer.
        WrongValueError: it is less than 0.
    """
    count = as_number(what, value)
    if count < 0:
        raise WrongValueError(f"{what} is {count}; give 0 or more")
    return count


def as_token_ids(value: Iterable[Any]) -> Iterable[Any]:
    """Return what token ids are read from one by one."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iu":
        # Otherwise each item would become an object of NumPy's.
        found: list[int] = value.tolist()
        return found
    return as_items("tokens", value)


def as_bytes(value: Any) -> bytes:
    """Return bytes, or a copy of what a bytearray or a memoryview of bytes holds.

    Raises:
        WrongTypeError: it is a text, an array, or anything else.
    """
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, memoryview) and value.itemsize == 1:
        return value.tobytes()
    hint = "; encode the text" if isinstance(value, str) else ""
    raise WrongTypeError(f"accept_bytes takes bytes, not {type(value).__name__}{hint}")


def check_bitmask(bitmask: Any, n_words: int | None) -> None:
    """Check that masks can be written to an array row by row.

    Args:
        bitmask: what the caller gave.
        n_words: of a mask; ``None``: any number.

    Raises:
        WrongTypeError: it is no array of NumPy's, or not of 32-bit words.
        WrongValueError: it has another shape or layout, or may not be written to.
    """
    if type(bitmask) is not np.ndarray and not isinstance(bitmask, np.memmap):
        hint = "; give tensor.numpy()" if hasattr(bitmask, "numpy") else ""
        raise WrongTypeError(f"a bitmask is a numpy.ndarray, not {type(bitmask).__name__}{hint}")
    if bitmask.dtype != WORD:
        raise WrongTypeError(
            f"a bitmask holds int32, not {bitmask.dtype}; see maskc.allocate_bitmask"
        )
    if bitmask.ndim != 2 or n_words not in (None, bitmask.shape[1]):
        shape, width = list(bitmask.shape), "words" if n_words is None else n_words
        raise WrongValueError(f"a bitmask must be int32[rows, {width}] here, not int32{shape}")
    if not bitmask.flags.c_contiguous:
        raise WrongValueError("a bitmask must be C-contiguous; this one has gaps between its words")
    if not bitmask.flags.aligned:
        raise WrongValueError(
            "a bitmask must begin at a multiple of 4 bytes; see maskc.allocate_bitmask"
        )
    if not bitmask.flags.writeable:
        raise WrongValueError("a bitmask must be writable; this one is read-only")


def as_row(value: Any, bitmask: NDArray[np.int32]) -> int:
    """Return the number of a row of a bitmask.

    Raises:
        WrongTypeError: it is no integer.
        WrongValueError: there is no such row; rows are not counted from the end.
    """
    row = as_number("a row", value)
    if not 0 <= row < len(bitmask):
        raise WrongValueError(f"row {row} is not among the {len(bitmask)} of the bitmask")
    return row


def as_rows(
    values: Iterable[Any], n_matchers: int, bitmask: NDArray[np.int32]
) -> list[int] | range:
    """Return the numbers of distinct rows of a bitmask, one for each matcher.

    Returns:
        a range if they are the first rows in order, as engines give them.

    Raises:
        WrongTypeError: one is no integer.
        WrongValueError: there are more or fewer, one is not in the bitmask, or one comes twice.
    """
    rows = list(as_items("rows", values))
    if len(rows) != n_matchers:
        raise WrongValueError(f"{n_matchers} matchers need {n_matchers} rows, not {len(rows)}")
    if set(map(type, rows)) - {int}:
        rows = [as_number("a row", row) for row in rows]
    if n_matchers <= len(bitmask) and rows == _count_up(n_matchers):
        return range(n_matchers)
    if rows and not 0 <= min(rows) <= max(rows) < len(bitmask):
        wrong = min(rows) if min(rows) < 0 else max(rows)
        raise WrongValueError(f"row {wrong} is not among the {len(bitmask)} of the bitmask")
    if len(set(rows)) < len(rows):
        twice = next(row for row in rows if rows.count(row) > 1)
        raise WrongValueError(f"row {twice} is given to two matchers; give each its own")
    return rows


@functools.lru_cache(maxsize=8)
def _count_up(n: int) -> list[int]:
    """Return the numbers from 0 on, not to be changed: making them takes longer than comparing."""
    return list(range(n))
