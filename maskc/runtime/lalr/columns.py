"""At which columns can an open newline still end?

The compiler lists the columns that each open newline can reach, by the boundary at its end, up to
a length after which they repeat with a period.

Example: blanks of one column each reach every column: listed is column 0, with the period 1. Blanks
of two reach every second: listed are 0 and 1, with the period 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.runtime.views import view_numbers


class Columns:
    """The columns of one artifact's newlines; ``fresh``: after a line break that is yet to come.

    Args:
        arrays: the artifact's sections; ``column_more`` counts from the present column,
            ``column_reset`` from another line break.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._first = view_numbers(arrays["column_first"])
        self._period = view_numbers(arrays["column_period"])
        self._more, self._reset = arrays["column_more"], arrays["column_reset"]
        self._may_reach = view_numbers(self._more), view_numbers(self._reset)

    def can_reach(self, number: int, boundary: int, column: int, *, fresh: bool) -> bool:
        """Return whether an open newline can still end at a column.

        Args:
            number: of the columns that it may reach.
            boundary: what the scanner knows where it ends.
            column: a column (fresh) or an increment of the present one.
            fresh: over another line break, or without one.
        """
        low, high = self._first[number], self._first[number + 1]
        n_listed = high - low
        if column >= n_listed:
            period = self._period[number, 0 if fresh else 1]
            column = n_listed - period + (column - n_listed) % period
        return bool(self._may_reach[fresh][low + column, boundary])

    def can_exceed(self, number: int, boundary: int, column: int, *, fresh: bool) -> bool:
        """Return whether it can still end beyond a column (or an increment)."""
        low, high = self._first[number], self._first[number + 1]
        period = self._period[number, 0 if fresh else 1]
        row = (self._reset if fresh else self._more)[low:high, boundary]
        start = min(column + 1, high - low - period)
        return bool(row[max(start, 0) :].any())
