"""Experiment 2: is every text that the masks allow parsed by Lark, and does none get stuck?

Tokens are drawn from the mask: first a kind of token (a letter, a word, blanks, a line break,
signs, …), then one of that kind, so that texts are varied although most of a vocabulary is
words. After a number of tokens the text is brought to its end: the oracle finds an end that Lark
accepts, and the masks must allow it. Where the oracle finds none, the last tokens are taken back.
A unit is a few texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.budget import run_bounded
from maskc.errors import TokenizerError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.matcher import Matcher, allocate_bitmask
from maskc.verify.model import Document, Experiment, Unit, place_of
from maskc.verify.oracle import Oracle, Undecided
from maskc.verify.subject import Subject, build_oracle

# Kind of a token → how often it is drawn, if one of the kind is legal.
KINDS = {
    "one sign": 0.24,
    "word": 0.26,
    "digits": 0.08,
    "word after a blank": 0.16,
    "signs": 0.14,
    "line break": 0.08,
    "blanks": 0.02,
    "other": 0.02,
}
PER_UNIT = 2  # texts drawn in one unit
MOST_BLANK = 3  # tokens of white space in a row


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text drawn from masks.

    Attributes:
        text: what was written.
        n_tokens: tokens drawn, and bytes added to reach the end.
        problem: why it has no end, ``None`` if it has one.
        n_retries: how often the oracle found no end and tokens were taken back.
    """

    text: str
    n_tokens: int
    problem: str | None = None
    n_retries: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"text": self.text, "tokens": self.n_tokens, "problem": self.problem}


def generate_texts(
    artifact: Artifact, *, count: int, max_tokens: int, seed: int, limits: Limits | None = None
) -> Iterator[GeneratedText]:
    """Yield texts, the same ones for the same seed.

    Args:
        artifact: whose masks are drawn from.
        count: how many texts.
        max_tokens: tokens after which a text is steered to its end.
        seed: of the random choices.
        limits: what building Lark's parser may take.
    """
    drawer = _build_drawer(artifact, limits)
    for number in range(count):
        yield drawer.draw_text(seed, number, max_tokens)


def draw_text(
    path: str, start: str | None, number: int, *, max_tokens: int, seed: int, limits: Limits
) -> GeneratedText:
    """Return one of the texts of :func:`generate_texts`.

    Lark tries the grammar's patterns meanwhile, so this is for a process that can be ended; it
    keeps what it has made for the next text.

    Args:
        path: of the artifact.
        start: the start symbol; ``None``: the artifact's first one.
        number: of the text.
        max_tokens: as above, and so are the others.
        seed: of the random choices.
        limits: what building Lark's parser may take.
    """
    return _open_drawer(path, start, limits).draw_text(seed, number, max_tokens)


@lru_cache(maxsize=1)
def _open_drawer(path: str, start: str | None, limits: Limits) -> _Drawer:
    return _build_drawer(load(path).for_start(start), limits)


def _build_drawer(artifact: Artifact, limits: Limits | None) -> _Drawer:
    source = source_from_header(artifact.header["grammar"])
    lark = run_bounded(lambda: build_lark(source), limits)
    return _Drawer(artifact, build_oracle(lark))


