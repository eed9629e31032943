"""Times of each fill and each accept, and what Python's garbage collection adds to them.

The same loop times every engine: what an engine has to offer is a :class:`TimedSession`, two
callables without a wrapper of ours around them, so that each pays for its own way in and for
nothing else. Between the two calls there is one reading of the clock; the floors name what it
costs.

A document in which a token is illegal is *refused*: its times up to there count.

Times are taken with the collector off: when it runs depends on all that the process has allocated,
not on the grammar. What it would have cost is measured by itself, in a pass of the same work with
the collector on.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bitmask = NDArray[np.int32]

FIGURES = ("p50", "mean", "p90", "p99", "max")


@dataclass(frozen=True, slots=True)
class TimedSession:
    """One sequence of some engine."""

    # writes the mask of what is legal next, into the bitmask of the pass
    fill: Callable[[], object]
    # takes a token; what it returns is false iff the token is illegal
    accept: Callable[[int], object]


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """What one pass over the documents took."""

    fill: NDArray[np.int64]  # int64[n], nanoseconds of each fill, in the order of the tokens
    accept: NDArray[np.int64]  # int64[n], nanoseconds of the accept after each
    n_taken: tuple[int, ...]  # of each document that was begun, how many of its tokens were taken
    refused: tuple[int, ...]  # the documents with an illegal token, increasing
    out_of_time: bool  # whether the limit came before the last token

    @property
    def step(self) -> NDArray[np.int64]:
        """int64[n], nanoseconds of fill and accept together."""
        return self.fill + self.accept


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


def measure_collections(walk: Callable[[], int]) -> dict[str, float]:
    """Return what the collector does during a walk.

    Returns:
        ``n_runs``, how often it ran; ``per_token_us``, the mean that it adds to a step; and
        ``longest_us``, both in microseconds.
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
    return {
        "n_runs": len(runs),
        "per_token_us": sum(runs) / 1000 / max(1, n_tokens),
        "longest_us": max(runs, default=0) / 1000,
    }


def measure_pass(
    start: Callable[[], TimedSession],
    documents: Sequence[Sequence[int]],
    bitmask: Bitmask,
    *,
    limit_s: float = float("inf"),
) -> Times:
    """Return the times of one pass; garbage collection waits until it is over.

    Args:
        bitmask: int32[1, n_words], which the sessions write to.
        limit_s: seconds after which no further token is begun.
    """
    clock = time.perf_counter_ns
    row = bitmask[0]
    fills: list[int] = []
    accepts: list[int] = []
    n_taken, refused, out_of_time = [], [], False
    with without_collections():
        deadline = clock() + min(limit_s, 1e9) * 1e9
        for number, tokens in enumerate(documents):
            session = start()
            fill, accept = session.fill, session.accept
            n_before = len(fills)
            for token in tokens:
                begin = clock()
                fill()
                filled = clock()
                accepted = accept(token)
                done = clock()
                if not accepted or not row[token >> 5] >> (token & 31) & 1:
                    refused.append(number)
                    break
                fills.append(filled - begin)
                accepts.append(done - filled)
                if done > deadline:
                    out_of_time = True
                    break
            n_taken.append(len(fills) - n_before)
            if out_of_time:
                break
    return Times(
        np.array(fills, dtype=np.int64),
        np.array(accepts, dtype=np.int64),
        tuple(n_taken),
        tuple(refused),
        out_of_time,
    )


def keep_least(one: Times, other: Times) -> Times:
    """Return the lesser time of each position, as far as both passes came.

    The work at a position is the same in both; what one took longer is another process's doing.
    """
    n = min(len(one.fill), len(other.fill))
    shorter = one if len(one.fill) == n else other
    return Times(
        np.minimum(one.fill[:n], other.fill[:n]),
        np.minimum(one.accept[:n], other.accept[:n]),
        shorter.n_taken,
        shorter.refused,
        shorter.out_of_time,
    )


def walk(start: Callable[[], TimedSession], documents: Sequence[Sequence[int]]) -> int:
    """Do the work of a pass, untimed; return how many tokens were taken."""
    n_tokens = 0
    for tokens in documents:
        session = start()
        for token in tokens:
            session.fill()
            if not session.accept(token):
                break
            n_tokens += 1
    return n_tokens


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
