"""maskc: an artifact is loaded afresh for each cold pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import maskc
from benchmarks.engines import Prepared
from maskc.bench.timing import Session


def prepare(workload: str, artifact: Path) -> Prepared:
    """Return maskc with the artifact of a workload."""
    del workload
    bitmask = maskc.allocate_bitmask(1, maskc.load(artifact).vocab_size)

    def load() -> Callable[[], Session]:
        loaded = maskc.load(artifact)

        def start() -> Session:
            matcher = loaded.matcher()
            return Session(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)

        return start

    return Prepared(f"maskc {maskc.__version__}", bitmask, load)
