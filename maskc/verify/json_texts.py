"""Texts drawn from the masks of a JSON Schema, each brought to an end if one is near.

Example: after ``{"a": [1`` the end ``]}`` is found by breadth first, a bracket at a time.

Limits: an end is searched among ``_MOST_SEARCHED`` configurations.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import Matcher, allocate_bitmask

_MOST_SEARCHED = 3_000  # configurations, for one end
_QUOTE, _BACKSLASH = b'"', 0x5C
_CLOSES = (b"}", b"]")
_BYTES = (_QUOTE, *(bytes([byte]) for byte in range(0x20, 0x7F)))
_INSIDE = tuple(bytes([byte]) for byte in range(0x80, 0x100))


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
    first = artifact.first_bytes
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    words = _required_keys(json.loads(artifact.header["grammar"]["text"]))
    for number in range(count):
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
            byte = draw.choice(bytes_)
            token = int(draw.choice(legal[first[legal] == byte].tolist()))
            matcher.accept_token(token)
            written += artifact.token_bytes(token) or b""
        end = find_end(matcher, bytes(written), words)
        text = (bytes(written) + (end or b"")).decode(errors="replace")
        yield text, end is not None


def _required_keys(schema: object) -> tuple[bytes, ...]:
    """Return the keys that some object may have to have, as they are written."""
    found: dict[object, None] = {}
    open_ = [schema]
    while open_:
        here: Any = open_.pop()
        if isinstance(here, dict):
            lists = [here.get("required"), *_values(here, "dependentRequired")]
            lists += _values(here, "dependencies")
            names = [name for part in lists if isinstance(part, list) for name in part]
            found.update((name, None) for name in names if isinstance(name, str))
            open_ += here.values()
        elif isinstance(here, list):
            open_ += here
    return tuple(f"{json.dumps(key)}:".encode() for key in found)


def _values(schema: dict[str, Any], keyword: str) -> list[Any]:
    inner = schema.get(keyword)
    return list(inner.values()) if isinstance(inner, dict) else []


def find_end(matcher: Matcher, text: bytes, words: tuple[bytes, ...] = ()) -> bytes | None:
    """Return bytes that finish a text, ``None`` if they are too far away.

    Args:
        matcher: where the text stands; not moved.
        text: what was read.
        words: keys with their colons, which are tried where a key may begin.
    """
    found = bytearray()
    here = matcher.fork()
    while not here.is_accepting:
        if _is_in_string(text + found):
            step = _search(here, _BYTES, lambda step: step == _QUOTE)
        else:
            steps = (*_CLOSES, *words, *_BYTES)
            step = _search(here, steps, lambda step: len(step) > 1 or step in b'}]"')
        if step is None or len(found) > _MOST_SEARCHED:
            return None
        here.accept_bytes(step)
        found += step
    return bytes(found)


def _is_in_string(text: bytes) -> bool:
    """Return whether a string is open at the end of the beginning of a JSON text."""
    is_open = is_escaped = False
    for byte in text:
        if is_escaped:
            is_escaped = False
        elif byte == _QUOTE[0]:
            is_open = not is_open
        else:
            is_escaped = is_open and byte == _BACKSLASH
    return is_open


def _search(
    here: Matcher, steps: tuple[bytes, ...], is_nearer: Callable[[bytes], bool]
) -> bytes | None:
    """Return bytes that may end the text or whose last step brings it nearer, breadth first."""
    seen = {here.configuration()}
    open_ = deque([(here, b"")])
    while open_ and len(seen) < _MOST_SEARCHED:
        matcher, text = open_.popleft()
        n_ways = 0
        for step in (*steps, *_INSIDE):
            if n_ways and step in _INSIDE:
                break  # of the bytes inside a character one is enough
            after = matcher.fork()
            if not after.accept_bytes(step):
                continue
            n_ways += 1
            if after.is_accepting or is_nearer(step):
                return text + step
            key = after.configuration()
            if key not in seen:
                seen.add(key)
                open_.append((after, text + step))
    return None
