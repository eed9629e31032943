"""A grammar whose texts a model of random weights writes: what ends them, and what judges them."""

from __future__ import annotations

from functools import cache

import maskc
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.integrations.registry import SUFFIX, find_folder
from maskc.verify.general import build_oracle, parses
from tests.engines.steering import Steering


class Subject:
    """An artifact with its parser.

    Args:
        artifact: of a Lark grammar.
        tokenizer: the name of its tokenizer.

    Attributes:
        artifact: as given.
        lark: the grammar in Lark.
        steering: wishes for ends.
    """

    def __init__(self, artifact: maskc.Artifact, tokenizer: str) -> None:
        self.artifact = artifact
        self.lark = build_lark(source_from_header(artifact.header["grammar"]))
        self.steering = Steering(artifact, self.lark, tokenizer)
        self._oracle = build_oracle(self.lark)

    def parses(self, text: str) -> bool:
        """Return whether Lark parses a text."""
        return parses(self.lark, text)

    def can_end(self, text: bytes) -> bool:
        """Return whether the oracle finds a text of the grammar that begins so."""
        self._oracle.forget()
        return self._oracle.at(text).decide(b"")[1] is not None

    def judge(self, ids: list[int], *, ended: bool) -> str | None:
        """Return what is wrong with a text, or the beginning of one; ``None`` if nothing is."""
        data = self.steering.write(ids)
        if ended:
            return None if self.parses(data.decode()) else "Lark does not parse it"
        return None if self.can_end(data) else "the oracle finds no text that begins so"


@cache
def load_subject(name: str, tokenizer: str) -> Subject:
    """Return an artifact of the folder that the engine has them from."""
    return Subject(maskc.load(find_folder() / f"{name}{SUFFIX}"), tokenizer)
