"""The keys of an object that no rule names, as one text.

A set is an object that Python's garbage collector looks at each time it runs, for every state that
is remembered; a text is none, and knows its hash. The keys lie in it in ascending order, each
between two separators, so equal sets are equal texts.

Example: of b and a it is a separator, ``a``, a separator, ``b``, a separator.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from typing import Final, NewType

OtherKeys = NewType("OtherKeys", str)

# Halves of surrogate pairs, which are in no key that can be read.
_SEPARATOR: Final = chr(0xDFFE)
UNREAD: Final = chr(0xDFFF)  # a key that is not known

NO_KEYS: Final = OtherKeys("")


def unread_key(label: int) -> str:
    """Return a key of a label that stands for any that cannot be read, or was not there before."""
    return f"{UNREAD}{label}"


def label_of_unread(key: str) -> int | None:
    """Return the label of what :func:`unread_key` made, ``None`` of another key."""
    return int(key[1:]) if len(key) > 1 and key[0] == UNREAD else None


def has_key(others: OtherKeys, key: str) -> bool:
    return bool(others) and _SEPARATOR + key + _SEPARATOR in others


def list_keys(others: OtherKeys) -> list[str]:
    return others.split(_SEPARATOR)[1:-1]


def list_begun(others: OtherKeys, prefix: str) -> list[str]:
    """Return those of them that begin with a text, in ascending order.

    >>> list_begun(join_keys(["a", "ab", "b"]), "a")
    ['a', 'ab']
    """
    first = others.find(_SEPARATOR + prefix)
    if first < 0:
        return []
    last = others.find(_SEPARATOR, others.rfind(_SEPARATOR + prefix, 0, len(others) - 1) + 1)
    return others[first + 1 : last].split(_SEPARATOR)


def count_begun(others: OtherKeys, prefix: str) -> int:
    """Return how many of them begin with a text.

    >>> count_begun(join_keys(["a", "ab", "b"]), "a")
    2
    """
    if not prefix:
        return max(others.count(_SEPARATOR) - 1, 0)
    return others.count(_SEPARATOR + prefix)


def add_key(others: OtherKeys, key: str) -> OtherKeys:
    """Return them with one more.

    >>> list_keys(add_key(add_key(NO_KEYS, "b"), "a"))
    ['a', 'b']
    """
    if has_key(others, key):
        return others
    keys = list_keys(others)
    insort(keys, key)
    return join_keys(keys)


def join_keys(keys: Iterable[str]) -> OtherKeys:
    """Return some keys, which are different and in ascending order."""
    found = _SEPARATOR.join(keys)
    return OtherKeys(_SEPARATOR + found + _SEPARATOR)
