"""Machines of texts that are linked of pieces; and replies with special tokens by their names.

Whoever keeps a model's replies as text has special tokens in it by their names. An artifact of a
link knows the names of those that it asks for.

Example: with the special token ``<|call|>``, ``a<|call|>`` is the text ``a`` and that token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def names_of(header: Mapping[str, Any]) -> Mapping[str, int]:
    found: Mapping[str, int] = header["link"]["tokens"] if "link" in header else {}
    return found


def cut_reply(text: str, names: Mapping[str, int]) -> list[str | int]:
    """Return the stretches of a reply: texts, none empty, and special tokens.

    >>> cut_reply("a<s>b", {"<s>": 7})
    ['a', 7, 'b']
    """
    if not names:
        return [text] if text else []
    ordered = sorted((name for name in names if name), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, ordered))})", text) if ordered else [text]
    return [names[part] if n % 2 else part for n, part in enumerate(parts) if part]


def encode_reply(
    text: str, names: Mapping[str, int], encode: Callable[[str], Iterable[int]]
) -> list[int]:
    """Return the tokens of a reply; ``encode`` is the tokenizer's, without special tokens."""
    found: list[int] = []
    for part in cut_reply(text, names):
        found += [part] if isinstance(part, int) else encode(part)
    return found
