"""An artifact that is verified, with its model's tokenizer: what artifacts of every kind have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.artifact import Artifact, load
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher
from maskc.verify.model import Experiment, VerifyOptions
from maskc.verify.segments import Segments
from maskc.vocab import Encoder, load_encoder


class Loaded:
    """An artifact, for one process; each part is made when it is first asked for.

    Attributes:
        path: of the artifact.
        options: how much to check.
        folder: where files may be put that all processes share.
    """

    def __init__(self, path: str, options: VerifyOptions, folder: Path) -> None:
        self.path, self.options, self.folder = path, options, folder

    @cached_property
    def artifact(self) -> Artifact:
        """The artifact, mapped: that of the start symbol asked for."""
        return load(self.path).for_start(self.options.start)

    @cached_property
    def encoder(self) -> Encoder:
        """The model's tokenizer."""
        name = self.options.tokenizer or self.artifact.header["tokenizer"]["name"]
        return load_encoder(name, is_text=self.artifact.is_text)

    @cached_property
    def segments(self) -> Segments:
        """The ways to cut bytes into tokens."""
        return Segments(
            [
                None if i in self.artifact.eos_ids else self.artifact.token_bytes(i)
                for i in range(self.artifact.vocab_size)
            ]
        )

    def encode(self, text: str) -> list[int]:
        """Return the tokens that the model's tokenizer makes of a text.

        Raises:
            TokenizerError: the vocabulary cannot write it.
        """
        return self.encoder.encode(text)

    def takes(self, tokens: Iterable[int], found: Experiment, name: str) -> bool:
        """Return whether all tokens are taken, each as the mask before it has it, to an end.

        Args:
            tokens: of a text.
            found: where the mask and the matcher do not agree, that is recorded.
            name: of the text.
        """
        matcher = self.artifact.matcher()
        for token in tokens:
            is_legal = bool(self.legal(matcher)[token])
            if matcher.accept_token(token) != is_legal:
                problem = "the mask and the matcher do not agree on it"
                found.fail(file=name, token=token, problem=problem)
            if not is_legal:
                return False
        return matcher.is_accepting or matcher.is_terminated

    def legal(self, matcher: Matcher) -> NDArray[np.bool_]:
        """Return bool[vocab_size], the tokens that the mask allows."""
        bitmask = allocate_bitmask(1, self.artifact.vocab_size)
        matcher.fill_bitmask(bitmask, 0)
        return unpack(bitmask[0], self.artifact.vocab_size)


def unpack(row: NDArray[np.int32], vocab_size: int) -> NDArray[np.bool_]:
    """Return bool[vocab_size] from one row of a bitmask."""
    bits = np.unpackbits(row.view(np.uint8), count=vocab_size, bitorder="little")
    return bits.astype(np.bool_)
