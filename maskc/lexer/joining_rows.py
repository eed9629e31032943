"""Rows over byte classes, joined two at a time.

A row says for each byte class where a state goes. Most rows have few different values, and many
share which classes have equal ones, their *shape*. Two rows side by side have a shape that depends
on theirs alone, so it is worked out once for each pair of shapes, and a pair of rows is joined by
asking about one class for each part.

Example: the rows 1 1 2 and 5 6 6 have the shapes 0 0 1 and 0 1 1; side by side they have the parts
(0, 0), (0, 1) and (1, 1), in the order of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Shape = bytes  # class → its part, numbered by first occurrence; there are at most 256 classes


class JoinedRows:
    """Rows of two kinds, each given once, and what they are side by side."""

    def __init__(self) -> None:
        self._shape_number: dict[Shape, int] = {}
        self._shapes: list[Shape] = []
        self._joined: dict[tuple[int, int], tuple[list[tuple[int, int]], NDArray[np.intp]]] = {}

    def read(self, row: Iterable[int]) -> tuple[int, list[int]]:
        """Return the number of a row's shape, and the value of each part."""
        part: dict[int, int] = {}
        shape = bytes([part.setdefault(value, len(part)) for value in row])
        number = self._shape_number.setdefault(shape, len(self._shapes))
        if number == len(self._shapes):
            self._shapes.append(shape)
        return number, list(part)

    def join(
        self,
        one: tuple[int, Sequence[int]],
        other: tuple[int, Sequence[int]],
        ask: Callable[[int, int], int],
    ) -> NDArray[np.int32]:
        """Return int32[n_classes]: what ``ask`` says of the values of two rows, class by class.

        It is asked once for each pair of values, in the order in which they come first.
        """
        key = one[0], other[0]
        found = self._joined.get(key)
        if found is None:
            number: dict[tuple[int, int], int] = {}
            pairs = zip(self._shapes[key[0]], self._shapes[key[1]], strict=True)
            parts = [number.setdefault(pair, len(number)) for pair in pairs]
            found = self._joined[key] = list(number), np.array(parts, dtype=np.intp)
        values, others = one[1], other[1]
        answers = [ask(values[a], others[b]) for a, b in found[0]]
        return np.array(answers, dtype=np.int32)[found[1]]
