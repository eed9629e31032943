"""Texts drawn from the masks, token by token, and brought to their end.

First a kind of token is drawn (a letter, a word, blanks, a line break, signs, …), then one of that
kind, so that texts are varied although most of a vocabulary is words. The oracle finds an end that
Lark accepts, and the masks must allow it. Where the oracle finds none, the last tokens are taken
back. A walk may begin after the beginning of some text, so that it also comes where tokens at
random never lead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher
from maskc.verify.oracle import Oracle, Undecided

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
MOST_BLANK = 3  # tokens of white space in a row


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text that was drawn.

    Attributes:
        text: what was written.
        n_tokens: tokens drawn, and bytes added to reach the end; or lexemes, if it was drawn by the
            grammar's rules.
        problem: why it has no end, ``None`` if it has one.
        n_retries: how often something was drawn or searched again.
        rules: numbers of the rules that it was made with; none, if it was drawn from masks.
    """

    text: str
    n_tokens: int
    problem: str | None = None
    n_retries: int = 0
    rules: frozenset[int] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"text": self.text, "tokens": self.n_tokens, "problem": self.problem}


class Walks:
    """The walks through one artifact's masks."""

    def __init__(self, artifact: Artifact, oracle: Oracle) -> None:
        self._artifact = artifact
        self._oracle, self._encoding = oracle, oracle.steps.encoding
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

    def draw(self, draw: Random, max_tokens: int, beginning: bytes = b"") -> GeneratedText:
        """Return a text.

        Args:
            draw: of the choices.
            max_tokens: after which it is brought to its end.
            beginning: where it begins; the artifact must take these bytes.
        """
        matcher = self._artifact.matcher()
        written, lengths = bytearray(beginning), list[int]()
        if beginning:
            matcher.accept_bytes(beginning)
            lengths.append(len(beginning))
        n_blank = 0
        limit = draw.randint(max(1, max_tokens // 2), max_tokens)
        for n_tokens in range(limit):
            if matcher.is_accepting and draw.random() < 0.5 / limit:
                return GeneratedText(self._decode(written), n_tokens)
            legal = self._list_legal(matcher)
            if n_blank >= MOST_BLANK and not self._blank[legal].all():
                legal = legal[~self._blank[legal]]
            if not len(legal):
                if matcher.is_accepting:
                    return GeneratedText(self._decode(written), n_tokens)
                return GeneratedText(self._decode(written), n_tokens, "stuck")
            token_id = self._choose(draw, legal)
            n_blank = n_blank + 1 if self._blank[token_id] else 0
            if not matcher.accept_token(token_id):
                problem = f"token {token_id} is legal in the mask and refused"
                return GeneratedText(self._decode(written), n_tokens, problem)
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
        found = GeneratedText(self._decode(written), len(lengths), None, n_retries)
        possible, witness = ending
        if not possible or witness is None:
            return replace(found, problem="Lark can parse no text that begins like this")
        tail = witness.encode(self._encoding)[len(written) :]
        problem = None
        if not matcher.accept_bytes(tail) or not matcher.is_accepting:
            problem = f"an end that Lark accepts is illegal: {tail!r}"
        n_tokens = len(lengths) + len(tail)
        return replace(found, text=witness, n_tokens=n_tokens, problem=problem)

    def _decode(self, written: bytes | bytearray) -> str:
        return written.decode(self._encoding, errors="replace")

    def _ask(self, written: bytes) -> tuple[bool, str | None] | None:
        """Return whether a text can end, and how; ``None`` if the oracle does not know."""
        try:
            return self._oracle.at(written).decide(b"")
        except Undecided:
            return None

    def _list_legal(self, matcher: Matcher) -> NDArray[np.int64]:
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
