"""What is known of a place, and how does it look on top?

A place is what a machine knows of a beginning (:mod:`maskc.runtime.ending.places.places`): what
finishes its texts is found out little by little, and kept here.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from maskc.runtime.holes.stepping import Reading
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.link.joining.pieces import Link
from maskc.runtime.machine import Hypotheses
from maskc.runtime.schema.machine.nodes import DEPTH, STATE, Configuration

if TYPE_CHECKING:
    from maskc.runtime.ending.places.reach import Reach

FAR = 1 << 30  # tokens: no end is known


class Place:
    """What a machine knows of a beginning, and what is known of the ends of its texts.

    Attributes:
        key: equal for two places only if they have the same future.
        hypotheses: of the machine.
        number: in the table.
        may_end: whether the text may end here.
        n_tokens: the fewest tokens that are known to finish the text, the end of sequence
            included; ``FAR``: none are known.
        token, after: the first of them, and where it leads; ``None`` where it is the end.
        at_least: no fewer tokens finish it.
        exit: the first byte, or token, of the way out; ``None``: no way out is known, or the text
            may end here.
        exit_to: where it leads.
        has_exit: whether a way out is known.
        n_out: how many tokens write the way out at most, a token for each byte, without the end of
            sequence; ``FAR``: no way out is known, or a byte of it is no token.
        reach: where the tokens lead, once that was asked.
        is_bounded: whether ``at_least`` is what the grammar says.
        is_settled: whether its way out was written in tokens.
        n_surveyed: of the places that its tokens lead to, ways out were looked for of those that
            so many tokens may finish.
        n_spared: ways out were not written in as few tokens as write them where so many suffice.
        is_vast: whether these places are too many.
        plain_from: with so many tokens left, no legal token is one too many.
        is_measured: whether that was asked.
        alike: the place with keys forgotten, if its mask was found by that.
    """

    __slots__ = (
        "after",
        "alike",
        "at_least",
        "exit",
        "exit_to",
        "has_exit",
        "hypotheses",
        "is_bounded",
        "is_measured",
        "is_settled",
        "is_vast",
        "key",
        "may_end",
        "n_out",
        "n_spared",
        "n_surveyed",
        "n_tokens",
        "number",
        "plain_from",
        "reach",
        "token",
    )

    def __init__(
        self, key: Hashable, hypotheses: Hypotheses, number: int, *, may_end: bool
    ) -> None:
        self.key, self.hypotheses, self.number, self.may_end = key, hypotheses, number, may_end
        self.n_tokens = 1 if may_end else FAR
        self.at_least = 1 if may_end else 2
        self.token: int | None = None
        self.after: Place | None = None
        self.has_exit = may_end
        self.n_out = 0 if may_end else FAR
        self.exit: bytes | int | None = None
        self.exit_to: Place | None = None
        self.reach: Reach | None = None
        self.is_settled = may_end
        self.is_bounded = False
        self.n_surveyed = self.n_spared = 0
        self.is_vast = False
        self.plain_from = FAR
        self.is_measured = False
        self.alike: Place | None = None

    @property
    def suffices(self) -> int:
        """A number of tokens that finishes the text, the end of sequence included."""
        return min(self.n_tokens, self.n_out + 1)


def depth_of(hypotheses: Hypotheses) -> int:
    """Return how much is open, about: a search closes rather than opens."""
    first = hypotheses[0]
    if isinstance(first, Link):
        return first.rest.depth + _depth_of(first.inner)
    return _depth_of(first)


def _depth_of(hypothesis: Any) -> int:
    if isinstance(hypothesis, Reading):
        hypothesis = hypothesis.hypothesis
    if isinstance(hypothesis, Hypothesis):
        return hypothesis.stack.depth
    return hypothesis.nodes[0][DEPTH] if isinstance(hypothesis, Configuration) else 0


def top_of(hypotheses: Hypotheses) -> Hashable:
    """Return what is on top: places that have the same are mostly left in the same way."""
    first = hypotheses[0]
    if isinstance(first, Link):
        return (first.piece, _top(first.inner))
    return _top(first)


def _top(hypothesis: Any) -> Hashable:
    if isinstance(hypothesis, Reading):
        return (hypothesis.hypothesis.state, hypothesis.track)
    if isinstance(hypothesis, Hypothesis):
        return hypothesis.state
    return hypothesis.nodes[0][STATE][:2] if isinstance(hypothesis, Configuration) else None


def counts_tokens(hypotheses: Hypotheses) -> bool:
    """Return whether pieces of a link count tokens here."""
    return any(h.piece.counts_tokens for h in hypotheses)
