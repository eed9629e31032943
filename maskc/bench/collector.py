"""What does Python's garbage collection add to a pass?

Times are taken with the collector off: when it runs depends on all that the process has
allocated, not on the grammar. What it would have cost is measured by itself, in a pass of the same
work with the collector on.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Collections:
    """What the collector did during a pass.

    Attributes:
        n_runs: how often it ran.
        total_us: microseconds of all runs.
        longest_us: microseconds of the longest run.
        n_tokens: tokens of the pass.
    """

    n_runs: int
    total_us: float
    longest_us: float
    n_tokens: int

    def to_dict(self) -> dict[str, float]:
        """Return plain data; ``per_token_us`` is the mean that it adds to a step."""
        return {
            "n_runs": self.n_runs,
            "per_token_us": self.total_us / max(1, self.n_tokens),
            "longest_us": self.longest_us,
        }


@contextmanager
def without_collections() -> Iterator[None]:
    """Collect first, then never in the block; leave the collector as it was."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def measure_collections(walk: Callable[[], int]) -> Collections:
    """Return what the collector does during a walk.

    Args:
        walk: does the work of a pass, and returns the number of its tokens.
    """
    clock = time.perf_counter_ns
    runs: list[int] = []
    begun = 0

    def note(phase: str, _: Mapping[str, int]) -> None:
        nonlocal begun
        if phase == "start":
            begun = clock()
        else:
            runs.append(clock() - begun)

    was_on = gc.isenabled()
    gc.collect()
    gc.enable()
    gc.callbacks.append(note)
    try:
        n_tokens = walk()
    finally:
        gc.callbacks.remove(note)
        if not was_on:
            gc.disable()
    return Collections(len(runs), sum(runs) / 1000, max(runs, default=0) / 1000, n_tokens)
