"""What is verified, and what is it held against?

A :class:`Subject` is an artifact with Lark's parser of its grammar, its tokenizer, and the
oracle. Each part is made when it is first asked for, once in a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import Any

from lark import Lark
from lark.exceptions import LarkError

from maskc.artifact.sections import is_link, is_schema
from maskc.bounded import run_bounded
from maskc.errors import TokenizerError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import GrammarSource, source_from_header
from maskc.verify.encoding import BYTES, UTF8, show_lark
from maskc.verify.general import GeneralOracle, is_general, parses_generally
from maskc.verify.loaded import Loaded
from maskc.verify.oracle import Oracle
from maskc.verify.refusals import Refusal, find_refusal


class Subject(Loaded):
    """An artifact of a grammar that is verified, for one process."""

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
    def encoding(self) -> str:
        """The encoding of texts."""
        return read_encoding(self.artifact.header)

    def encode(self, text: str) -> list[int]:
        """Return the model's tokens for a text; of bytes that are no UTF-8, any cut into tokens.

        Raises:
            TokenizerError: no tokens of the vocabulary write it.
        """
        if self.encoding == UTF8:
            return super().encode(text)
        data = text.encode(self.encoding)
        try:
            return super().encode(data.decode())
        except UnicodeDecodeError:
            cut = self.segments.draw(data, Random(len(data)))
        if cut is None:
            raise TokenizerError(
                self.encoder.name, "no tokens write these bytes", "use one with a token a byte"
            )
        return cut

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


def read_encoding(header: Mapping[str, Any]) -> str:
    """Return the encoding of an artifact's texts: only those of a grammar may be bytes."""
    if is_schema(header) or is_link(header):
        return UTF8
    return BYTES if source_from_header(header["grammar"]).use_bytes else UTF8


def build_oracle(lark: Lark) -> Oracle:
    """Return the judge of beginnings for a grammar; who else judges them joins it here."""
    return GeneralOracle(lark) if is_general(lark) else Oracle(lark)


def parses(lark: Lark, text: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises more than ``LarkError``."""
    if is_general(lark):
        return parses_generally(lark, text)
    try:
        lark.parse(show_lark(lark, text))
    except (LarkError, IndexError, AssertionError):
        return False
    return True
