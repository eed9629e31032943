"""What one request asks of its output: makes matchers, as an artifact does."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from maskc.arguments import as_float
from maskc.runtime import made_once
from maskc.runtime.artifact import Compiled
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.machine import Machine
from maskc.runtime.schema.tries import TokenIndex
from maskc.runtime.vocabulary import TokenTable


class KitTokens:
    """A vocabulary and its tries."""

    def __init__(
        self,
        table: TokenTable,
        index: TokenIndex,
        eos_ids: Sequence[int],
        *,
        name: str,
        special_ids: Mapping[str, int],
    ) -> None:
        self.table, self.name, self.special_ids = table, name, special_ids
        self.index, self.text_of = index, table.text_of
        self.vocab_size, self.eos_ids = table.vocab_size, tuple(eos_ids)
        self.ends = frozenset(eos_ids)

    @property
    def fingerprint(self) -> str:
        return self.table.fingerprint(self.eos_ids)

    def find(self, name: str) -> int | None:
        """Return a token by its name, or by the text that it writes; ``None``: there is none."""
        found = self.special_ids.get(name)
        return self._ids_by_text.get(name.encode(errors="replace")) if found is None else found

    @made_once
    def _ids_by_text(self) -> dict[bytes, int]:
        ids = zip(self.index.order.tolist(), self.index.tokens.texts, strict=True)
        return {text: token for token, text in sorted(ids, reverse=True)}


_LONGEST_DRAFT = 4_096  # tokens


class Constraint(Compiled):
    """A constraint of a kit. Immutable; make one matcher for each sequence.

    Constraints of one kit are put together with :meth:`maskc.kit.kit.Kit.sequence`,
    :meth:`~maskc.kit.kit.Kit.one_of` and :meth:`~maskc.kit.kit.Kit.repeat`.

    Args:
        make: makes its expression, which only a constraint that it is a part of asks for.

    Attributes:
        notes: a sentence for each part of a schema that was made larger
            (``on_unsupported="loosen"``), with its JSON pointer.
    """

    def __init__(
        self,
        make: Callable[[], Expression],
        machine: Machine[Any],
        tokens: KitTokens,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(machine, tokens.table, tokens.eos_ids)
        self._make, self.tokens, self.notes = make, tokens, notes

    @made_once
    def expression(self) -> Expression:
        """What it asks, to put together with others."""
        return self._make()

    def __repr__(self) -> str:
        return f"<maskc.Constraint of a {type(self.expression).__name__}>"

    def prepare(self, seconds: float) -> int:
        """Compute masks ahead, those of likely texts first; return how many were looked at.

        Texts are drawn from the legal tokens, the same ones every time, so a server can call this
        while it reads a prompt: what is found is cached for all requests of the kit.

        Args:
            seconds: how long it may take; one mask more may be finished after that.

        Raises:
            LimitError: a text cannot be followed, as :meth:`matcher` says.
        """
        until, n_masks = time.monotonic() + as_float("seconds", seconds), 0
        choose = random.Random(0)  # noqa: S311  # no secret
        bitmask = allocate_bitmask(1, self.vocab_size)
        while time.monotonic() < until:
            matcher = self.matcher()
            for _ in range(_LONGEST_DRAFT):
                matcher.fill_bitmask(bitmask, 0)
                n_masks += 1
                legal = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
                if not len(legal):
                    break  # no token goes on
                matcher.accept_token(int(legal[choose.randrange(len(legal))]))
                if matcher.is_terminated or time.monotonic() >= until:
                    break
        return n_masks
