"""One sequence being generated: which tokens are legal next, and taking them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.driving import Hypotheses
from maskc.runtime.forced import Encode, keep_stable
from maskc.runtime.memory import History

if TYPE_CHECKING:
    from maskc.runtime.artifact import Artifact


def allocate_bitmask(batch: int, vocab_size: int) -> NDArray[np.int32]:
    """Return int32[batch, ceil(vocab_size / 32)], all ones: nothing is forbidden.

    Token ``t`` is bit ``t % 32``, least significant first, of word ``t // 32``; 1 means legal.
    """
    return np.full((batch, -(-vocab_size // 32)), -1, dtype=np.int32)


def fill_bitmasks(
    matchers: Sequence[Matcher], bitmask: NDArray[np.int32], rows: Sequence[int]
) -> None:
    """Write the legal tokens of many matchers, each into its row.

    Args:
        matchers: of one artifact or of several with vocabularies of one size.
        bitmask: int32[batch, ceil(vocab_size / 32)], C-contiguous, written to.
        rows: the row of each matcher.

    Raises:
        ValueError: there are not as many rows as matchers.
    """
    if len(matchers) > 1 and list(rows) == list(range(len(matchers))):
        artifact = matchers[0]._artifact
        batch = [
            matcher._hypotheses
            for matcher in matchers
            if matcher._artifact is artifact and not matcher._terminated
        ]
        if len(batch) == len(matchers):
            numbers = artifact.masks.numbers(batch)
            if min(numbers) >= 0:
                # With "raise" in the place of "clip", it would go through an array in between.
                table, filled = artifact.masks.pool.rows, bitmask[: len(batch)]
                np.take(table, numbers, axis=0, out=filled, mode="clip")
                return
    for matcher, row in zip(matchers, rows, strict=True):
        matcher.fill_bitmask(bitmask, row)


class Matcher:
    """The state of one sequence. Never raises on a token, and no illegal one changes it."""

    __slots__ = ("_artifact", "_history", "_hypotheses", "_terminated")

    def __init__(
        self,
        artifact: Artifact,
        hypotheses: Hypotheses,
        history: History,
        *,
        terminated: bool,
    ) -> None:
        self._artifact = artifact
        self._hypotheses = hypotheses
        self._terminated = terminated
        # One entry a token: the state before it.
        self._history = history

    def fill_bitmask(self, bitmask: NDArray[np.int32], row: int) -> None:
        """Write the legal tokens into one row.

        Args:
            bitmask: int32[batch, ceil(vocab_size / 32)], C-contiguous, written to.
            row: which row.

        A terminated sequence allows its end-of-sequence tokens, and nothing else.
        """
        masks, hypotheses = self._artifact.masks, self._hypotheses
        if self._terminated:
            bitmask[row] = masks.pool.end_only.words
        elif len(hypotheses) == 1:
            bitmask[row] = masks.mask(hypotheses[0]).words
        else:
            bitmask[row] = masks.pool.unite(map(masks.mask, hypotheses)).words

    def mask_id(self) -> int:
        """Return the number of the mask that :meth:`fill_bitmask` would write.

        It is the mask's row in :meth:`Artifact.mask_table`, and stays so. -1: the mask has no
        number, since those that came before it take half of the artifact's ``cache_bytes``; it
        is composed as before, and has to be filled.
        """
        masks = self._artifact.masks
        if self._terminated:
            return masks.pool.end_only.number
        return masks.numbers((self._hypotheses,))[0]

    def accept_token(self, token_id: int) -> bool:
        """Take a token; return False, and change nothing, if it is illegal."""
        artifact = self._artifact
        if self._terminated:
            return False
        if token_id in artifact.eos_ids:
            if not self.is_accepting:
                return False
            self._history.append(self._hypotheses)
            self._terminated = True
            return True
        after = artifact.machine.take(self._hypotheses, token_id)
        if not after:
            return False
        self._history.append(self._hypotheses)
        self._hypotheses = after
        return True

    def accept_tokens(self, token_ids: Iterable[int]) -> int:
        """Take tokens up to the first illegal one; return how many were taken."""
        n_taken = 0
        for token_id in token_ids:
            if not self.accept_token(token_id):
                break
            n_taken += 1
        return n_taken

    def validate_tokens(self, token_ids: Iterable[int]) -> int:
        """Return how many of the tokens :meth:`accept_tokens` would take; change nothing."""
        n_taken = self.accept_tokens(token_ids)
        self.rollback(n_taken)
        return n_taken

    def accept_bytes(self, data: bytes) -> bool:
        """Take bytes as if they were one token; return False, and change nothing, if illegal."""
        if self._terminated:
            return False
        after = self._after(data) if data else self._hypotheses
        if not after:
            return False
        self._history.append(self._hypotheses)
        self._hypotheses = after
        return True

    def rollback(self, n: int) -> None:
        """Forget the last ``n`` accepted tokens, an end of sequence included.

        The last 65,536 can be forgotten, whatever came before them: a long text's matcher does not
        grow with it.

        Raises:
            ValueError: fewer than ``n`` were accepted since the start, or are remembered.
        """
        n_states = self._history.n_states
        if not 0 <= n <= n_states:
            raise ValueError(f"cannot roll back {n} of {n_states} accepted tokens")
        if n:
            self._hypotheses = self._history.back(n)
            self._terminated = False

    def fork(self) -> Matcher:
        """Return an independent matcher in the same state."""
        return Matcher(
            self._artifact, self._hypotheses, self._history.fork(), terminated=self._terminated
        )

    def reset(self) -> None:
        """Go back to the start of the text."""
        self._hypotheses = self._artifact.machine.start()
        self._terminated = False
        self._history = History()

    @property
    def is_accepting(self) -> bool:
        """Whether an end-of-sequence token is legal now."""
        machine = self._artifact.machine
        return not self._terminated and any(machine.is_complete(h) for h in self._hypotheses)

    @property
    def is_terminated(self) -> bool:
        """Whether an end-of-sequence token was accepted."""
        return self._terminated

    def configuration(self) -> Hashable:
        """Return all that the future depends on: equal for two matchers iff no text tells.

        It takes time in proportion to the depth of what is open.
        """
        return (self._terminated, *map(self._artifact.machine.describe, self._hypotheses))

    def forced_bytes(self) -> bytes:
        """Return the bytes that every way to go on begins with; empty if there is a choice."""
        machine = self._artifact.machine
        forced = bytearray()
        here = self._hypotheses
        while not self._terminated and not any(machine.is_complete(h) for h in here):
            only = self._only_byte(here)
            if only is None:
                break
            byte, here = only
            forced.append(byte)
            if len(forced) >= 4096:
                break
        return bytes(forced)

    def forced_tokens(self, encode: Encode, *, before: str = "") -> list[int]:
        """Return tokens that may be appended without asking the model.

        They are those that the tokenizer itself writes for :meth:`forced_bytes`, as far as they
        are the same for every text that follows. All are legal, and no end of sequence is among
        them; nothing is accepted.

        Args:
            encode: the tokenizer: text to ids, without special tokens, as
                ``maskc.vocab.load_encoder("llama3").encode`` or, of transformers,
                ``partial(tokenizer.encode, add_special_tokens=False)``. If its ids do not write
                the text byte for byte, no token is returned.
            before: the text so far, or its end from where the tokenizer begins a new token in
                any case: what precedes a text can change how it is cut.
        """
        forced = self.forced_bytes()
        return keep_stable(forced, before, encode, self._artifact.token_texts) if forced else []

    def _only_byte(self, here: Hypotheses) -> tuple[int, Hypotheses] | None:
        if self._find_choice(here):
            return None
        machine = self._artifact.machine
        found: tuple[int, Hypotheses] | None = None
        for byte_class in sorted(set(machine.tables.classes)):
            bytes_ = [b for b in range(256) if machine.tables.classes[b] == byte_class]
            # The column tells bytes of one class apart; otherwise the first stands for all.
            after = machine.step(here, bytes([byte_class]), bytes(bytes_[:1]))
            if after:
                if found is not None or len(bytes_) > 1:
                    return None
                found = (bytes_[0], after)
        return found

    def _find_choice(self, here: Hypotheses) -> bool:
        """Return whether legal tokens are known to begin with different bytes."""
        mask = self._artifact.masks.pool.unite(map(self._artifact.masks.mask, here))
        if mask.has_choice is None:
            firsts = self._artifact.first_bytes[
                np.flatnonzero(np.unpackbits(mask.words.view(np.uint8), bitorder="little"))
            ]
            firsts = firsts[firsts >= 0]
            mask.has_choice = bool((firsts != firsts[:1]).any())
        return mask.has_choice

    def _after(self, text: bytes) -> Hypotheses:
        machine = self._artifact.machine
        return machine.step(self._hypotheses, text.translate(machine.tables.classes), text)
