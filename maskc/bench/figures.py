"""Which few numbers stand for many times?

Example: the figures of 1000, 2000 and 3000 ns have a p50 of 2.0 microseconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIGURES = ("p50", "mean", "p90", "p99", "max")


def compute_figures(nanoseconds: NDArray[np.int64]) -> dict[str, float]:
    """Return microseconds by ``FIGURES``; of no times, nothing.

    >>> figures = compute_figures(np.array([1000, 2000, 6000]))
    >>> figures["p50"], figures["mean"], figures["max"]
    (2.0, 3.0, 6.0)
    """
    if not len(nanoseconds):
        return {}
    p50, p90, p99 = np.percentile(nanoseconds, (50, 90, 99))
    found = (p50, nanoseconds.mean(), p90, p99, nanoseconds.max())
    return {name: float(value) / 1000 for name, value in zip(FIGURES, found, strict=True)}
