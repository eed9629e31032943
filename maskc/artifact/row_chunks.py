"""The rows of a scanner, cut into pieces that most of them have in common.

A state of a scanner says for each class of bytes where it leads. Most states differ from others in
a few classes only: where the next letter of a keyword would be. So a row is cut into pieces of
``PIECE`` classes, each piece is kept once, and a row is the numbers of its pieces. Classes beyond
the last one lead nowhere.

Example: jac.lark's 33,658 rows of 170 classes are 11.4 MB; in pieces they are 1.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

PIECE: Final = 16  # classes; of 8 and of 32 the tables of large grammars are a tenth larger


def cut_rows(*tables: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[NDArray[np.int32]]]:
    """Return the distinct pieces of some tables, and the numbers of each one's pieces.

    Args:
        tables: int32[n_rows, n_classes] each.

    Returns:
        int32[n_pieces, PIECE], in order of their first occurrence; of each table
        int32[n_rows, ceil(n_classes / PIECE)].
    """
    number: dict[bytes, int] = {}
    found = []
    width = PIECE * np.dtype(np.int32).itemsize
    for table in tables:
        n_rows, n_classes = table.shape
        n_each = -(-n_classes // PIECE)
        padded = np.zeros((n_rows, n_each * PIECE), dtype=np.int32)
        padded[:, :n_classes] = table
        data = padded.tobytes()
        numbers = [
            number.setdefault(data[start : start + width], len(number))
            for start in range(0, len(data), width)
        ]
        found.append(np.array(numbers, dtype=np.int32).reshape(n_rows, n_each))
    pieces = np.frombuffer(b"".join(number), dtype=np.int32).reshape(len(number), PIECE)
    return pieces, found


def read_rows(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """Return the rows of a section with numbers of pieces, [n_rows, n_classes].

    Args:
        arrays: by section name.
        name: ``scanner_next`` or ``scanner_entries``.
    """
    numbers = arrays[name]
    n_classes = int(arrays["byte_class"].max()) + 1
    rows: NDArray[Any] = arrays["scanner_piece"][numbers]
    rows = rows.reshape(len(rows), PIECE * numbers.shape[1])
    return rows[:, :n_classes]
