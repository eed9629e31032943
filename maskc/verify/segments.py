"""Into which tokens can bytes be cut?

Example: with the tokens ``i``, ``in`` and ``n``, ``in`` is two tokens or one; at its start it holds
``i`` and ``in``.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


class Segments:
    """The tokens that bytes can be cut into."""

    def __init__(self, tokens: Sequence[bytes | None]) -> None:
        self._ids: dict[bytes, list[int]] = {}
        lengths: list[set[int]] = [set() for _ in range(256)]
        for token_id, text in enumerate(tokens):
            if text:
                self._ids.setdefault(text, []).append(token_id)
                lengths[text[0]].add(len(text))
        self._lengths = [tuple(sorted(found)) for found in lengths]
        self._has_all_bytes = all(found[:1] == (1,) for found in self._lengths)

    def at(self, data: bytes, offset: int) -> list[tuple[int, list[int]]]:
        """Return (length, ids) of all tokens that the bytes hold at an offset, shortest first."""
        return [
            (length, ids)
            for length in self._lengths[data[offset]]
            if offset + length <= len(data)
            and (ids := self._ids.get(data[offset : offset + length])) is not None
        ]

    def draw(self, data: bytes, draw: Random) -> list[int] | None:
        """Return tokens, drawn at random, whose bytes are these; ``None`` if there are none."""
        leads_on = [self._has_all_bytes] * len(data) + [True]
        if not self._has_all_bytes:
            for offset in range(len(data) - 1, -1, -1):
                leads_on[offset] = any(leads_on[offset + n] for n, _ in self.at(data, offset))
        if not leads_on[0]:
            return None
        chosen, offset = [], 0
        while offset < len(data):
            ways = [way for way in self.at(data, offset) if leads_on[offset + way[0]]]
            length, ids = draw.choice(ways)
            chosen.append(draw.choice(ids))
            offset += length
        return chosen
