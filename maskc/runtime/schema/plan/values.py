"""JSON values of a text, to compare items that must differ: ``1`` is ``1.0``.

A value is a tuple of its type and what it holds; arrays and objects hold a text that is the same
for equal values, so that comparing them takes no recursion, however deep they are. Numbers are
compared by their digits and exponent, never written out.

Example: ``[1, {"a": null}]`` has the same value as ``[1.0, {"a":null}]``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from maskc.runtime.schema.numbers.powers import read_digits

Value = tuple[Any, ...]

TOKEN = re.compile(rb'[ \t\n\r]*([{}\[\],:]|"(?:[^"\\]|\\.)*"|[^ \t\n\r{}\[\],:"]+)')
_SIGN = re.compile(r'[\[\]{},:]|"(?:[^"\\]|\\.)*"')
_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_MOST_DIGITS = 4_000
_MOST_REMEMBERED = 1 << 14
_LITERALS: dict[bytes, Value] = {
    b"null": ("null",),
    b"true": ("boolean", True),
    b"false": ("boolean", False),
}


def read_value(text: bytes) -> Value:
    """Return the value of a text that is known to be JSON.

    Raises:
        ValueError: it is not.

    >>> read_value(b'[1, {"b": 1, "a": 1.0}]') == read_value(b'[1e0,{"a":1,"b":10.0}]')
    False
    >>> read_value(b'[1, {"b": 1, "a": 1.0}]') == read_value(b'[1.0,{"a":1,"b":1}]')
    True
    """
    frames: list[tuple[list[Value], list[str] | None]] = [([], None)]
    for match in TOKEN.finditer(text):
        token = match[1]
        if token in (b",", b":"):
            continue
        if token == b"[":
            frames.append(([], None))
        elif token == b"{":
            frames.append(([], []))
        elif token in (b"]", b"}"):
            if len(frames) < 2:
                raise ValueError("brackets do not match")
            items, keys = frames.pop()
            frames[-1][0].append(close_bracket(items, keys))
        else:
            items, keys = frames[-1]
            if keys is not None and len(keys) == len(items):
                keys.append(json.loads(token))
            else:
                items.append(read_scalar(token))
    (items, _), *open_ = frames
    if open_ or len(items) != 1:
        raise ValueError("not one JSON value")
    return items[0]


def close_bracket(items: list[Value], keys: list[str] | None) -> Value:
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
    return read_scalar(text.encode())


def read_scalar(token: bytes) -> Value:
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
