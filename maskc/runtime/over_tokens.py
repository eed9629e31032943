"""What is the same of all that makes matchers over a vocabulary, whatever their machine is.

Example: an artifact with terminals narrowed and a constraint of a request have machines of their
own, and the tokens of an artifact or of a kit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.arguments import as_count
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.machine import Machine
from maskc.runtime.matcher import Matcher
from maskc.runtime.once import made_once
from maskc.runtime.shared import Shared
from maskc.runtime.undo import UndoLog
from maskc.runtime.vocabulary import TokenTable

if TYPE_CHECKING:
    from maskc.runtime.budget.endings import Endings


class OverTokens(Shared):
    """A language of texts over a vocabulary: what :class:`maskc.runtime.compiled.Compiled` asks.

    ``copy.copy`` and ``copy.deepcopy`` return it itself, and it is not pickled.

    Args:
        machine: reads its texts.
        table: the tokens.
        eos_ids: end-of-sequence ids.

    Attributes:
        machine: the machine that all its matchers share.
        vocab_size: number of tokens, padding included.
        eos_ids: end-of-sequence ids.
        ends: the same as a set.
    """

    pickle_remedy = "send what it was made of, and make it there"

    def __init__(self, machine: Machine[Any], table: TokenTable, eos_ids: tuple[int, ...]) -> None:
        self.machine, self._table = machine, table
        self.vocab_size, self.eos_ids, self.ends = table.vocab_size, eos_ids, frozenset(eos_ids)

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for one without bytes."""
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
        from maskc.runtime.budget.endings import endings_of

        return endings_of(self.machine, self._table.index, self.ends)

    def check_own_tokens(self) -> None:
        """Return, as its texts can be limited to the tokenizer's own tokens."""

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text.

        Of a kit's constraint, its methods raise a ``LimitError`` where a text can be read in too
        many ways at once, or a pattern needs too many states; the matcher stays as it was.
        """
        return Matcher(self, self.machine.start(), UndoLog(), terminated=False)

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks that have a number; see :meth:`maskc.Artifact.mask_table`.

        They are all of the artifact's, or of all constraints of a kit.

        Args:
            first: leave out the masks with smaller numbers.

        Returns:
            int32[number of masks - first, ceil(vocab_size / 32)].
        """
        return self.machine.pool.table(as_count("first", first))