class _Drawer:
    def __init__(self, artifact: Artifact, oracle: Oracle) -> None:
        self._artifact = artifact
        self._oracle = oracle
        names = list(KINDS)
        self._weights = list(KINDS.values())
        self._kind = np.full(artifact.vocab_size, len(names), dtype=np.int8)
        self._blank = np.zeros(artifact.vocab_size, dtype=np.bool_)
        for token_id in range(artifact.vocab_size):
            text = artifact.token_bytes(token_id)
            if text:
                self._kind[token_id] = names.index(_kind_of(text))
                self._blank[token_id] = not text.strip()
        self._bitmask = allocate_bitmask(1, artifact.vocab_size)

    def draw_text(self, seed: int, number: int, max_tokens: int) -> GeneratedText:
        """Return a text that depends on nothing but these numbers."""
        self._oracle.forget()
        return self._draw(Random(f"{seed}:{number}"), max_tokens)

    def _draw(self, draw: Random, max_tokens: int) -> GeneratedText:
        matcher = self._artifact.matcher()
        written = bytearray()
        lengths: list[int] = []
        n_blank = 0
        limit = draw.randint(max(1, max_tokens // 2), max_tokens)
        for n_tokens in range(limit):
            if matcher.is_accepting and draw.random() < 0.5 / limit:
                return GeneratedText(written.decode(), n_tokens)
            legal = self.legal_ids(matcher)
            if n_blank >= MOST_BLANK and not self._blank[legal].all():
                legal = legal[~self._blank[legal]]
            if not len(legal):
                if matcher.is_accepting:
                    return GeneratedText(written.decode(), n_tokens)
                return GeneratedText(written.decode(errors="replace"), n_tokens, "stuck")
            token_id = self._choose(draw, legal)
            n_blank = n_blank + 1 if self._blank[token_id] else 0
            if not matcher.accept_token(token_id):
                problem = f"token {token_id} is legal in the mask and refused"
                return GeneratedText(written.decode(errors="replace"), n_tokens, problem)
            text = self._artifact.token_bytes(token_id) or b""
            lengths.append(len(text))
            written += text
        return self._finish(matcher, lengths, bytes(written))

    def _finish(self, matcher: Matcher, lengths: list[int], written: bytes) -> GeneratedText:
        """Bring a text to an end; where the oracle finds none, take back an eighth of it."""
        n_retries = 0
        while (ending := self._ask(written)) is None:
            if not lengths:
                return GeneratedText("", 0, "no end was found", n_retries)
            n_retries += 1
            n_back = -(-len(lengths) // 8)
            matcher.rollback(n_back)
            written = written[: -sum(lengths[-n_back:])]
            del lengths[-n_back:]
        possible, witness = ending
        if not possible or witness is None:
            why = "Lark can parse no text that begins like this"
            return GeneratedText(written.decode(errors="replace"), len(lengths), why, n_retries)
        tail = witness.encode()[len(written) :]
        problem: str | None = None
        if not matcher.accept_bytes(tail) or not matcher.is_accepting:
            problem = f"an end that Lark accepts is illegal: {tail!r}"
        return GeneratedText(witness, len(lengths) + len(tail), problem, n_retries)

    def _ask(self, written: bytes) -> tuple[bool, str | None] | None:
        """Return whether a text can end, and how; ``None`` if the oracle does not know."""
        try:
            return self._oracle.at(written).decide(b"")
        except Undecided:
            return None

    def legal_ids(self, matcher: Matcher) -> NDArray[np.int64]:
        """Return the legal tokens, without the end of the sequence."""
        matcher.fill_bitmask(self._bitmask, 0)
        bits = np.unpackbits(self._bitmask[0].view(np.uint8), bitorder="little")
        legal = np.flatnonzero(bits)
        return legal[self._kind[legal] < len(KINDS)]

    def _choose(self, draw: Random, legal: NDArray[np.int64]) -> int:
        kinds = self._kind[legal]
        there = np.flatnonzero(np.bincount(kinds, minlength=len(KINDS))).tolist()
        (kind,) = draw.choices(there, [self._weights[k] for k in there])
        chosen = legal[kinds == kind]
        return int(chosen[draw.randrange(len(chosen))])


def _kind_of(text: bytes) -> str:
    if b"\n" in text:
        return "line break"
    if not text.strip():
        return "blanks"
    if not text.isascii():
        return "other"
    if text.isdigit():
        return "digits"
    if text.isalnum():
        return "word"
    if text[:1] == b" " and text[1:].isalnum():
        return "word after a blank"
    return "one sign" if len(text) == 1 else "signs"


def check_generation(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Draw the texts of a unit and let Lark parse them."""
    drawer = _drawer_of(subject)
    first = unit.number * PER_UNIT
    for number in range(first, first + unit.amount):
        generated = drawer.draw_text(subject.options.seed, number, subject.options.max_tokens)
        found.count("texts")
        found.count("tokens", generated.n_tokens)
        found.count("characters", len(generated.text))
        found.count("ends searched again", generated.n_retries)
        name = f"generated text {number} of seed {subject.options.seed}"
        data = generated.text.encode()
        if generated.problem is not None:
            found.fail(what=generated.problem, file=name, **place_of(data, len(data)))
        elif not subject.parses(generated.text):
            found.fail(
                what="a text that the masks allow is refused by Lark",
                file=name,
                text=generated.text,
                maskc="legal",
                lark="refuses the text",
            )
        else:
            _hand_on(subject, Document(name, generated.text), found)


def _hand_on(subject: Subject, document: Document, found: Experiment) -> None:
    """Leave a text to the other experiments, if the model's tokenizer can write it."""
    try:
        tokens = subject.encoder.encode(document.text)
    except TokenizerError:
        found.count("not in the vocabulary")
    else:
        found.documents.append(replace(document, n_tokens=len(tokens)))


@lru_cache(maxsize=1)
def _drawer_of(subject: Subject) -> _Drawer:
    return _Drawer(subject.artifact, subject.oracle)
