"""Byte classes: bytes that no reader of characters, byte by byte, tells apart.

A *node* reads one byte, and its edges say which node reads the next one; ``DONE`` ends the
character. Bytes that lead to the same node from each node are one class, and a table by classes is
a tenth as wide as one by bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DONE = -1

ByteEdge = tuple[int, int, int]  # the first byte, the last byte, the node after it


def byte_classes(nodes: Sequence[Sequence[ByteEdge]]) -> NDArray[np.uint8]:
    """Return uint8[256], the class of each byte, by the edges of each node."""
    targets = np.full((len(nodes), 256), DONE - 1, dtype=np.int32)
    for node, edges in enumerate(nodes):
        for first, last, target in edges:
            targets[node, first : last + 1] = target
    differs = (targets[:, 1:] != targets[:, :-1]).any(axis=0)
    starts = [0, *(np.flatnonzero(differs) + 1).tolist()]  # of runs of bytes in one class
    number: dict[bytes, int] = {}
    columns = np.ascontiguousarray(targets.T[starts])
    classes = [number.setdefault(column.tobytes(), len(number)) for column in columns]
    return np.repeat(np.array(classes, dtype=np.uint8), np.diff([*starts, 256]))
