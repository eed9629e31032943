"""Masks in the rows of an engine's bitmask, which may be wider than an artifact's.

Engines allocate ``int32[rows, ceil(width / 32)]`` for the width of the model's logits; artifacts
compiled without the model's padding are narrower, and what is beyond them is never legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.errors import TokensLeftError
from maskc.runtime.batches import fill_bitmasks
from maskc.runtime.compiled import Compiled
from maskc.runtime.matcher import Matcher


@dataclass(frozen=True, slots=True)
class RowOwner:
    """A matcher with the artifact it came from.

    It is ``None`` for a sequence that has left the language: only its end is allowed.
    """

    artifact: Compiled
    matcher: Matcher | None

    @classmethod
    def start(cls, artifact: Compiled) -> RowOwner:
        return cls(artifact, artifact.matcher())

    def after(self, token_ids: Sequence[int]) -> RowOwner:
        """Return the sequence after more tokens; what follows an end of sequence is ignored."""
        if self.matcher is None:
            return self
        matcher = self.matcher.fork()
        for token_id in token_ids:
            if not matcher.is_terminated and not matcher.accept_token(token_id):
                return RowOwner(self.artifact, None)
        return RowOwner(self.artifact, matcher)


def fill_rows(
    sequences: Sequence[RowOwner],
    bitmask: NDArray[np.int32],
    rows: Sequence[int],
    tokens_left: int | None = None,
) -> TokensLeftError | None:
    """Write the legal tokens of each sequence into its row of a bitmask that is wide enough.

    Return, as :func:`fill_row` for one of them, why the budget is not kept.
    """
    width, told = bitmask.shape[1], None
    matchers, matcher_rows = [], []
    for sequence, row in zip(sequences, rows, strict=True):
        if sequence.matcher is None:
            fill_ends(sequence.artifact, bitmask, row)
        elif tokens_left is None and _count_words(sequence.artifact) == width:
            matchers.append(sequence.matcher)
            matcher_rows.append(row)
        else:
            error = fill_row(sequence.artifact, sequence.matcher, bitmask, row, tokens_left)
            told = told or error
    fill_bitmasks(matchers, bitmask, matcher_rows)
    return told


def fill_row(
    artifact: Compiled,
    matcher: Matcher,
    bitmask: NDArray[np.int32],
    row: int,
    tokens_left: int | None = None,
) -> TokensLeftError | None:
    """Write the legal tokens of one matcher into one row, and 0 beyond its artifact's width.

    A budget in which the text cannot be finished is not kept: the row has all tokens that are
    legal, and why is returned.
    """
    n_words, told = _count_words(artifact), None
    # One row is contiguous by itself, however wide the others are.
    narrow = bitmask[row : row + 1, :n_words]
    try:
        matcher.fill_bitmask(narrow, 0, tokens_left=tokens_left)
    except TokensLeftError as error:
        told = error
        matcher.fill_bitmask(narrow, 0)
    bitmask[row, n_words:] = 0
    return told


def fill_ends(artifact: Compiled, bitmask: NDArray[np.int32], row: int) -> None:
    """Write the end-of-sequence tokens, and no others, into one row."""
    words = bitmask[row].view(np.uint32)
    words[:] = 0
    for end in artifact.eos_ids:
        words[end // 32] |= np.uint32(1 << end % 32)


def _count_words(artifact: Compiled) -> int:
    return -(-artifact.vocab_size // 32)
