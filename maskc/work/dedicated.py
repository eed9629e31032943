"""What only work that has its process to itself may change: memory's bound, and the collector.

A command, or a process that does one thing at a time, has nobody to harm: as well as the budget,
what the process may ask the system for is bounded while a grammar is worked on, so that a single
allocation in C that would go beyond the limit fails at once. Python's collector of cycles looks
more seldom: nearly all that a compilation makes stays until its end, and to walk it again and again
was a twelfth of the time. What is in cycles is collected still, later.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from maskc.bounded import run_bounded
from maskc.limits import Limits
from maskc.system import bound_data, unbound_data

T = TypeVar("T")

_THRESHOLDS = 500_000, 20, 100  # objects, and collections of one generation before the next


def run_dedicated(work: Callable[[], T], limits: Limits) -> T:
    """Return what the work returns; the process does nothing else meanwhile.

    Raises:
        LimitError: a limit was reached.
    """

    def bounded() -> T:
        with _bound_memory(limits.bytes), _collect_seldom():
            return work()

    return run_bounded(bounded, limits)


@contextmanager
def _collect_seldom() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _bound_memory(n_bytes: int) -> Iterator[None]:
    before = bound_data(n_bytes)
    try:
        yield
    finally:
        unbound_data(before)
