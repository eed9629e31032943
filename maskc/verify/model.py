"""What ``maskc verify`` is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[str, float], None]

MAX_FAILURES = 20  # witnesses kept of each experiment; all are counted


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How much to check.

    Attributes:
        files: files of the corpus to walk.
        max_bytes: longer files are left out.
        texts: texts to generate.
        max_tokens: tokens after which a text is steered to its end.
        positions: masks to compare with the oracle, ``PER_POSITION`` tokens each.
        raw_positions: masks to compare, in all bits, with those of the raw store.
        seed: of all that is chosen at random.
        tokenizer: where the tokenizer is, if the artifact's name for it does not find it.
    """

    files: int = 300
    max_bytes: int = 100_000
    texts: int = 40
    max_tokens: int = 400
    positions: int = 400
    raw_positions: int = 2_000
    seed: int = 0
    tokenizer: str | None = None


@dataclass(slots=True)
class Experiment:
    """One experiment's outcome.

    Attributes:
        name: ``corpus``, ``generation``, ``oracle`` or ``raw store``.
        counts: what was done, by name.
        failures: the first ``MAX_FAILURES`` witnesses.
        needed: the count that must not be zero for the experiment to say anything.
    """

    name: str
    needed: str
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[Mapping[str, Any]] = field(default_factory=list)

    def count(self, name: str, by: int = 1) -> None:
        """Add to a count."""
        self.counts[name] = self.counts.get(name, 0) + by

    def fail(self, **witness: Any) -> None:
        """Count a failure and keep its witness."""
        self.count("failures")
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(witness)

    @property
    def ok(self) -> bool:
        """Whether nothing failed and something was checked."""
        return not self.counts.get("failures") and self.counts.get(self.needed, 0) > 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "ok": self.ok,
            "counts": self.counts,
            "failures": [dict(witness) for witness in self.failures],
        }


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The outcome of all experiments that were asked for."""

    experiments: tuple[Experiment, ...]

    @property
    def ok(self) -> bool:
        """Whether every experiment passed."""
        return all(experiment.ok for experiment in self.experiments)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"ok": self.ok, "experiments": [e.to_dict() for e in self.experiments]}


def place_of(text: str, position: int) -> dict[str, Any]:
    """Return line and the text before a position, for a witness."""
    return {"line": text.count("\n", 0, position) + 1, "before": text[:position][-80:]}
