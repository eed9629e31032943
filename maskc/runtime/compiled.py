"""What makes matchers: an artifact, or a constraint that a kit made of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.machine import Machine

if TYPE_CHECKING:
    from maskc.runtime.budget.endings import Endings
    from maskc.runtime.matcher import Matcher


class Compiled(Protocol):
    """A language of texts over a vocabulary, ready to make matchers.

    Attributes:
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
    """

    vocab_size: int
    eos_ids: tuple[int, ...]
    ends: frozenset[int]

    @property
    def machine(self) -> Machine[Any]:
        """The machine that all its matchers share."""

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for one without bytes."""

    @property
    def joined_bytes(self) -> bytes:
        """The bytes that no token writes alone, in order."""

    @property
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes."""

    @property
    def endings(self) -> Endings:
        """What is known of how few tokens finish its texts."""

    def check_own_tokens(self) -> None:
        """Check that its texts can be limited to the tokenizer's own tokens.

        Raises:
            SpellingError: they cannot.
        """

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text."""

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number so far, by number, from one on."""
