"""Texts drawn from the masks of a JSON Schema, each brought to an end if one is near.

Most numbers are short, and blanks are none: :mod:`maskc.verify.json_layout` adds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import numpy as np

from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.verify.json_ends import find_end, is_in_string, list_keys

_DIGITS = tuple(b"%d" % digit for digit in range(10))


def draw_texts(
    artifact: Artifact, count: int, max_tokens: int, seed: int
) -> Iterator[tuple[str, bool]]:
    """Yield texts drawn from the masks, and whether each came to an end.

    Args:
        artifact: whose masks are drawn from.
        count: how many texts.
        max_tokens: after which a text is brought to its end.
        seed: of the random choices.
    """
    words = list_keys(json.loads(artifact.header["grammar"]["text"]))
    for number in range(count):
        yield draw_text(artifact, words, max_tokens, seed, number)


def draw_text(
    artifact: Artifact, words: tuple[bytes, ...], max_tokens: int, seed: int, number: int
) -> tuple[str, bool]:
    """Return one of the texts of :func:`draw_texts`.

    Args:
        artifact: whose masks are drawn from.
        words: the keys that an end may need, with their colons.
        max_tokens: after which it is brought to its end.
        seed: of the random choices.
        number: of the text.
    """
    first = artifact.first_bytes
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    draw = Random(f"{seed}:{number}")
    matcher, written = artifact.matcher(), bytearray()
    for _ in range(draw.randint(1, max_tokens)):
        if matcher.is_accepting and draw.random() < 0.2:
            break
        matcher.fill_bitmask(bitmask, 0)
        legal = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
        legal = legal[first[legal] >= 0]
        # Whatever a string may hold is most of a vocabulary: first what a token begins with.
        legal = legal[~np.isin(first[legal], list(b" \t\r\n"))]
        if not len(legal):
            break
        bytes_ = sorted(set(first[legal].tolist()))
        if bytes_[0] < 0x80 and draw.random() < 0.95:
            bytes_ = [byte for byte in bytes_ if byte < 0x80]
        byte = draw.choice(_likely_bytes(draw, bytes_, bytes(written)))
        token = int(draw.choice(legal[first[legal] == byte].tolist()))
        matcher.accept_token(token)
        written += artifact.token_bytes(token) or b""
    end = find_end(matcher, bytes(written), words)
    text = (bytes(written) + (end or b"")).decode(errors="replace")
    return text, end is not None


def _likely_bytes(draw: Random, bytes_: list[int], written: bytes) -> list[int]:
    """Return the bytes to choose from: most numbers are short and have no exponent."""
    if written[-1:] not in _DIGITS or is_in_string(written):
        return bytes_
    ends = [byte for byte in bytes_ if byte in b",}]"]
    if ends and draw.random() < 0.3:
        return ends
    plain = [byte for byte in bytes_ if byte not in b"eE"]
    return plain if plain and draw.random() < 0.95 else bytes_
