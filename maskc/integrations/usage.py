"""What was served, by artifact? Counts for logs and metrics.

A registry counts what it does when artifacts are asked for; whoever serves a request adds what it
was when it is over. So nothing is counted while a mask is filled. How many masks an artifact has
composed, and how much it remembers, is read from it when somebody asks.

Of masks that were asked for, those that were not composed were found.

Example: ``registry.usage.add("json", tokens=120, masks=121, seconds=0.004)`` after a request.

Limits: only names that had a file at some time are kept apart, so that invented names take no
memory; refusals of all others are counted together under the empty name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from maskc.runtime.artifact import Artifact

# Name → what it counts; a server adds the last four.
COUNTED: Mapping[str, str] = {
    "loads": "Times that the artifact was read",
    "reloads": "Times that a changed file replaced the artifact",
    "refusals": "Requests that named an artifact which there is not",
    "failures": "Requests that named the artifact, whose file cannot be served",
    "kept": "Requests that were served by the last good artifact, as the file is bad",
    "requests": "Requests that asked for the artifact",
    "tokens": "Tokens that requests generated",
    "refused_tokens": "Tokens that were offered and illegal",
    "masks": "Masks that requests asked for",
    "seconds": "Seconds that masks took",
}


@dataclass(frozen=True, slots=True)
class Held:
    """What an artifact that is served holds now."""

    masks_composed: int
    remembered_bytes: int


class Usage:
    """Counts by artifact. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[str, float]] = {"": dict.fromkeys(COUNTED, 0)}

    def know(self, name: str) -> None:
        """Keep the counts of an artifact apart from now on."""
        with self._lock:
            self._counts.setdefault(name, dict.fromkeys(COUNTED, 0))

    def add(self, name: str, **amounts: float) -> None:
        """Add to the counts of an artifact.

        Raises:
            KeyError: there is no such count.
        """
        with self._lock:
            counts = self._counts.get(name, self._counts[""])
            for what, amount in amounts.items():
                counts[what] += amount

    def counts(self) -> dict[str, dict[str, float]]:
        """Return all counts by artifact, as they are now."""
        with self._lock:
            return {name: dict(counts) for name, counts in sorted(self._counts.items())}


def hold(artifact: Artifact) -> Held:
    """Return what an artifact holds now."""
    return Held(artifact.machine.pool.n_numbered, artifact.remembered_bytes)


class PrometheusCollector:
    """What ``prometheus_client`` asks when it is asked: register it, and nothing else is needed.

    ``prometheus_client.REGISTRY.register(PrometheusCollector(registry))``; each count is
    ``maskc_NAME_total`` with the label ``artifact``, and beside them are the gauges
    ``maskc_masks_composed`` and ``maskc_remembered_bytes``.
    """

    def __init__(self, usage: Usage, served: Callable[[], Mapping[str, Artifact]]) -> None:
        self._usage, self._served = usage, served

    def collect(self) -> Iterator[Any]:
        """Yield the metrics."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        counts = self._usage.counts()
        for what, text in COUNTED.items():
            family = CounterMetricFamily(f"maskc_{what}", text, labels=["artifact"])
            for name, amounts in counts.items():
                family.add_metric([name], amounts[what])
            yield family
        held = {name: hold(artifact) for name, artifact in sorted(self._served().items())}
        composed = GaugeMetricFamily(
            "maskc_masks_composed", "Distinct masks that were composed", labels=["artifact"]
        )
        remembered = GaugeMetricFamily(
            "maskc_remembered_bytes", "Bytes that what is remembered takes", labels=["artifact"]
        )
        for name, now in held.items():
            composed.add_metric([name], now.masks_composed)
            remembered.add_metric([name], now.remembered_bytes)
        yield composed
        yield remembered
