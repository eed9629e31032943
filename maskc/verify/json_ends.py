"""An end of a JSON text that was begun, found through the matcher: a bracket or a key at a time.

Example: after ``{"a": [1`` the end is ``]}``.

Limits: an end is searched with a bounded number of steps in all: breadth first, and where no two
texts are alike, as in an array of unique texts of a pattern, by random walks.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from maskc.runtime.matcher import Matcher

MOST_STEPS = 100_000  # tried for one end: a few seconds
_MOST_SEARCHED = 3_000  # configurations, until something is nearer to the end
_MOST_WRITTEN = 3_000  # bytes of an end
_WALKS, _WALK_STEPS = 8, 200
_MOST_WORDS = 100
_QUOTE, _BACKSLASH = b'"', 0x5C
_CLOSES = (b"}", b"]")
_BYTES = (_QUOTE, *(bytes([byte]) for byte in range(0x20, 0x7F)))
_INSIDE = tuple(bytes([byte]) for byte in range(0x80, 0x100))


def list_keys(schema: object) -> tuple[bytes, ...]:
    """Return keys that an end may need, as they are written: those that some object must have.

    After them come others that the schema names.
    """
    required: dict[object, None] = {}
    named: dict[object, None] = {}
    open_ = [schema]
    while open_:
        here: Any = open_.pop()
        if isinstance(here, dict):
            lists = [here.get("required")]
            for keyword in ("dependentRequired", "dependencies", "dependentSchemas"):
                inner = here.get(keyword)
                if isinstance(inner, dict):
                    lists += inner.values()
                    named |= dict.fromkeys(inner)
            required |= {name: None for part in lists if isinstance(part, list) for name in part}
            properties = here.get("properties")
            named |= dict.fromkeys(properties if isinstance(properties, dict) else ())
            open_ += here.values()
        elif isinstance(here, list):
            open_ += here
    names = [name for name in (required | named) if isinstance(name, str)]
    return tuple(f"{json.dumps(name)}:".encode() for name in names[:_MOST_WORDS])


def find_end(
    matcher: Matcher, text: bytes, words: tuple[bytes, ...] = (), most_steps: int = MOST_STEPS
) -> bytes | None:
    """Return bytes that finish a text, ``None`` if they are too far away.

    Args:
        matcher: where the text stands; not moved.
        text: what was read.
        words: keys with their colons, which are tried where a key may begin.
        most_steps: how much may be tried.
    """
    search, found = _Search(most_steps), bytearray()
    here = matcher.fork()
    while not here.is_accepting:
        if is_in_string(text + found):
            step = search.find(here, _BYTES, lambda step: step == _QUOTE)
        else:
            steps = (*_CLOSES, *words, *_BYTES)
            step = search.find(here, steps, lambda step: len(step) > 1 or step in b'}]"')
        if step is None or len(found) > _MOST_WRITTEN:
            return None
        here.accept_bytes(step)
        found += step
    return bytes(found)


def is_in_string(text: bytes) -> bool:
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


class _Search:
    """Searches for the parts of one end, within as many steps in all."""

    def __init__(self, most_steps: int) -> None:
        self._n_left = most_steps

    def find(
        self, here: Matcher, steps: tuple[bytes, ...], is_nearer: Callable[[bytes], bool]
    ) -> bytes | None:
        """Return bytes that may end the text or whose last step brings it nearer."""
        found = self._search_broadly(here, steps, is_nearer)
        walks = (self._walk(here, steps, is_nearer, Random(number)) for number in range(_WALKS))
        return found if found is not None else next((walk for walk in walks if walk), None)

    def _search_broadly(
        self, here: Matcher, steps: tuple[bytes, ...], is_nearer: Callable[[bytes], bool]
    ) -> bytes | None:
        """Return the shortest such bytes, ``None`` if too many others are as short."""
        seen = {here.configuration()}
        open_ = deque([(here, b"")])
        while open_ and len(seen) < _MOST_SEARCHED:
            matcher, text = open_.popleft()
            for step, after in self._legal(matcher, steps):
                if after.is_accepting or is_nearer(step):
                    return text + step
                key = after.configuration()
                if key not in seen:
                    seen.add(key)
                    open_.append((after, text + step))
        return None

    def _walk(
        self,
        here: Matcher,
        steps: tuple[bytes, ...],
        is_nearer: Callable[[bytes], bool],
        draw: Random,
    ) -> bytes | None:
        """Return such bytes, drawn one after the other: nothing legal is a dead end."""
        text = b""
        for _ in range(_WALK_STEPS):
            legal = list(self._legal(here, steps))
            for step, after in legal:
                if after.is_accepting or is_nearer(step):
                    return text + step
            if not legal:
                return None
            step, here = draw.choice(legal)
            text += step
        return None

    def _legal(self, matcher: Matcher, steps: tuple[bytes, ...]) -> Iterator[tuple[bytes, Matcher]]:
        """Yield the steps that may come next, and what is after each; none if all are spent.

        Of the bytes inside a character only the first one is, and only if nothing else may come.
        """
        n_ways = 0
        for step in (*steps, *_INSIDE):
            if n_ways and step in _INSIDE or not self._n_left:
                break
            self._n_left -= 1
            after = matcher.fork()
            if after.accept_bytes(step):
                n_ways += 1
                yield step, after
