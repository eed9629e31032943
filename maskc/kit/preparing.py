"""Computes what all requests share, before the first one.

Free text; what strings, patterns, keys, numbers and gaps of JSON read of the vocabulary; the
formats of JSON Schema, whose automata have hundreds of states; classes of characters that patterns
name and repeat; and calls of tools, with arguments as JSON and as parameters. A text of each is
followed, with the mask before each byte: what is found on the way is known to all requests that ask
the same.

Example: the first call of a server takes half the time where some other call was followed before,
of a tool of another name, in another family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from maskc.kit.constraint import Constraint
from maskc.kit.documents import FORMATS
from maskc.runtime.batches import allocate_bitmask
from maskc.tags.families import Tool, load_family
from maskc.tags.rendering import render

if TYPE_CHECKING:
    from maskc.kit.kit import Kit

_SOME_JSON = '{"a": "x\\u00e9é€😀", "n": 12, "b": [1.5, null, {"c": true}]}'
_SCHEMAS: tuple[Any, ...] = (
    {},
    {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}},
    {"type": "string", "pattern": "^[^/]*$"},
    {"type": "string", "pattern": "^[a-z]*$"},
)
# What a class of Unicode is in bytes is known to a process from then on, and what a loop reads that
# a count has room for beside any token is known to the kit.
PATTERNS = {
    r"\w{1,99}\W{1,99}": "ab, ",
    r"\w{1,99}": "ab",
    r"\d+\s+": "1 ",
    r".{1,99}": "ab",
    r"[a-z]{1,99}": "ab",
}
_ARGUMENTS = {
    "text": "a b",
    "name": "a b",
    "count": 12,
    "size": 1.5,
    "flag": True,
    "list": ["a", "b"],
}
TOOL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "name": {"type": "string", "maxLength": 99},
        "count": {"type": "integer"},
        "size": {"type": "number"},
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["text"],
}
FAMILIES = ("qwen_3", "qwen_3_coder")  # one with JSON, one with parameters


def prepare(kit: Kit) -> None:
    """Compute what all requests to a kit share."""
    # What most requests share comes last: what many patterns read may evict what came before.
    for pattern, matched in PATTERNS.items():
        _follow(kit.regex(pattern), cut(matched, {}))
    for name, value in FORMATS.items():
        _follow(kit.json_schema({"type": "string", "format": name}), cut(f'"{value}"', {}))
    text = {"type": "structural_tag", "format": {"type": "any_text"}}
    _follow(kit.structural_tag(text), [])
    for schema in _SCHEMAS:
        _follow(kit.json_schema(schema), cut(_SOME_JSON, {}))
    for family in FAMILIES:
        calls = kit.tools([{"name": "f", "parameters": TOOL}], family=family)
        _follow(calls, cut(some_call(family), kit.tokens.special_ids))


def some_call(family: str) -> str:
    """Return a call of a tool with an argument of each kind, as a family of models writes it."""
    tool = Tool("f", TOOL, "")
    form = load_family(family).describe([tool], "auto", parallel=True, reasoning=False)
    return render(form, _ARGUMENTS)


def cut(text: str, special_ids: Mapping[str, int]) -> list[bytes | int]:
    """Return the bytes of a text one by one, but special tokens by their ids.

    >>> cut("ab<s>", {"<s>": 7, "<": 8})
    [b'a', b'b', 7]
    """
    found = list[bytes | int]()
    for part in split(text, special_ids):
        found += [part] if isinstance(part, int) else [bytes([byte]) for byte in part]
    return found


def split(text: str, special_ids: Mapping[str, int]) -> list[bytes | int]:
    """Return the ids of the special tokens in a text, and the bytes between them.

    >>> split("ab<s>", {"<s>": 7, "<": 8})
    [b'ab', 7]
    """
    names = sorted(filter(None, special_ids), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, names))})", text) if names else [text]
    return [special_ids.get(part, part.encode()) for part in filter(None, parts)]


def _follow(constraint: Constraint, text: list[bytes | int]) -> None:
    """Ask for the mask before each byte or token, and at the end; what is illegal is left out."""
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    matcher = constraint.matcher()
    for one in text:
        matcher.fill_bitmask(bitmask, 0)
        if isinstance(one, int):
            matcher.accept_token(one)
        else:
            matcher.accept_bytes(one)
    matcher.fill_bitmask(bitmask, 0)
