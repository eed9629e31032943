"""A JSON text that is not whole: what has been read of each bracket that is open.

Example: of ``{"a": [1, {"b": "x`` the object has no member yet and the key ``a``, the array has the
item 1, the inner object has the key ``b``, and ``x`` is left.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from maskc.runtime.schema.plan.values import TOKEN, Value, close_bracket, read_scalar


class Open(NamedTuple):
    """What has been read inside a bracket.

    Attributes:
        values: items, or the values of members.
        keys: of members, with that of the one under way; ``None`` in an array.
    """

    values: list[Value]
    keys: list[str] | None

    @property
    def members(self) -> dict[str, Value]:
        """The members that are whole."""
        return dict(zip(self.keys or (), self.values, strict=False))

    @property
    def key(self) -> str | None:
        """The key of the member under way, ``None`` if there is none."""
        if self.keys is None or len(self.keys) == len(self.values):
            return None
        return self.keys[-1]


class Unfinished(NamedTuple):
    """A value of which something has been read.

    Attributes:
        open: the brackets that are open, the outermost first.
        rest: of a string, its body; of a number or a literal, what has been read of it.
    """

    open: list[Open]
    rest: bytes


def read_unfinished(text: bytes, *, inside: bool) -> Unfinished:
    """Return what has been read of a value.

    Args:
        text: with which JSON texts begin.
        inside: whether it ends in a string, a key, a number or a literal, and not after one.

    >>> read_unfinished(b'[1, "ab', inside=True).rest
    b'ab'
    """
    open_: list[Open] = []
    at = 0
    while (match := TOKEN.match(text, at)) is not None:
        token, at = match[1], match.end()
        if token in (b",", b":"):
            continue
        if inside and at == len(text) and token[:1] not in (b"[", b"{", b"]", b"}"):
            return Unfinished(open_, token)
        if token == b"[":
            open_.append(Open([], None))
        elif token == b"{":
            open_.append(Open([], []))
        elif token in (b"]", b"}"):
            values, keys = open_.pop()
            if open_:
                open_[-1].values.append(close_bracket(values, keys))
        elif open_:
            values, keys = open_[-1]
            if keys is not None and len(keys) == len(values):
                keys.append(json.loads(token))
            else:
                values.append(read_scalar(token))
    # Nothing but a quote that is not closed, or white space.
    return Unfinished(open_, text[at:].lstrip(b" \t\n\r")[1:])
