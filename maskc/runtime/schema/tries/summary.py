"""What was found by walking a trie from some nodes, with as much of a stack as that took.

Example: inside an object, after a value, ``,`` and ``, "`` are legal whatever is below, and ``}``
is an *exit*: what comes after it depends on what the object stands in.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple, Protocol

from maskc.runtime.schema.strings.other_keys import OtherKeys, has_key
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import Nodes, Trie

_serials = count(1)
MANY = 96  # ids of a part that are packed into a row


class EndedKeys(NamedTuple):
    """Keys that have ended, of one label.

    Attributes:
        label: of the keys.
        texts: the keys, if they have no name.
        nodes: after the closing quote of each.
        goes_on: whether a text goes on there as JSON may; then they are one key, or nothing that
            follows tells them apart.
    """

    label: int
    texts: tuple[str, ...]
    nodes: Nodes
    goes_on: bool


class Part:
    """Some legal tokens, and where the walk has left what it began in.

    Attributes:
        rows: masks whose tokens are legal.
        few: more of them: ids of tokens, or places of rests.
        bits: the same as a bit set, of rests only.
        unsure: rests that have to be read token by token, as a bit set.
        exits: nodes of the trie at which the innermost thing that was open has ended.
        keys: where keys have ended.
        gone: ids of tokens that are illegal nevertheless; only of what is a whole mask.
        serial: a number that no other part of the process ever has.
    """

    __slots__ = ("bits", "exits", "few", "gone", "keys", "rows", "serial", "unsure")

    def __init__(
        self,
        rows: tuple[Words, ...] = (),
        few: tuple[int, ...] = (),
        exits: Nodes = (),
        keys: tuple[EndedKeys, ...] = (),
        bits: int = 0,
        unsure: int = 0,
        gone: tuple[int, ...] = (),
    ) -> None:
        self.rows, self.few, self.exits, self.keys = rows, few, exits, keys
        self.bits, self.unsure, self.gone = bits, unsure, gone
        self.serial = next(_serials)


# Rests that are legal, and those of them that have to be read token by token, as bit sets.
Rests = tuple[int, int]


class Following(Protocol):
    """What comes after a JSON text that is a piece of a longer one.

    Attributes:
        number: greater than 0; nothing else has it.
    """

    number: int

    @property
    def may_be_empty(self) -> bool:
        """Whether the text may end without it."""

    def walk(self, trie: Trie, nodes: Nodes) -> Part:
        """Return the texts of a trie that go on, as it begins, from some of its nodes."""

    def reads(self, text: bytes) -> bool:
        """Return whether it may begin with a text."""


def new_keys(
    texts: tuple[str, ...], nodes: Nodes, others: OtherKeys
) -> tuple[tuple[str, ...], Nodes]:
    """Return those of some keys that are none of a few, with their nodes.

    >>> from maskc.runtime.schema.strings.other_keys import join_keys
    >>> new_keys(("a", "b"), (1, 2), join_keys(["a"]))
    (('b',), (2,))
    """
    kept = [(text, n) for text, n in zip(texts, nodes, strict=True) if not has_key(others, text)]
    return tuple(text for text, _ in kept), tuple(n for _, n in kept)


def bits_of(places: Iterable[int]) -> int:
    """Return a bit set.

    >>> bits_of([0, 3])
    9
    """
    found = 0
    for place in places:
        found |= 1 << place
    return found
