"""What makes matchers over a vocabulary, whatever its machine is.

Example: an artifact with terminals narrowed and a constraint of a request have machines of their
own, and the tokens of an artifact or of a kit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.arguments import as_count
from maskc.runtime.forced import TokenTexts
from maskc.runtime.machine import Machine
from maskc.runtime.matcher import Matcher
from maskc.runtime.shared import Shared, made_once
from maskc.runtime.vocabulary import TokenTable

if TYPE_CHECKING:
    from maskc.runtime.budget import Endings


class Compiled(Shared):
    """A language of texts over a vocabulary, ready to make matchers.

    ``copy.copy`` and ``copy.deepcopy`` return it itself, and it is not pickled.

    Attributes:
        machine: the machine that all its matchers share.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
    """

    pickle_remedy = "send what it was made of, and make it there"

    machine: Machine[Any]

    def __init__(
        self, machine: Machine[Any] | None, table: TokenTable, eos_ids: tuple[int, ...]
    ) -> None:
        # A class that opens its machine when it is first asked for gives none.
        if machine is not None:
            self.machine = machine
        self._table = table
        self.vocab_size, self.eos_ids, self.ends = table.vocab_size, eos_ids, frozenset(eos_ids)

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for special tokens and padding."""
        return self._table.first_bytes

    @property
    def joined_bytes(self) -> bytes:
        """The bytes that no token writes alone, in order."""
        return self._table.joined_bytes

    @property
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes, for forced tokens."""
        return self._table.token_texts

    @made_once
    def endings(self) -> Endings:
        """What is known of how few tokens finish its texts; made when it is first asked for."""
        from maskc.runtime.budget import endings_of

        return endings_of(self.machine, self._table.index, self.ends)

    def check_own_tokens(self) -> None:
        """Check that its texts can be limited to the tokenizer's own tokens.

        Raises:
            SpellingError: they cannot.
        """

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text.

        Of a kit's constraint, its methods raise a ``LimitError`` where a text can be read in too
        many ways at once, or a pattern needs too many states; the matcher stays as it was.
        """
        return Matcher(self, self.machine.start())

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number so far, by number; they cannot be written to.

        Numbers are given in the order in which masks are first needed, by all matchers of this
        artifact or of a kit's constraints, and never again: rows are added, and those that are
        there stay as they are.

        Args:
            first: leave out the masks with smaller numbers.

        Returns:
            int32[number of masks - first, ceil(vocab_size / 32)]; no rows if there are fewer.

        Raises:
            TypeError: ``first`` is no integer.
            ValueError: it is less than 0.
        """
        return self.machine.pool.table(as_count("first", first))
