"""What ``maskc bench`` is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from maskc.bench.collector import Collections
from maskc.bench.slowest import SlowFill
from maskc.bench.timing import Times, compute_figures

N_FIRST = 10_000  # what a server that just loaded the artifact meets first


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """How much to time."""

    files: int = 60
    max_bytes: int = 100_000
    tokenizer: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BenchReport:
    """The times of an artifact over a corpus.

    Attributes:
        artifact: its path.
        tokenizer: its tokenizer's name.
        vocab_size: ids, padding included.
        n_documents: texts that were walked.
        n_skipped: files that are no text, or not in the vocabulary.
        cold: times of the first pass.
        warm: times of the second.
        n_masks: distinct masks of a pass.
        floors: figures of each floor, in microseconds.
        collections: of the passes ``cold`` and ``warm``, with the collector on.
        slowest: the slowest fills, slowest first.
    """

    artifact: str
    tokenizer: str
    vocab_size: int
    n_documents: int
    n_skipped: int
    cold: Times
    warm: Times
    n_masks: int
    floors: Mapping[str, Mapping[str, float]]
    collections: Mapping[str, Collections]
    slowest: tuple[SlowFill, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; times are microseconds."""
        return {
            "artifact": self.artifact,
            "tokenizer": self.tokenizer,
            "vocab_size": self.vocab_size,
            "documents": self.n_documents,
            "skipped": self.n_skipped,
            "refused": len(self.cold.refused),
            "tokens": len(self.cold.fill),
            "masks": self.n_masks,
            "passes": list_passes(self.cold, self.warm),
            "floors": {name: dict(figures) for name, figures in self.floors.items()},
            "collections": {name: c.to_dict() for name, c in sorted(self.collections.items())},
            "slowest": [slow.to_dict() for slow in self.slowest],
        }


def list_passes(cold: Times, warm: Times) -> dict[str, dict[str, dict[str, float]]]:
    """Return figures by pass (``first``, ``cold``, ``warm``) and by ``fill``, ``accept``, ``step``.

    ``first`` is the cold pass up to its first ``N_FIRST`` tokens.
    """
    passes = {
        "first": (cold.fill[:N_FIRST], cold.accept[:N_FIRST]),
        "cold": (cold.fill, cold.accept),
        "warm": (warm.fill, warm.accept),
    }
    return {
        name: {
            "fill": compute_figures(fill),
            "accept": compute_figures(accept),
            "step": compute_figures(np.add(fill, accept)),
        }
        for name, (fill, accept) in passes.items()
    }
