"""Texts of a grammar: drawn by its rules, or from the masks after the beginning of one.

Half of the texts of experiment 2 are drawn by the grammar's rules (:mod:`maskc.verify.drawing`),
varied in length, with each rule in its turn. The other half begin like such a text and go on with
tokens drawn from the masks (:mod:`maskc.verify.walks`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from lark import Lark

from maskc.bounded import run_bounded
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, load
from maskc.verify.drawing import Drawing, Drawn
from maskc.verify.general import build_oracle
from maskc.verify.oracle import Oracle
from maskc.verify.walks import GeneratedText, Walks

_TRIES = 40  # to draw a text that is one of the grammar's


class Drawer:
    """Draws texts of one artifact of a grammar."""

    def __init__(self, artifact: Artifact, lark: Lark, oracle: Oracle) -> None:
        self._artifact, self._oracle = artifact, oracle
        self.encoding = oracle.steps.encoding
        self.drawing, self.walks = Drawing(lark, oracle), Walks(artifact, oracle)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text that depends on nothing but these numbers.

        It is drawn by the rules; from the masks, if nothing that is drawn so is legal.
        """
        self._oracle.forget()
        draw = Random(f"{seed}:{number}")
        for tried, drawn in enumerate(self.propose(draw, seed, number, max_tokens)):
            if drawn is not None and self.is_legal(drawn.text):
                return GeneratedText(drawn.text, drawn.n_lexemes, None, tried, drawn.rules)
        return self.walks.draw(draw, max_tokens)

    def propose(
        self, draw: Random, seed: int, number: int, max_tokens: int
    ) -> Iterator[Drawn | None]:
        """Yield texts that the rules derive, of all lengths; ``None`` where nothing came of one."""
        for tried in range(_TRIES):
            # Short and long ones alike; shorter from try to try, as they come true more often.
            size = int(max_tokens ** (draw.random() ** 0.5 * (1 - tried / _TRIES)))
            yield self.drawing.draw(draw, seed=seed, number=number, size=size)

    def is_legal(self, text: str) -> bool:
        """Return whether the artifact takes a text to its end."""
        matcher = self._artifact.matcher()
        return matcher.accept_bytes(text.encode(self.encoding)) and matcher.is_accepting


def generate_texts(
    artifact: Artifact, *, count: int, max_tokens: int, seed: int, limits: Limits | None = None
) -> Iterator[GeneratedText]:
    """Yield texts, the same ones for the same seed, of about so many lexemes at most."""
    drawer = _build_drawer(artifact, limits)
    for number in range(count):
        yield drawer.draw_text(seed, number, max_tokens)


def draw_text(
    path: str, start: str | None, number: int, *, max_tokens: int, seed: int, limits: Limits
) -> GeneratedText:
    """Return one of the texts of :func:`generate_texts`.

    Lark tries the grammar's patterns meanwhile, so this is for a process that can be ended; it
    keeps what it has made for the next text.
    """
    return _open_drawer(path, start, limits).draw_text(seed, number, max_tokens)


def list_unreached(
    path: str, start: str | None, rules: frozenset[int], *, limits: Limits
) -> tuple[int, tuple[str, ...]]:
    """Return how many rules texts can be made with, and those that are not among some."""
    return _open_drawer(path, start, limits).drawing.list_others(rules)


@lru_cache(maxsize=1)
def _open_drawer(path: str, start: str | None, limits: Limits) -> Drawer:
    return _build_drawer(load(path).for_start(start), limits)


def _build_drawer(artifact: Artifact, limits: Limits | None) -> Drawer:
    source = source_from_header(artifact.header["grammar"])
    lark = run_bounded(lambda: build_lark(source), limits)
    return Drawer(artifact, lark, build_oracle(lark))
