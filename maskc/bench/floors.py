"""What the same masks cost to copy, with nothing to decide.

An engine in CPython that writes whole masks cannot be faster than a call that copies them. A mask
that the processor's cache still holds costs a fraction of one that left it, so the copies are timed
three ways: one row again and again (*hot*); the rows of the pass in the order of the pass (*in
order*), which evicts what the pass evicts; and the OR of 50 rows, the price of a mask that is put
together when it is asked for. *clock* is what the timing itself adds to each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from maskc.bench.timing import Bitmask, TimedSession, compute_figures, without_collections

MAX_ROWS = 20_000  # 320 MB at 128,000 tokens; further positions are left out of the order
N_TIMES, N_OF_OR = 5_000, 50


def collect_rows(
    start: Callable[[], TimedSession], documents: Sequence[Sequence[int]], bitmask: Bitmask
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the distinct masks of a pass, and which one each position has.

    Args:
        start: makes a session at the start of a text.
        documents: token ids of each, walked up to the first illegal token.
        bitmask: int32[1, n_words], which the sessions write to.

    Returns:
        int32[n_masks, n_words] and intp[n_positions].
    """
    numbers: dict[bytes, int] = {}
    order = []
    for tokens in documents:
        session = start()
        for token in tokens:
            session.fill()
            if not session.accept(token):
                break
            mask = bitmask[0].tobytes()
            if mask not in numbers and len(numbers) == MAX_ROWS:
                continue
            order.append(numbers.setdefault(mask, len(numbers)))
    rows = np.frombuffer(b"".join(numbers), dtype=np.int32)
    return rows.reshape(len(numbers), -1), np.array(order, dtype=np.intp)


def measure_floors(rows: NDArray[np.int32], order: NDArray[np.intp]) -> dict[str, dict[str, float]]:
    """Return the figures, in microseconds, of ``clock``, ``hot``, ``in order`` and ``or of 50``.

    Args:
        rows: int32[n_masks, n_words], not empty.
        order: intp[n_positions].
    """
    target = np.zeros((1, rows.shape[1]), dtype=np.int32)[0]
    each = list(rows)
    many = np.ascontiguousarray(rows[np.arange(N_OF_OR) % len(rows)])
    copies = [partial(np.copyto, target, row) for row in each]
    or_of_many = partial(np.bitwise_or.reduce, many, 0, None, target)
    works: dict[str, list[Callable[[], object]]] = {
        "clock": [_nothing] * N_TIMES,
        "hot": [copies[0]] * N_TIMES,
        "in order": [copies[number] for number in order.tolist()],
        f"or of {N_OF_OR}": [or_of_many] * (N_TIMES // 10),
    }
    return {name: compute_figures(_time_each(calls)) for name, calls in works.items()}


def _nothing() -> None:
    pass


def _time_each(calls: Sequence[Callable[[], object]]) -> NDArray[np.int64]:
    clock = time.perf_counter_ns
    times = []
    with without_collections():
        for call in calls:
            begin = clock()
            call()
            times.append(clock() - begin)
    return np.array(times, dtype=np.int64)
