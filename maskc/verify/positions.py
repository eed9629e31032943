"""Experiment 3: does the mask agree with the oracle, token by token?

Positions are drawn from texts that Lark parses, and at each a sample of tokens is compared that
is weighted to where a mask is likely to be wrong: the next token of the text, legal tokens of
all kinds, illegal ones that begin like legal ones, tokens that cross lexemes, line breaks and
blanks, quotes and brackets, and tokens that cut a character. A unit is a text with its positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import Matcher
from maskc.verify.loaded import Loaded
from maskc.verify.model import Document, Experiment, Unit, legality, place_of
from maskc.verify.oracle import Undecided
from maskc.verify.subject import Subject

PER_POSITION = 25
PER_DOCUMENT = 20  # positions taken from one document, which is lexed once for all of them

_SIGNS = b"()[]{}<>:;,.'\"`#\\/*+-=!@$%^&|~?"


class Position(NamedTuple):
    """A place of a text before one of its tokens, or at its end.

    Attributes:
        n_written: bytes of the text before it.
        matcher: that has taken these; it goes on with the next position.
        legal: bool[vocab_size], what its mask allows.
        following: the token there, ``None`` at the end.
    """

    n_written: int
    matcher: Matcher
    legal: NDArray[np.bool_]
    following: int | None


def draw_positions(
    subject: Loaded, unit: Unit, draw: Random, found: Experiment
) -> Iterator[Position]:
    """Yield as many positions of the unit's text as the unit asks for, in order."""
    artifact, tokens = subject.artifact, subject.encode(unit.about.text)
    places = sorted(draw.sample(range(len(tokens) + 1), min(unit.amount, len(tokens) + 1)))
    matcher, n_written, here = artifact.matcher(), 0, 0
    for place in places:
        for token in tokens[here:place]:
            matcher.accept_token(token)
            n_written += len(artifact.token_bytes(token) or b"")
        here = place
        found.count("positions")
        following = tokens[place] if place < len(tokens) else None
        yield Position(n_written, matcher, subject.legal(matcher), following)


def compare_masks(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Compare masks at as many positions of the unit's text as the unit asks for."""
    document = unit.about
    artifact, oracle, draw = subject.artifact, subject.fresh_oracle(), Random(unit.seed)
    sampler, data = sampler_of(artifact), document.data
    for n_written, _, legal, following in draw_positions(subject, unit, draw, found):
        position = oracle.at(data[:n_written], document.text)
        found.count("comparisons")
        can_end = position.can_end()
        if (legal[list(artifact.eos_ids)] != can_end).any():
            found.count("differences")
            _fail(found, "the end", document, n_written, legal=not can_end)
        for token in sampler.sample(legal, following, draw):
            text = artifact.token_bytes(token) or b""
            found.count("comparisons")
            try:
                expected = position.legal(text)
            except Undecided:
                found.count("undecided by the oracle")
                continue
            found.count(legality(is_legal=expected))
            if bool(legal[token]) != expected:
                found.count("differences")
                _fail(found, repr(text), document, n_written, legal=bool(legal[token]))


def _fail(found: Experiment, token: str, document: Document, offset: int, *, legal: bool) -> None:
    found.fail(
        what="mask and oracle differ",
        file=document.name,
        **place_of(document.data, offset),
        token=token,
        maskc=legality(is_legal=legal),
        oracle=legality(is_legal=not legal),
    )


@lru_cache(maxsize=1)
def sampler_of(artifact: Artifact) -> Sampler:
    """Return what draws tokens of an artifact's vocabulary."""
    return Sampler(artifact)


class Sampler:
    """Draws tokens to compare."""

    def __init__(self, artifact: Artifact) -> None:
        texts = [artifact.token_bytes(i) or b"" for i in range(artifact.vocab_size)]
        self._first = np.array([text[0] if text else 256 for text in texts], dtype=np.int32)
        self._is_text = np.array([bool(text) for text in texts], dtype=np.bool_)
        self._pools = [
            pool
            for pool in (
                [i for i, t in enumerate(texts) if b"\n" in t],
                [i for i, t in enumerate(texts) if t and not t.strip()],
                [i for i, t in enumerate(texts) if t and all(b in _SIGNS for b in t)],
                [i for i, t in enumerate(texts) if _is_mixed(t)],
                [i for i, t in enumerate(texts) if t and _is_cut(t)],
                [i for i, t in enumerate(texts) if t.strip().isalpha() and len(t) <= 7],
            )
            if pool
        ]

    def sample(self, legal: NDArray[np.bool_], following: int | None, draw: Random) -> list[int]:
        """Return token ids without repetition."""
        chosen: list[int] = [] if following is None else [following]
        inside = np.flatnonzero(legal & self._is_text)
        firsts = np.unique(self._first[inside])
        for _ in range(8):
            if len(inside):
                # A first byte, then a token: otherwise nearly all would be words.
                byte = firsts[draw.randrange(len(firsts))]
                group = inside[self._first[inside] == byte]
                chosen.append(int(group[draw.randrange(len(group))]))
        outside = np.flatnonzero(~legal & self._is_text)
        near = outside[np.isin(self._first[outside], firsts)]
        for pool in (near, outside):
            chosen += [int(pool[draw.randrange(len(pool))]) for _ in range(4 if len(pool) else 0)]
        while len(chosen) < PER_POSITION - 1:
            pool_here = self._pools[draw.randrange(len(self._pools))]
            chosen.append(pool_here[draw.randrange(len(pool_here))])
        return list(dict.fromkeys(chosen))


def _is_mixed(text: bytes) -> bool:
    """Tell whether a token probably spans lexemes."""
    return any(b in _SIGNS for b in text) and any(b not in _SIGNS and b > 32 for b in text)


def _is_cut(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return True
    return False
