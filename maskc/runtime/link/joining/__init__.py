"""The machine of a text that is linked of pieces; see :mod:`maskc.runtime.link.joining.boundaries`.

All links of a tokenizer share the pieces, what is cached of them, and one pool of numbered masks,
so a mask that one request needed has its number in the next one.

Example: of a choice of ``yes`` and ``no``, and ``[.!]`` after it, ``no`` leads to where ``!`` is
legal, and so does ``no!`` at the start.

Source: XGrammar 2, its cross-grammar cache and its lazy compilation (papers/xgrammar2.md).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link
from maskc.runtime.machine import EVERY_BYTE, check_hypotheses
from maskc.runtime.pool import NO_NUMBER, MaskPool, PooledMask
from maskc.runtime.schema.tries.summary import Mixes
from maskc.runtime.step_budget import one_mask


class LinkResults:
    """What the links of a tokenizer cache together, charged to the budget of its boundaries.

    ``text_of`` returns the bytes of a token, ``None`` if it writes no text.
    """

    def __init__(
        self, boundaries: PieceBoundaries, pool: MaskPool, text_of: Callable[[int], bytes | None]
    ) -> None:
        self.boundaries, self.pool, self.text_of = boundaries, pool, text_of
        self.budget = budget = boundaries.scanner.budget
        self.moves = Cache(budget, _measure)  # (hypotheses, token) → hypotheses
        self.masks = Cache(budget)  # (piece, what it knows, capped rest) → mask
        # Many configurations of many texts leave the same tokens.
        self.mixes = Mixes(boundaries.index, pool, budget)


class LinkMachine:
    """A :class:`maskc.runtime.machine.Machine` for a text that is linked of pieces."""

    def __init__(self, root: Rest, results: LinkResults) -> None:
        self._results, self.boundaries, self.pool = results, results.boundaries, results.pool
        self.root = root
        self.byte_groups = EVERY_BYTE
        self._start = root.starts
        if root.may_be_empty and not any(map(self.may_end, self._start)):
            # Where the whole text may be empty, it has ended before its first byte.
            self._start += (results.boundaries.ended,)

    def start(self) -> tuple[Link, ...]:
        return self._start

    def take(self, hypotheses: tuple[Link, ...], token_id: int) -> tuple[Link, ...]:
        key = (hypotheses, token_id)
        found: tuple[Link, ...] | None = self._results.moves.get(key)
        if found is None:
            found = self._take(hypotheses, token_id)
            self._results.moves.put(key, found)
        return found

    def begin(self, hypotheses: tuple[Link, ...], text: bytes) -> tuple[Link, ...]:
        return self.boundaries.step(_begin_token(hypotheses), text)

    def end_token(self, hypotheses: tuple[Link, ...]) -> tuple[Link, ...]:
        """Return the hypotheses that are live where a token ends; none if it may not end."""
        return tuple(h for h in hypotheses if h.piece.is_live(h.inner, h.rest))

    def list_atoms(self, hypotheses: tuple[Link, ...]) -> list[int]:
        """Return the tokens that are taken as atoms, whatever they write, in order."""
        return sorted({t for piece, inner, _ in hypotheses for t in piece.atoms(inner)})

    def _take(self, hypotheses: tuple[Link, ...], token_id: int) -> tuple[Link, ...]:
        text = self._results.text_of(token_id)
        found = self.step(hypotheses, text) if text else ()
        if any(hypothesis.piece.has_atoms for hypothesis in hypotheses):
            atoms = self.boundaries.take(hypotheses, token_id)
            found = tuple(dict.fromkeys((*found, *atoms)))
            check_hypotheses(len(found))
        return found

    def step(self, hypotheses: tuple[Link, ...], text: bytes) -> tuple[Link, ...]:
        with one_mask(self.pool.steps):
            found = self.begin(hypotheses, text)
        if any(hypothesis.piece.counts_tokens for hypothesis in found):
            found = self.end_token(found)
        return found

    def may_end(self, hypothesis: Link) -> bool:
        return hypothesis.rest.may_be_empty and hypothesis.piece.has_ended(hypothesis.inner)

    def mask(self, hypothesis: Link) -> PooledMask:
        known = hypothesis.mask
        if known is not None:
            return known
        piece, inner, rest = hypothesis
        inner = piece.seen(inner)
        capped = rest.capped
        key = (piece, inner, capped)
        found: PooledMask | None = self._results.masks.get(key)
        if found is None:
            ends: tuple[int, ...] = ()
            with one_mask(self.pool.steps):
                part = piece.legal(inner, capped)
                if self.may_end(hypothesis):
                    ends = self.pool.eos_ids if piece.end is None else (piece.end,)
            found = self._results.mixes.mask(part.rows, part.few, part.removed, ends)
            self._results.masks.put(key, found)
        if found.number != NO_NUMBER:
            hypothesis.mask = found  # the pool keeps it for good
        return found

    def mask_numbers(self, batch: Iterable[tuple[Link, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return [
            self.mask(here[0]).number if len(here) == 1 else self._mask_all(here).number
            for here in batch
        ]

    def _mask_all(self, here: tuple[Link, ...]) -> PooledMask:
        known = [hypothesis.mask for hypothesis in here]
        masks = [mask for mask in known if mask is not None]
        if len(masks) == len(here):
            return self.pool.unite(masks)
        with one_mask(self.pool.steps):
            return self.pool.unite(map(self.mask, here))

    def describe(self, hypothesis: Link) -> Hashable:
        return (hypothesis.piece, hypothesis.piece.describe(hypothesis.inner), hypothesis.rest)

    def identify(self, hypothesis: Link) -> Hashable:
        return (hypothesis.piece, hypothesis.piece.identify(hypothesis.inner), hypothesis.rest)


def _measure(_: object, found: tuple[Link, ...]) -> int:
    return ENTRY_BYTES * (1 + len(found))


def _begin_token(hypotheses: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return the hypotheses in which one more token may begin, with that token counted."""
    if not any(hypothesis.piece.counts_tokens for hypothesis in hypotheses):
        return hypotheses
    found = []
    for piece, inner, rest in hypotheses:
        begun = piece.begin_token(inner)
        if begun is not None:
            found.append(Link(piece, begun, rest))
    return tuple(found)
