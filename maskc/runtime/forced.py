"""The bytes that must come next, whatever the model says, and the tokens that a tokenizer writes.

A byte is forced where the text may not end and every text that goes on begins with that byte. The
mask says which bytes the legal tokens begin with, mostly two; where it is one, the other bytes that
may come are those that no token writes alone, which few vocabularies have, and these are tried.

How a tokenizer cuts the end of a forced text may depend on what follows: ``wh`` is a token before
``x`` and a part of one before ``ile``. Only tokens that are the same for every continuation are
kept. Let F be the forced text and X any continuation. One token of F + X may begin in F and end in
X: it begins at some s for which F[s:] begins a longer token of the vocabulary; there are few such
s. What the tokenizer writes in front of that token is what it writes for F[:s], as parts of a
tokenizer's output are its output for their text. So the tokens of F + X begin with those that all
F[:s], and F itself, have in common.

Example: in json, ``[t`` forces ``rue``, and ``[`` forces nothing. ``return x`` with llama3's tokens
keeps ``return`` and drops `` x``, which may become `` xs`` or `` xml``.

Limits: the property of parts holds for byte-pair encodings and for unigram models; a tokenizer
that looks ahead in other ways needs a law of its own (tests/runtime/test_forced.py has that of the
tokenizers that come with maskc).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.arguments import as_number, as_token_ids
from maskc.runtime.machine import Hypotheses, Machine

if TYPE_CHECKING:
    from maskc.runtime.vocabulary import TokenTable

MAX_FORCED = 4096
_CHOICE, _NO_TOKEN = -1, -2

Encode = Callable[[str], Sequence[int]]


def find_forced_bytes(machine: Machine[Any], hypotheses: Hypotheses, table: TokenTable) -> bytes:
    """Return the bytes that every way to go on begins with; empty if there is a choice.

    Args:
        machine: the machine.
        hypotheses: what it knows of the text so far.
        table: the tokens.

    Returns:
        at most ``MAX_FORCED`` bytes.
    """
    forced = bytearray()
    here = hypotheses
    while len(forced) < MAX_FORCED and not any(map(machine.may_end, here)):
        begins = _find_begin(machine, here, table.first_bytes)
        if begins == _CHOICE:
            break
        # A byte that some token writes alone may come iff that token is legal.
        candidates = {*table.joined_bytes, *([begins] if begins >= 0 else ())}
        live = _list_live(machine, here, sorted(candidates))
        if len(live) != 1:
            break
        byte, here = live[0]
        forced.append(byte)
    return bytes(forced)


def _list_live(
    machine: Machine[Any], here: Hypotheses, candidates: list[int]
) -> list[tuple[int, Hypotheses]]:
    """Return those of some bytes that may come, and what each leads to; two of them at most."""
    found: list[tuple[int, Hypotheses]] = []
    for byte in candidates:
        after = machine.step(here, bytes([byte]))
        if after:
            found.append((byte, after))
            if len(found) > 1:
                break
    return found


def _find_begin(machine: Machine[Any], here: Hypotheses, first_bytes: NDArray[np.int16]) -> int:
    """Return the byte that all legal tokens begin with, ``_CHOICE`` if they differ."""
    mask = machine.pool.unite(map(machine.mask, here))
    if mask.begins is None:
        legal = np.flatnonzero(np.unpackbits(mask.words.view(np.uint8), bitorder="little"))
        firsts = first_bytes[legal]
        if not len(firsts):
            mask.begins = _NO_TOKEN
        elif (firsts != firsts[0]).any() or firsts[0] < 0:
            # A legal token without bytes, where the text may not end, is a choice as well.
            mask.begins = _CHOICE
        else:
            mask.begins = int(firsts[0])
    return mask.begins


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
        ids = [as_number("a token of encode", t) for t in as_token_ids(encode(written))]
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
