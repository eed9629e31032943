"""What a row is, and what rows share: artifacts, documents, kits and passes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from benchmarks.workloads import TOKENIZER
from maskc.bench.timing import Bitmask, TimedSession, compute_figures, measure_pass
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab import load_vocabulary

# Names of figures → numbers, or figures of their own. Times are in microseconds if nothing else
# is said.
Figures = dict[str, Any]
Documents = Sequence[Sequence[int]]
MakeMatcher = Callable[[], maskc.Matcher]


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement.

    Attributes:
        name: what it is called on the command line.
        about: one line for the list.
        setup: makes the subject; its time is not measured.
        operation: measures the subject.
        is_flat: whether the figures keep the row's promise; the run fails where they do not.
    """

    name: str
    about: str
    setup: Callable[[], Any]
    operation: Callable[[Any], Figures]
    is_flat: Callable[[Figures], bool] = lambda _: True


ROWS: dict[str, Row] = {}


def row(
    name: str,
    about: str,
    setup: Callable[..., Any],
    *subjects: str,
    is_flat: Callable[[Figures], bool] = lambda _: True,
) -> Callable[[Callable[[Any], Figures]], Callable[[Any], Figures]]:
    """Put an operation into the table: once, or for each subject, which the set-up is given."""

    def add(operation: Callable[[Any], Figures]) -> Callable[[Any], Figures]:
        for subject in subjects:
            full = f"{name} {subject}"
            ROWS[full] = Row(full, about, partial(setup, subject), operation, is_flat)
        if not subjects:
            ROWS[name] = Row(name, about, setup, operation, is_flat)
        return operation

    return add


def make_prepared_kit() -> Kit:
    """Return a kit of the benchmarks' tokenizer, as a server has it."""
    kit = make_kit(load_vocabulary(TOKENIZER))
    kit.prepare()
    return kit


def start_sessions(make: MakeMatcher, bitmask: Bitmask) -> Callable[[], TimedSession]:
    """Return what begins a text, its masks in the first row of a bitmask."""

    def start() -> TimedSession:
        matcher = make()
        return TimedSession(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)

    return start


def follow(make: MakeMatcher, documents: Documents, vocab_size: int) -> Figures:
    """Return the times of fills and accepts along documents.

    Raises:
        ValueError: a token of a document is not legal.
    """
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    times = measure_pass(start_sessions(make, bitmask), documents, bitmask)
    if times.refused:
        raise ValueError(f"document {times.refused[0]} has a token that is not legal")
    return {"fill": compute_figures(times.fill), "accept": compute_figures(times.accept)}


def follow_twice(make: MakeMatcher, documents: Documents, vocab_size: int) -> Figures:
    """Return the times of a first pass and of a second one."""
    return {name: follow(make, documents, vocab_size) for name in ("first pass", "second pass")}


def summarise(seconds: Sequence[float], unit: float = 1e-6) -> Figures:
    """Return median, mean, 99th percentile and maximum of seconds, in a unit."""
    times = np.array(seconds) / unit
    percentiles = {"p50": np.median(times), "mean": times.mean(), "p99": np.percentile(times, 99)}
    return {name: float(value) for name, value in percentiles.items()} | {"max": float(times.max())}


def list_legal(bitmask: Any) -> list[int]:
    """Return the tokens that the first row of a bitmask allows."""
    return np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")).tolist()


def time_once(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds that some work takes once."""
    began = clock()
    work()
    return clock() - began


def read_megabytes() -> dict[str, float]:
    """Return megabytes of this process: its own, and resident with shared pages (Linux only)."""
    found = {"private": 0.0, "resident": 0.0}
    lines = Path("/proc/self/smaps_rollup").read_text()
    for name, kilobytes in re.findall(r"^(\w+): +(\d+) kB", lines, re.MULTILINE):
        if name in ("Private_Dirty", "Private_Clean"):
            found["private"] += int(kilobytes) / 1000
        elif name == "Rss":
            found["resident"] += int(kilobytes) / 1000
    return found
