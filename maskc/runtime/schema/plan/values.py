"""JSON values of a text, whole or begun, to compare items that must differ: ``1`` is ``1.0``.

A value is a tuple of its type and what it holds; arrays and objects hold a text that is the same
for equal values, so that comparing them takes no recursion, however deep they are. Numbers are
compared by their digits and exponent, never written out.

Example: ``[1, {"a": null}]`` has the same value as ``[1.0, {"a":null}]``. Of ``{"a": [1, {"b": "x``
the object has no member yet and the key ``a``, the array has the item 1, the inner object has the
key ``b``, and ``x`` is left.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from maskc.runtime.schema.numbers.powers import read_digits

Value = tuple[Any, ...]

_TOKEN: Final = re.compile(rb'[ \t\n\r]*([{}\[\],:]|"(?:[^"\\]|\\.)*"|[^ \t\n\r{}\[\],:"]+)')
_BETWEEN, _CLOSING = (b",", b":"), (b"]", b"}")
_SIGNS: Final = (*_BETWEEN, *_CLOSING, b"[", b"{")
_SIGN: Final = re.compile(r'[\[\]{},:]|"(?:[^"\\]|\\.)*"')
_NUMBER: Final = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_MOST_DIGITS: Final = 4_000
_MOST_REMEMBERED = 1 << 14
_LITERALS: dict[bytes, Value] = {
    b"null": ("null",),
    b"true": ("boolean", True),
    b"false": ("boolean", False),
}


class Open(NamedTuple):
    """What has been read inside a bracket: items, or the values of members with their keys.

    Keys are ``None`` in an array, and have that of the member under way.
    """

    values: list[Value]
    keys: list[str] | None

    @property
    def members(self) -> dict[str, Value]:
        return dict(zip(self.keys or (), self.values, strict=False))

    @property
    def key(self) -> str | None:
        """The key of the member under way, ``None`` if there is none."""
        if self.keys is None or len(self.keys) == len(self.values):
            return None
        return self.keys[-1]


class Unfinished(NamedTuple):
    """A value of which something has been read."""

    open: list[Open]  # the brackets that are open, the outermost first
    rest: bytes  # of a string, its body; of a number or a literal, what has been read of it


def read_value(text: bytes) -> Value:
    """Return the value of a text that is known to be JSON.

    Raises:
        ValueError: it is not.

    >>> read_value(b'[1, {"b": 1, "a": 1.0}]') == read_value(b'[1e0,{"a":1,"b":10.0}]')
    False
    >>> read_value(b'[1, {"b": 1, "a": 1.0}]') == read_value(b'[1.0,{"a":1,"b":1}]')
    True
    """
    frames = [Open([], None)]  # as if the value were an item
    for match in _TOKEN.finditer(text):
        token = match[1]
        if len(frames) < 2 and token in _CLOSING:
            raise ValueError("brackets do not match")
        _take(frames, token)
    if len(frames) > 1 or len(frames[0].values) != 1:
        raise ValueError("not one JSON value")
    return frames[0].values[0]


def read_unfinished(text: bytes, *, inside: bool) -> Unfinished:
    """Return what has been read of a value.

    Args:
        text: with which JSON texts begin.
        inside: whether it ends in a string, a key, a number or a literal, and not after one.

    >>> read_unfinished(b'[1, "ab', inside=True).rest
    b'ab'
    """
    frames: list[Open] = []
    at = 0
    while (match := _TOKEN.match(text, at)) is not None:
        token, at = match[1], match.end()
        if inside and at == len(text) and token[:1] not in _SIGNS:
            return Unfinished(frames, token)
        _take(frames, token)
    # Nothing but a quote that is not closed, or white space.
    return Unfinished(frames, text[at:].lstrip(b" \t\n\r")[1:])


def _take(frames: list[Open], token: bytes) -> None:
    """Add a sign or a scalar to what is open."""
    if token in _BETWEEN:
        return
    if token == b"[":
        frames.append(Open([], None))
    elif token == b"{":
        frames.append(Open([], []))
    elif token in _CLOSING:
        closed = frames.pop()
        if frames:
            frames[-1].values.append(_close_bracket(closed.values, closed.keys))
    elif frames:
        values, keys = frames[-1]
        if keys is not None and len(keys) == len(values):
            keys.append(json.loads(token))
        else:
            values.append(_read_scalar(token))


def _close_bracket(items: list[Value], keys: list[str] | None) -> Value:
    """Return the array of some items, or the object of some keys and values."""
    if keys is None:
        return ("array", f"[{','.join(map(_write, items))}]")
    members = sorted(zip(map(json.dumps, keys), map(_write, items), strict=True))
    written = ",".join(f"{key}:{item}" for key, item in members)
    return ("object", f"{{{written}}}")


def _write(value: Value) -> str:
    """Return a text that is the same for equal values."""
    kind = value[0]
    if kind in ("array", "object"):
        return str(value[1])
    if kind == "string":
        return json.dumps(value[1])
    if kind == "number":
        _, negative, digits, exponent = value
        if digits and not digits.isdigit():
            return str(digits)  # one whose exponent is not written out
        return f"{'-' if negative else ''}{digits or 0}e{exponent}"
    return "null" if kind == "null" else "true" if value[1] else "false"


@lru_cache(_MOST_REMEMBERED)
def items_of(value: Value) -> tuple[Value, ...]:
    """Return the items of an array.

    >>> [item[0] for item in items_of(read_value(b'[null, [1]]'))]
    ['null', 'array']
    """
    text = value[1]
    cuts = _cut(text, ",")
    return tuple(_read_written(text[low + 1 : high]) for low, high in itertools.pairwise(cuts))


@lru_cache(_MOST_REMEMBERED)
def members_of(value: Value) -> Mapping[str, Value]:
    """Return the members of an object.

    >>> dict(members_of(read_value(b'{"a": null}')))
    {'a': ('null',)}
    """
    text = value[1]
    cuts = _cut(text, ",:")
    parts = [text[low + 1 : high] for low, high in itertools.pairwise(cuts)]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return MappingProxyType({json.loads(key): _read_written(item) for key, item in pairs})


def _cut(text: str, signs: str) -> list[int]:
    """Return where a written array or object begins, ends, and has some signs of its own."""
    if len(text) == 2:
        return []
    found, depth = [0], 0
    for match in _SIGN.finditer(text):
        sign = match[0]
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif depth == 1 and sign in signs:
            found.append(match.start())
    return [*found, len(text) - 1]


def _read_written(text: str) -> Value:
    """Return the value of a text that :func:`_write` gave."""
    if text[0] in "[{":
        return ("array" if text[0] == "[" else "object", text)
    return _read_scalar(text.encode())


def _read_scalar(token: bytes) -> Value:
    """Return the value of a text without brackets."""
    if token in _LITERALS:
        return _LITERALS[token]
    if token.startswith(b'"'):
        return ("string", json.loads(token))
    return number_value(token.decode())


def number_value(text: str) -> Value:
    """Return the value of a number: its sign, digits, and exponent.

    Raises:
        ValueError: it is none.

    >>> number_value("1.50") == number_value("15e-1")
    True
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no number")
    sign, whole, fraction, exponent = match.groups()
    digits = (whole + (fraction or "")).lstrip("0")
    short = digits.rstrip("0")
    if not short:
        return ("number", 0, "", 0)
    power = (exponent or "0").lstrip("+")
    if len(power) > _MOST_DIGITS:
        return ("number", int(sign == "-"), text, 0)
    shift = len(digits) - len(short) - len(fraction or "")
    return ("number", int(sign == "-"), short, int(power) + shift)


def decimal_of(value: Value) -> tuple[bool, int, int] | None:
    """Return a number's sign, digits and exponent; ``None`` if the exponent is not written out.

    >>> decimal_of(number_value("-1.50"))
    (True, 15, -1)
    """
    _, sign, text, exponent = value
    if text and not text.isdigit():
        return None
    return bool(sign), read_digits(text), exponent
