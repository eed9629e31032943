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


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern with one group: a special token's name, the longest that stands there."""
    ordered = sorted(filter(None, names), key=len, reverse=True)
    if not ordered:
        return re.compile("((?!))")
    firsts = "".join({re.escape(name[0]) for name in ordered})  # most characters begin no name
    return re.compile(f"(?=[{firsts}])({'|'.join(map(re.escape, ordered))})")


def cut_reply(text: str, names: Mapping[str, int]) -> list[str | int]:
    """Return the stretches of a reply: texts, none empty, and special tokens.

    >>> cut_reply("a<s>b", {"<s>": 7})
    ['a', 7, 'b']
    """
    parts = pattern_of(names).split(text)
    return [names[part] if n % 2 else part for n, part in enumerate(parts) if part]


def encode_reply(
    text: str, names: Mapping[str, int], encode: Callable[[str], Iterable[int]]
) -> list[int]:
    """Return the tokens of a reply; ``encode`` is the tokenizer's, without special tokens."""
    found: list[int] = []
    for part in cut_reply(text, names):
        found += [part] if isinstance(part, int) else encode(part)
    return found
