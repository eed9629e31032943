"""An array's numbers, one at a time.

To take one number, or a few, out of a NumPy array takes ten times as long as out of a list, and to
make lists of all arrays would be most of loading. A view of the same memory is as quick as a list.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A ``memoryview``: its numbers are ids of whatever the array holds.
Numbers = Any


def view_numbers(array: NDArray[Any]) -> Numbers:
    """Return an array's numbers as Python has them, by index and by slice: a view, not a copy.

    >>> numbers = view_numbers(np.array([3, 5, 8], dtype=np.int32))
    >>> numbers[1], numbers[1:].tolist()
    (5, [5, 8])
    """
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).data
