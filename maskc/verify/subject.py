"""What is verified, and what is it held against?

A :class:`Subject` is an artifact with Lark's parser of its grammar, its tokenizer, and the
oracle. Each part is made when it is first asked for, once in a process.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from lark import Lark
from lark.exceptions import LarkError
from numpy.typing import NDArray

from maskc.budget import run_bounded
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import GrammarSource, source_from_header
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.matcher import Matcher, allocate_bitmask
from maskc.verify.general import GeneralOracle, is_general, parses_generally
from maskc.verify.model import VerifyOptions
from maskc.verify.oracle import Oracle
from maskc.verify.refusals import Refusal, find_refusal
from maskc.verify.segments import Segments
from maskc.vocab import Encoder, load_encoder


class Subject:
    """An artifact that is verified, for one process.

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
    def source(self) -> GrammarSource:
        """The grammar's source, as the artifact carries it."""
        return source_from_header(self.artifact.header["grammar"])

    @cached_property
    def lark(self) -> Lark:
        """Lark's own parser: the judge of complete texts."""
        return run_bounded(lambda: build_lark(self.source), self.options.limits)

    @cached_property
    def oracle(self) -> Oracle:
        """The judge of beginnings; its answers may depend on what it was asked before."""
        return build_oracle(self.lark)

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

    def fresh_oracle(self) -> Oracle:
        """Return the oracle with nothing remembered, so that a unit depends on itself alone."""
        self.oracle.forget()
        return self.oracle

    def parses(self, text: str) -> bool:
        """Return whether Lark parses a text."""
        return parses(self.lark, text)

    def find_refusal(self, text: str) -> Refusal | None:
        """Return where and why Lark refuses a text, ``None`` if it parses it."""
        return find_refusal(self.lark, text, lambda: self.oracle.steps)

    def legal(self, matcher: Matcher) -> NDArray[np.bool_]:
        """Return bool[vocab_size], the tokens that the mask allows."""
        bitmask = allocate_bitmask(1, self.artifact.vocab_size)
        matcher.fill_bitmask(bitmask, 0)
        return unpack(bitmask[0], self.artifact.vocab_size)


def build_oracle(lark: Lark) -> Oracle:
    """Return the judge of beginnings for a grammar; who else judges them joins it here."""
    return GeneralOracle(lark) if is_general(lark) else Oracle(lark)


def parses(lark: Lark, text: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises more than ``LarkError``."""
    if is_general(lark):
        return parses_generally(lark, text)
    try:
        lark.parse(text)
    except (LarkError, IndexError, AssertionError):
        return False
    return True


def unpack(row: NDArray[np.int32], vocab_size: int) -> NDArray[np.bool_]:
    """Return bool[vocab_size] from one row of a bitmask."""
    bits = np.unpackbits(row.view(np.uint8), count=vocab_size, bitorder="little")
    return bits.astype(np.bool_)
