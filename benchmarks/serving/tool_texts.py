r"""A text that a constraint takes, drawn from its masks and brought to an end.

First come random legal tokens, now and then a trigger. Then the text is closed: whatever ends it
if it may end here, else what closes something, else what goes on the least. No path is a dead end,
so nothing is searched. A text that is not closed after 400 steps is given back as it is.

Example: from ``<tool_call>`` on, ``\n{"name": "note", …}\n</tool_call>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.table.rows import list_legal
from maskc.kit.constraint import Constraint
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher
from maskc.tags.styles import STYLES

_MOST_STEPS = 400
# Letters first, since they go on; a backslash last, since any letter can be escaped.
_CODES = (*range(0x61, 0x7F), *range(0x20, 0x5C), *range(0x5D, 0x61), 0x5C)
_PRINTABLE = [bytes([byte]) for byte in _CODES]
_USUAL = frozenset(_PRINTABLE)
_CLOSERS = [b'"', b"}", b"]", b">"]
_TEXT = b"a_"


class TextSource:
    """Draws texts of one constraint.

    Args:
        constraint: of a kit whose tokens are bytes and markers.
        asked: its JSON, which says what may be worth trying.
        vocabulary: the bytes of each token; empty for one that is no text.
    """

    def __init__(self, constraint: Constraint, asked: Any, vocabulary: list[bytes]) -> None:
        self._constraint, self._vocabulary = constraint, vocabulary
        values = list(_list_words(asked, "value"))
        closing = (text for text in values if text.startswith((b"</", b"<|close|>")))
        ends = list(dict.fromkeys([*_list_words(asked, "end"), *closing]))
        required = (
            name for key, names in _walk(asked) if key == "required" for name in _listed(names)
        )
        keys = list(dict.fromkeys(json.dumps(name)[1:-1] for name in required))
        # Of the keys that are asked for a part may have been written.
        named = [f'"{key}": '.encode() for key in keys] + [key.encode() for key in keys]
        others = [bytes([byte]) for byte in range(256)]
        self._open = (*ends, *named, *_CLOSERS, *values, b",", b":", *_PRINTABLE, *others)
        styles = [inner for key, inner in _walk(asked) if key == "style" and inner in STYLES]
        closes = dict.fromkeys(STYLES[style].close.encode() for style in styles)
        self._raw = (*closes, *ends, *_PRINTABLE)
        self._tries = list(dict.fromkeys(_list_words(asked, "triggers")))

    def draw(self, draw: Random, n_tokens: int) -> tuple[str, bool]:
        """Return a text and whether it came to an end, after random tokens, so many at the most."""
        matcher, written, is_called = self._constraint.matcher(), bytearray(), False
        for _ in range(draw.randrange(n_tokens + 1)):
            # A second one would be text in a string, which parsers take for a call.
            is_tried = self._tries and not is_called and draw.random() < 0.3
            word = draw.choice(self._tries) if is_tried else None
            is_called = is_called or word is not None
            if word is None or not matcher.accept_bytes(word):
                word = self._draw_token(matcher, draw)
                if word is None or not matcher.accept_bytes(word):
                    break
            written += word
        taken = b""
        for _ in range(_MOST_STEPS):
            if matcher.is_accepting:
                return written.decode(errors="replace"), True
            taken = self._close(matcher, taken)
            if not taken:
                break
            written += taken
        return written.decode(errors="replace"), False

    def _close(self, matcher: Matcher, before: bytes) -> bytes:
        """Return what was taken: what must come, else something other than before."""
        forced = matcher.forced_bytes()
        if forced and matcher.accept_bytes(forced):
            return forced
        steps = self._open
        if matcher.fork().accept_bytes(_TEXT):
            is_raw = matcher.fork().accept_bytes(b'"' + _TEXT)
            steps = self._raw if is_raw else (b'"', *_PRINTABLE)
        return next((s for s in steps if s != before and matcher.accept_bytes(s)), b"")

    def _draw_token(self, matcher: Matcher, draw: Random) -> bytes | None:
        """Return a token's bytes out of the mask, those of one character rather than others."""
        bitmask = allocate_bitmask(1, len(self._vocabulary))
        matcher.fill_bitmask(bitmask, 0)
        known = len(self._vocabulary)
        legal = [self._vocabulary[token] for token in list_legal(bitmask) if token < known]
        usual = [text for text in legal if text in _USUAL]
        chosen = usual if usual and draw.random() < 0.95 else [text for text in legal if text]
        return draw.choice(chosen) if chosen else None


def _list_words(asked: Any, name: str) -> Iterator[bytes]:
    """Yield the texts of a constraint's JSON under a name."""
    for key, inner in _walk(asked):
        if key == name:
            yield from (text.encode() for text in _listed(inner) if text)


def _listed(inner: Any) -> list[str]:
    return [
        text for text in (inner if isinstance(inner, list) else [inner]) if isinstance(text, str)
    ]


def _walk(asked: Any) -> Iterator[tuple[str, Any]]:
    """Yield all fields of all objects in some JSON."""
    for key, inner in asked.items() if isinstance(asked, dict) else enumerate(asked):
        if isinstance(key, str):
            yield key, inner
        if isinstance(inner, dict | list):
            yield from _walk(inner)
