"""What a matcher asks of the machine and the masks of an artifact, whatever its parser is.

:class:`maskc.runtime.lalr.machine.LalrMachine` follows an LALR table and
:class:`maskc.runtime.glr.machine.GlrMachine` a general one; each has hypotheses of its own kind,
which nobody else looks into.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.lalr.tables import Tables

Hypotheses = tuple[Any, ...]


class Machine(Protocol):
    """Moves hypotheses. An empty tuple of them means that the text is illegal."""

    tables: Tables

    def start(self) -> Hypotheses:
        """Return the hypotheses before the first byte."""

    def step(self, hypotheses: Any, classes: bytes, text: bytes, /) -> Hypotheses:
        """Return the live hypotheses behind some bytes, given with their classes."""

    def take(self, hypotheses: Any, token_id: int, /) -> Hypotheses:
        """Return the live hypotheses behind a token."""

    def is_complete(self, hypothesis: Any, /) -> bool:
        """Return whether the text may end here."""

    def describe(self, hypothesis: Any, /) -> Hashable:
        """Return all that the future of a hypothesis depends on."""


class Masks(Protocol):
    """Composes masks."""

    pool: MaskPool

    def mask(self, hypothesis: Any, /) -> PooledMask:
        """Return the tokens that a hypothesis allows."""

    def numbers(self, batch: Iterable[Any], /) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
