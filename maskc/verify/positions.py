"""Experiment 3: does the mask agree with the oracle, token by token?

Positions are drawn from texts that Lark parses, and at each a sample of tokens is compared that
is weighted to where a mask is likely to be wrong: the next token of the text, legal tokens of
all kinds, illegal ones that begin like legal ones, tokens that cross lexemes, line breaks and
blanks, quotes and brackets, and tokens that cut a character.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from lark import Lark
from numpy.typing import NDArray

from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import allocate_bitmask
from maskc.verify.corpus import Document
from maskc.verify.model import Experiment, Progress, place_of
from maskc.verify.oracle import Oracle, Undecided
from maskc.vocab import Encoder

PER_POSITION = 25
PER_DOCUMENT = 20  # positions taken from one document, which is lexed once for all of them

_SIGNS = b"()[]{}<>:;,.'\"`#\\/*+-=!@$%^&|~?"


def compare_masks(
    artifact: Artifact,
    lark: Lark,
    encoder: Encoder,
    documents: Sequence[Document],
    *,
    n_positions: int,
    seed: int,
    progress: Progress,
) -> Experiment:
    """Return the outcome of comparing ``n_positions`` masks."""
    experiment = Experiment("oracle", needed="comparisons")
    draw = Random(f"positions:{seed}")
    oracle, sampler = Oracle(lark), _Sampler(artifact)
    n_documents = -(-n_positions // PER_DOCUMENT)
    for number in range(n_documents if documents else 0):
        progress("oracle", number / n_documents)
        document = documents[draw.randrange(len(documents))]
        tokens = encoder.encode(document.text)
        n_here = min(PER_DOCUMENT, n_positions - number * PER_DOCUMENT, len(tokens) + 1)
        places = sorted(draw.sample(range(len(tokens) + 1), n_here))
        _compare_document(artifact, oracle, sampler, document, tokens, places, draw, experiment)
    progress("oracle", 1.0)
    return experiment


def _compare_document(
    artifact: Artifact,
    oracle: Oracle,
    sampler: _Sampler,
    document: Document,
    tokens: Sequence[int],
    places: Sequence[int],
    draw: Random,
    experiment: Experiment,
) -> None:
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    prefix, here = b"", 0
    for place in places:
        for token in tokens[here:place]:
            matcher.accept_token(token)
            prefix += artifact.token_bytes(token) or b""
        here = place
        experiment.count("positions")
        matcher.fill_bitmask(bitmask, 0)
        legal = _unpack(bitmask[0], artifact.vocab_size)
        position = oracle.at(prefix, document.text)
        following = tokens[place] if place < len(tokens) else None
        witness = {
            "file": document.name,
            **place_of(document.text, len(prefix.decode(errors="ignore"))),
        }
        experiment.count("comparisons")
        if bool(legal[artifact.eos_ids[0]]) != position.can_end():
            experiment.fail(
                what="the end", legal_in_mask=bool(legal[artifact.eos_ids[0]]), **witness
            )
        for token in sampler.sample(legal, following, draw):
            text = artifact.token_bytes(token) or b""
            experiment.count("comparisons")
            try:
                expected = position.legal(text)
            except Undecided:
                experiment.count("undecided by the oracle")
                continue
            experiment.count("legal" if expected else "illegal")
            if bool(legal[token]) != expected:
                experiment.count("differences")
                experiment.fail(
                    what="mask and oracle differ",
                    legal_in_mask=bool(legal[token]),
                    token=repr(text),
                    **witness,
                )


def _unpack(row: NDArray[np.int32], vocab_size: int) -> NDArray[np.bool_]:
    """Return bool[vocab_size]."""
    bits = np.unpackbits(row.view(np.uint8), count=vocab_size, bitorder="little")
    return bits.astype(np.bool_)


class _Sampler:
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
