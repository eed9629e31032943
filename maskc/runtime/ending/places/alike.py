"""Budget masks where each token leads to a place of its own, since keys must differ.

With keys forgotten (:mod:`maskc.runtime.ending.link.forgetting`) the tokens lead to a few places,
and one number for each of these suffices. What finishes such a place is legal after a token if none
of its keys was there before. That is tried out with one token for each place, and then holds of all
others that lead to it, provided that no further key without a name comes into an object that was
open before. Tokens after which the open key may become one that was there are tried out one by one
(:mod:`maskc.runtime.ending.json.used_keys`).

Example: of ``{"type": "object"}``, after ``{"na`` and with 4 tokens left, llama3 may go on with any
token of a key, as ``":"``, ``"}`` and the end of sequence finish it; after ``{"name": 1, "na`` with
any but ``me``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.json.used_keys import TokenKinds, UsedKeys
from maskc.runtime.ending.link.forgetting import Forgetting
from maskc.runtime.ending.places.place import Place
from maskc.runtime.ending.places.settling import Settling
from maskc.runtime.ending.tokens.paths import Ints
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    COLON,
    DEPTH,
    KEY,
    PARENTS,
    STATE,
    Configuration,
    read_members,
)
from maskc.runtime.schema.plan.objects import OTHERS
from maskc.runtime.schema.strings.other_keys import list_keys

_MOST_NODES = 3_000_000  # of the trie, for one mask: where they lead is remembered for all texts
_MOST_DOUBTFUL = 2_000  # tokens that are tried out for one mask


class BudgetMask(NamedTuple):
    """The tokens that leave enough.

    Attributes:
        words: int32[ceil(vocab_size / 32)].
        is_exact: whether all such tokens are in it; else some may be missing.
    """

    words: NDArray[np.int32]
    is_exact: bool


class Alike:
    """Finds masks with keys forgotten.

    Args:
        machine: the machine.
        forgetting: of its keys.
        settling: of its places with keys forgotten.
        singly: of its places as they are.
        kinds: of the tokens.
        text_of: token id → its bytes, ``None`` for one without any.
    """

    def __init__(
        self,
        machine: Machine[Any],
        forgetting: Forgetting,
        settling: Settling,
        singly: Settling,
        kinds: TokenKinds,
        text_of: Callable[[int], bytes | None],
    ) -> None:
        self._machine, self._forgetting, self.settling = machine, forgetting, settling
        self._singly, self._kinds, self._text_of = singly, kinds, text_of

    def place(self, hypotheses: Hypotheses) -> Place:
        """Return the place of some hypotheses with keys forgotten."""
        return self.settling.places.find(hypotheses)

    def find(self, place: Place, tokens_left: int, plain: NDArray[np.int32]) -> BudgetMask | None:
        """Return the tokens that leave enough, without the end of sequence.

        Args:
            place: where each token leads to a place of its own.
            tokens_left: with this one.
            plain: int32[ceil(vocab_size / 32)], the tokens that are legal in it.

        Returns:
            ``None`` if they lead to too many places even so.
        """
        alike = place.alike = self.place(place.hypotheses)
        self.settling.survey(alike, tokens_left - 1)
        if alike.is_vast:
            return None
        reach = self.settling.reach(alike)
        is_exact = self.settling.settle_all(reach.places, tokens_left - 1, _MOST_NODES)
        opened = self._forgetting.opened(place.hypotheses)
        used = None if opened is None else UsedKeys(opened[1], self._kinds)
        legal = np.zeros(32 * len(plain), dtype=np.bool_)
        n_left = _MOST_DOUBTFUL
        self._singly.begin(place)
        for number, after in enumerate(reach.places):
            if after.n_tokens >= tokens_left:
                continue
            ids = reach.ids[reach.which == number]
            ids = ids[(plain[ids >> 5] >> (ids & 31) & 1).astype(np.bool_)]
            doubtful = self._select(used, after, ids)
            sure, others = ids[~doubtful], ids[doubtful].tolist()
            if len(sure) and self._holds(place, after, int(sure[0])):
                legal[sure] = True
            else:
                others += sure.tolist()
            n_left -= len(others)
            if n_left < 0:
                is_exact = False
                continue
            for token_id in others:
                is_known, legal[token_id] = self._try(place, after, token_id, tokens_left - 1)
                is_exact = is_exact and is_known
        return BudgetMask(np.packbits(legal, bitorder="little").view("<i4"), is_exact)

    def _select(self, used: UsedKeys | None, after: Place, ids: Ints) -> NDArray[np.bool_]:
        """Return bool[n], after which tokens of a place the open key may become one that was."""
        opened = self._forgetting.opened(after.hypotheses)
        if used is None or opened is None:
            return np.zeros(len(ids), dtype=np.bool_)
        return used.select(opened[1], ids)

    def _finish(self, place: Place, after: Place, token_id: int) -> list[Hypotheses] | None:
        """Return where a token and those that finish what it leads to lead, if they are legal."""
        found = [self._machine.take(place.hypotheses, token_id)]
        here: Place | None = after
        while found[-1] and here is not None and here.token is not None:
            found.append(self._machine.take(found[-1], here.token))
            here = here.after
        return found if any(map(self._machine.may_end, found[-1])) else None

    def _try(self, place: Place, after: Place, token_id: int, n_tokens: int) -> tuple[bool, bool]:
        """Return whether it is known if so many tokens finish what a token leads to; if they do."""
        if self._finish(place, after, token_id) is not None:
            return True, True
        singly = self._singly
        found = singly.places.find(self._machine.take(place.hypotheses, token_id))
        singly.settle(found, singly.places.text_out(after))
        fits = found.n_tokens <= n_tokens
        return fits or singly.places.at_least(found) > n_tokens, fits

    def _holds(self, place: Place, after: Place, token_id: int) -> bool:
        """Return whether what finishes a place does so after all tokens that lead to it."""
        chain = self._finish(place, after, token_id)
        if chain is None:
            return False
        text = bytearray()
        step: Place | None = after
        while step is not None and step.token is not None:
            text += self._text_of(step.token) or b""
            step = step.after
        opened = self._forgetting.opened(chain[0])
        return opened is None or self._adds_no_key(*opened, bytes(text))

    def _adds_no_key(self, machine: SchemaMachine, here: Configuration, text: bytes) -> bool:
        """Return whether a text adds no key without a name to what is open, but the open one."""
        counts = UsedKeys(here, self._kinds).counts
        for node in here.nodes:
            if node[STATE][0] == KEY:
                counts[node[DEPTH]] = counts.get(node[DEPTH], 0) + 1
        top = max(counts, default=0)
        for byte in text:
            after = machine.read(here, byte)
            if after is None:
                return True  # it is over
            here = after
            for node in here.nodes:
                if node[STATE][0] == COLON and node[DEPTH] <= top:
                    for frame in node[PARENTS]:
                        n_keys = len(list_keys(read_members(frame[STATE])[OTHERS]))
                        if n_keys > counts.get(node[DEPTH], 0):
                            return False
        return True

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return self.settling.n_bytes
