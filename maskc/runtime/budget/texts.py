"""What each kind of machine knows of the short texts that finish another one."""

from __future__ import annotations

from collections.abc import Iterator

from maskc.runtime.machine import Hypotheses


class Texts:
    """The short texts of one machine. Of one of which nothing is known, bytes are searched for."""

    n_bytes = 0  # about how much is remembered

    def clear(self) -> None:
        """Forget what is remembered, but not what is the same for all texts."""

    def propose(self, _hypotheses: Hypotheses) -> Iterator[bytes | int]:
        """Yield words, or tokens that are taken whole, that may come next, the best first."""
        yield from ()

    def leap(self, _hypotheses: Hypotheses) -> tuple[bytes, Hypotheses] | None:
        """Return a word that is known to lead on, and where; ``None``: none is known without it."""
        return None

    def estimate(self, _hypotheses: Hypotheses) -> int:
        """Return about how many bytes are left."""
        return 0

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses with much the same completions, of which more are alike."""
        return hypotheses

    def margin(self, _hypotheses: Hypotheses) -> int:
        """Return how many tokens more finish hypotheses than they do with some forgotten."""
        return 0

    def most(self, _hypotheses: Hypotheses, _least: int) -> int | None:
        """Return how many tokens finish a text after any token; ``None``: unknown.

        Args:
            _hypotheses: before the token.
            _least: how many finish them.
        """
        return None
