"""What one request asks of its output: makes matchers, as an artifact does."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.kit.tokens import KitTokens
from maskc.runtime.arguments import as_count
from maskc.runtime.ending.endings import Endings
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.link.expressions import Expression
from maskc.runtime.machine import Machine
from maskc.runtime.matcher import Matcher, allocate_bitmask
from maskc.runtime.once import made_once
from maskc.runtime.undo import UndoLog

_LONGEST_DRAFT = 4_096  # tokens


class Constraint:
    """A constraint of a kit. Immutable; make one matcher for each sequence.

    Constraints of one kit are put together with :meth:`maskc.kit.kit.Kit.sequence`,
    :meth:`~maskc.kit.kit.Kit.one_of` and :meth:`~maskc.kit.kit.Kit.repeat`.

    Args:
        expression: what it is made of.
        machine: reads it.
        tokens: of the kit.

    Attributes:
        machine: the machine that all its matchers share.
    """

    def __init__(self, expression: Expression, machine: Machine[Any], tokens: KitTokens) -> None:
        self.expression, self.machine, self.tokens = expression, machine, tokens
        self.vocab_size, self.eos_ids, self.ends = tokens.vocab_size, tokens.eos_ids, tokens.ends

    def __repr__(self) -> str:
        return f"<maskc.Constraint of a {type(self.expression).__name__}>"

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for one without bytes."""
        return self.tokens.first_bytes

    @property
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes, for forced tokens."""
        return self.tokens.token_texts

    @made_once
    def endings(self) -> Endings:
        """What is known of how few tokens finish its texts; made when it is first asked for."""
        return Endings(self.machine, self.tokens.text_of, self.vocab_size, self.ends)

    def matcher(self) -> Matcher:
        """Return a matcher at the start of the text.

        Its methods raise a ``LimitError`` where a text can be read in too many ways at once, or a
        pattern needs too many states; the matcher stays as it was.
        """
        return Matcher(self, self.machine.start(), UndoLog(), terminated=False)

    def mask_table(self, first: int = 0) -> NDArray[np.int32]:
        """Return the masks of the kit that have a number; see :meth:`maskc.Artifact.mask_table`.

        Args:
            first: leave out the masks with smaller numbers.

        Returns:
            int32[number of masks - first, ceil(vocab_size / 32)], of all constraints of the kit.
        """
        return self.machine.pool.table(as_count("first", first))

    def prepare(self, seconds: float) -> int:
        """Compute masks ahead, those of likely texts first; return how many were looked at.

        Texts are drawn from the legal tokens, the same ones every time, so a server can call this
        while it reads a prompt: what is found is cached for all requests of the kit.

        Args:
            seconds: how long it may take; one mask more may be finished after that.

        Raises:
            LimitError: a text cannot be followed, as :meth:`matcher` says.
        """
        until, n_masks = time.monotonic() + seconds, 0
        choose = random.Random(0)  # noqa: S311  # no secret
        bitmask = allocate_bitmask(1, self.vocab_size)
        while time.monotonic() < until:
            matcher = self.matcher()
            for _ in range(_LONGEST_DRAFT):
                matcher.fill_bitmask(bitmask, 0)
                n_masks += 1
                legal = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
                matcher.accept_token(int(legal[choose.randrange(len(legal))]))
                if matcher.is_terminated or time.monotonic() >= until:
                    break
        return n_masks
