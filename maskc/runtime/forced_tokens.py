"""The tokens that a tokenizer writes for a forced text, whatever comes after it.

The text is forced, but how a tokenizer cuts its end may depend on what follows: ``wh`` is a token
before ``x`` and a part of one before ``ile``. Only tokens that are the same for every
continuation are kept.

Let F be the forced text and X any continuation. One token of F + X may begin in F and end in X: it
begins at some s for which F[s:] begins a longer token of the vocabulary; there are few such s.
What the tokenizer writes in front of that token is what it writes for F[:s], as parts of a
tokenizer's output are its output for their text. So the tokens of F + X begin with those that all
F[:s], and F itself, have in common.

Example: ``return x`` with llama3's tokens keeps ``return`` and drops `` x``, which may become
`` xs`` or `` xml``.

Limits: the property of parts holds for byte-pair encodings and for unigram models; a tokenizer
that looks ahead in other ways needs a law of its own (tests/runtime/test_forced_tokens.py has that
of the tokenizers that come with maskc).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

Encode = Callable[[str], Sequence[int]]


class TokenTexts:
    """The bytes of a vocabulary's tokens, sorted, to find those that begin with others."""

    def __init__(self, token_bytes: Callable[[int], bytes | None], vocab_size: int) -> None:
        self.text_of = token_bytes  # token id → its bytes, None for one without any
        found = (token_bytes(token_id) for token_id in range(vocab_size))
        self._sorted = sorted(token for token in found if token)
        self._longest = max(map(len, self._sorted), default=0)

    def find_open_ends(self, text: bytes) -> list[int]:
        """Return the offsets in a text whose rest begins a longer token, in order."""
        first = max(0, len(text) - self._longest + 1)
        return [start for start in range(first, len(text)) if self._begins_token(text[start:])]

    def find_boundaries(self, token_ids: Iterable[int]) -> list[int]:
        """Return where each token ends."""
        return list(accumulate(len(self.text_of(token_id) or b"") for token_id in token_ids))

    def writes(self, token_ids: Iterable[int], text: bytes) -> bool:
        """Return whether the tokens write a text, byte for byte."""
        tokens = [self.text_of(token_id) for token_id in token_ids]
        return None not in tokens and b"".join(filter(None, tokens)) == text

    def _begins_token(self, text: bytes) -> bool:
        index = bisect_right(self._sorted, text)
        return index < len(self._sorted) and self._sorted[index].startswith(text)


def keep_stable(forced: bytes, before: str, encode: Encode, texts: TokenTexts) -> list[int]:
    """Return the tokens of a forced text that every continuation leaves as they are.

    Args:
        forced: what must come; a character that is cut at its end is left out.
        before: what precedes it. Its last token ends here: of continuations for which the
            tokenizer would put a token across, nothing is said.
        encode: text to ids. If they do not write the text byte for byte, nothing is kept.
        texts: of the tokenizer's vocabulary.
    """
    data, start = _cut_between_characters(_whole_characters(forced), texts), len(before.encode())
    common: list[int] | None = None
    for cut in (*texts.find_open_ends(data), len(data)):
        if not cut:
            # One token may hold all of it and more.
            return []
        written = before + data[:cut].decode()
        ids = [int(token_id) for token_id in encode(written)]
        if not texts.writes(ids, written.encode()):
            return []
        ends = [0, *texts.find_boundaries(ids)]
        if start in ends:
            following = ids[ends.index(start) :]
            common = following if common is None else _common(common, following)
    return common or []


def _cut_between_characters(data: bytes, texts: TokenTexts) -> bytes:
    """Return the text cut so that no open end is inside a character: only whole ones encode."""
    while True:
        inside = [s for s in texts.find_open_ends(data) if data[s] & 0xC0 == 0x80]
        if not inside:
            return data
        data = _whole_characters(data[: inside[0]])


def _whole_characters(data: bytes) -> bytes:
    """Return the whole characters that some bytes begin with."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start]
    return data


def _common(left: list[int], right: list[int]) -> list[int]:
    n_equal = 0
    for ours, theirs in zip(left, right, strict=False):
        if ours != theirs:
            break
        n_equal += 1
    return left[:n_equal]
