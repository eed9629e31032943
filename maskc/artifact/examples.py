"""Example texts in an artifact: what a server follows before it serves, as tokens.

They are texts of the artifact from their start, the likeliest first, and change no mask:
:meth:`maskc.Artifact.prepare` follows them. The compiler cuts a text into the longest tokens,
since it need not have the tokenizer's own program; a mask after a text is the same however the text
was cut.

Example: the artifact of ``{"type": "boolean"}`` has the text ``true``, in llama3 the token 1904.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.artifact.sections import EXAMPLES


def add_examples(contents: Contents, texts: Sequence[Sequence[int]]) -> Contents:
    """Return an artifact with example texts, given as token ids; of none, as it is."""
    if not texts:
        return contents
    arrays: dict[str, NDArray[Any]] = {
        "example_first": np.cumsum([0, *map(len, texts)]).astype(np.int32),
        "example_tokens": np.array([token for text in texts for token in text], dtype=np.int32),
    }
    header = {**contents.header, EXAMPLES: len(texts)}
    return replace(contents, header=header, arrays={**contents.arrays, **arrays})


def examples_of(contents: Contents) -> Iterator[list[int]]:
    """Yield the token ids of each example text of an artifact that has been checked."""
    if EXAMPLES in contents.header:
        first, tokens = contents.arrays["example_first"], contents.arrays["example_tokens"]
        for start, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            yield tokens[start:end].tolist()


class TokenCutter:
    """Cuts texts into the longest tokens of a vocabulary.

    Args:
        tokens: by id, ``None`` or empty for those that write no text.
    """

    def __init__(self, tokens: Iterable[bytes | None]) -> None:
        self._ids: dict[bytes, int] = {}
        for token_id, token in enumerate(tokens):
            if token:
                self._ids.setdefault(token, token_id)
        # Without longer ones a text is cut into more tokens, and as legal.
        self._longest = min(32, max(map(len, self._ids), default=0))

    def cut(self, text: bytes) -> list[int]:
        """Return the tokens of a text, up to a byte that none begins with.

        >>> TokenCutter([b"a", b"ab", b"c"]).cut(b"abcad")
        [1, 2, 0]
        """
        found: list[int] = []
        at = 0
        while at < len(text):
            longest = min(self._longest, len(text) - at)
            lengths = (n for n in range(longest, 0, -1) if text[at : at + n] in self._ids)
            n = next(lengths, 0)
            if not n:
                break
            found.append(self._ids[text[at : at + n]])
            at += n
        return found
