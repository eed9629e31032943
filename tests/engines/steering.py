"""How does a model of random weights come to the end of a text? By being told what would end it.

A model that wants nothing in particular rarely closes what it opened. So after a number of tokens
the oracle, which is Lark and partial matching of its patterns, is asked for a text that Lark
accepts and that begins with what was generated; the tokens of the rest are what is wished for then.
It is a wish only: the masks decide what is legal, and Lark judges the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskc.runtime.artifact import Artifact
from maskc.verify.general import build_oracle
from maskc.verify.oracle import Undecided
from maskc.vocab import load_encoder


class Steering:
    """Ends of texts of one artifact.

    Args:
        artifact: whose texts.
        lark: its grammar in Lark.
        tokenizer: the name of its tokenizer.

    Attributes:
        ends: its end-of-sequence ids.
    """

    def __init__(self, artifact: Artifact, lark: Any, tokenizer: str) -> None:
        self._artifact = artifact
        self._oracle = build_oracle(lark)
        self._encode = load_encoder(tokenizer).encode
        self.ends = frozenset(artifact.eos_ids)
        self._endings: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._bytes = {
            text: i for i in range(artifact.vocab_size) if len(text := self.write([i])) == 1
        }

    def write(self, ids: list[int]) -> bytes:
        """Return the bytes of some tokens."""
        return b"".join(self._artifact.token_bytes(token_id) or b"" for token_id in ids)

    def wish(self, ids: list[int]) -> int | None:
        """Return the token that leads to an end of the text, ``None`` if no end is found.

        Args:
            ids: the tokens so far.
        """
        key = tuple(ids)
        ending = self._endings.get(key)
        if ending is None:
            found = self._find_ending(ids)
            if found is None:
                return None
            ending = tuple(found)
        if len(self._endings) > 100_000:
            self._endings.clear()
        self._endings[(*key, ending[0])] = ending[1:]
        return ending[0]

    def _find_ending(self, ids: list[int]) -> list[int] | None:
        written = self.write(ids)
        self._oracle.forget()
        try:
            _, witness = self._oracle.at(written).decide(b"")
        except Undecided:
            return None
        if witness is None:
            return None
        rest = witness.encode()[len(written) :]
        # A character that has begun is finished byte by byte.
        n_begun = next((i for i, byte in enumerate(rest) if byte & 0xC0 != 0x80), len(rest))
        first = [self._bytes[rest[i : i + 1]] for i in range(n_begun)]
        return [*first, *self._encode(rest[n_begun:].decode()), self._artifact.eos_ids[0]]


class SteeringProcessor:
    """A logits processor of transformers that wishes for an end; it stands before the grammar's.

    Args:
        steerings: one for each sequence of the batch.
        after: tokens after which an end is wished for.
    """

    supports_continuous_batching = False

    def __init__(self, steerings: list[Steering], after: int) -> None:
        self._steerings, self._after = steerings, after
        self._n_prompt: int | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores, with those of the wishes raised above all others."""
        if self._n_prompt is None:
            self._n_prompt = input_ids.shape[1]
        rows = np.asarray(input_ids.cpu())[:, self._n_prompt :].tolist()
        if not rows or len(rows[0]) < self._after:
            return scores
        scores = scores.clone()
        for row, ids in enumerate(rows):
            steering = self._steerings[row * len(self._steerings) // len(rows)]
            if not steering.ends & set(ids):
                wish = steering.wish(ids)
                if wish is not None:
                    scores[row, wish] += 10_000
        return scores
