"""Experiments 3 and 6: compare masks with the judge, and with the rows before optimisation.

The sample of tokens that *oracle* compares is weighted to where a mask is likely to be wrong: the
next token of the text, legal tokens of all kinds, illegal ones that begin like legal ones, tokens
that cross lexemes, line breaks and blanks, quotes and brackets, and tokens that cut a character.

For *optimisation* the first unit compiles the grammar once more, without any, and leaves what it
made to the others; the parser is asked about each row of the walk. Source: blog, experiment 3.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from maskc.bounded import run_bounded
from maskc.compiler.optimise.order import STEPS
from maskc.compiler.pipeline import compile_contents
from maskc.runtime.artifact import Artifact, load
from maskc.verify.model import Unit, legality
from maskc.verify.subject import Cursor, Subject
from maskc.vocab.vocabulary import Vocabulary

if TYPE_CHECKING:
    from maskc.verify.grammar import GrammarSubject

PER_POSITION = 25
_RAW_FILE = "raw.maskc"
_SIGNS = b"()[]{}<>:;,.'\"`#\\/*+-=!@$%^&|~?"


def compare_masks(subject: Subject, unit: Unit) -> None:
    """Compare masks at as many positions of the unit's text as the unit asks for."""
    document, draw, artifact = unit.about, Random(unit.seed), subject.artifact
    sampler = sampler_of(artifact)

    def compare(token: str, told: str, *, is_legal: bool, expected: bool | None) -> None:
        subject.found.count("comparisons")
        if expected is None or is_legal == expected:
            return
        subject.found.count("differences")
        sides = {"maskc": is_legal, subject.prefix_side: expected}
        shown = {side: legality(is_legal=said) for side, said in sides.items()}
        what = told or f"mask and {subject.prefix_side} differ"
        subject.found.fail_at(what, document, here.n_written, token=token, **shown)

    here = Cursor(subject, subject.encode(document.text))
    n_positions = len(here.tokens) + 1
    for position in sorted(draw.sample(range(n_positions), min(unit.amount, n_positions))):
        here.go_to(position)
        subject.found.count("positions")
        legal = subject.legal(here.matcher)
        can_end = subject.can_end(document, here.n_written)
        ends = legal[list(artifact.eos_ids)]
        is_legal = bool(ends.all() if can_end else ends.any())  # one that differs is enough
        compare("the end", "", is_legal=is_legal, expected=can_end)
        tokens = sampler.sample(legal, here.following, draw)
        if subject.tokens_per_position < len(tokens):
            tokens = draw.sample(tokens, subject.tokens_per_position)
        for token in tokens:
            is_legal = bool(legal[token])
            expected, told = subject.goes_on(document, here, token, is_legal=is_legal)
            shown = repr(subject.written(token))
            compare(shown, told, is_legal=is_legal, expected=expected)


@lru_cache(maxsize=1)
def sampler_of(artifact: Artifact) -> Sampler:
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
                [i for i, t in enumerate(texts) if t.decode(errors="ignore").encode() != t],
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


def compare_with_raw(subject: GrammarSubject, unit: Unit) -> None:
    """Compare the masks of the unit's positions; without a text, compile without optimisation."""
    if unit.document is None:
        raw = _compile_raw(subject)
        raw.save(subject.folder / _RAW_FILE)
        subject.found.count("rows", subject.artifact.header["counts"]["rows"])
        subject.found.count("rows before optimisation", raw.header["counts"]["rows"])
        return
    tokens = subject.encode(unit.document.text)
    first = Random(unit.seed).randint(0, len(tokens) + 1 - unit.amount)
    ours = Cursor(subject, tokens)
    theirs = Cursor(subject, tokens, _open_raw(subject.folder).matcher())
    for position in range(first, first + unit.amount):
        # Where a token is illegal, the corpus fails.
        if not (ours.go_to(position) and theirs.go_to(position)):
            return
        subject.found.count("positions")
        differing = np.flatnonzero(subject.legal(ours.matcher) != subject.legal(theirs.matcher))
        if differing.size:
            shown = ", ".join(repr(subject.written(token)) for token in differing[:5].tolist())
            what = "streamlining changed a mask"
            subject.found.fail_at(what, unit.document, ours.n_written, tokens=shown)


@lru_cache(maxsize=1)
def _open_raw(folder: Path) -> Artifact:
    return load(folder / _RAW_FILE)


def _compile_raw(subject: GrammarSubject) -> Artifact:
    artifact = subject.artifact
    vocabulary = Vocabulary(
        tokens=tuple(artifact.token_bytes(i) for i in range(artifact.vocab_size)),
        eos_ids=artifact.eos_ids,
        name=artifact.header["tokenizer"]["name"],
    )
    contents, _ = run_bounded(
        lambda: compile_contents(subject.source, vocabulary, up_to=STEPS[0]), subject.options.limits
    )
    return Artifact(contents)
