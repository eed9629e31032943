"""What was found by walking a trie from some nodes, and the masks that are put together of it.

Two schemas have the same rows where they ask the same: any string, the gap before a key, the tokens
that close a string. So what is put together of them is known by which rows they are, and nobody has
to write 16 KB and compare them to find that the mask was there.

Example: inside an object, after a value, ``,`` and ``, "`` are legal whatever is below, and ``}``
is an *exit*: what comes after it depends on what the object stands in. Inside a string that a comma
or a brace follows, tools of any names have one mask: the row of any string, and that of what closes
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, Final, NamedTuple, Protocol
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.schema.strings.keys import OtherKeys, has_key
from maskc.runtime.schema.tries import Nodes, TokenIndex, Trie, Words

_serials: Final = count(1)
MANY: Final = 96  # ids of a part that are packed into a row
_PART_BYTES: Final = 250
_KEY_BYTES: Final = 400
_TOKEN_BYTES: Final = 36
_ROW_BYTES: Final = 100  # of a reference to a row
_MANY_CHANGED: Final = 200  # tokens that are not set one by one


class EndedKeys(NamedTuple):
    """Keys of one label that have ended, the texts of those without a name, and nodes after them.

    A text goes on there as JSON may; then they are one key, or nothing that follows tells them
    apart.
    """

    label: int
    texts: tuple[str, ...]
    nodes: Nodes
    goes_on: bool


@mypyc_attr(acyclic=True)
class Part:
    """Some legal tokens, and where the walk has left what it began in.

    Attributes:
        rows: masks whose tokens are legal.
        few: ids of more of them.
        bits, to_verify: rests, and those of them that have to be read token by token, as bit sets.
        exits: nodes of the trie at which the innermost thing that was open has ended.
        removed: ids of tokens that are illegal nevertheless; only of what is a whole mask.
        serial: a number that no other part of the process ever has.
    """

    __slots__ = ("bits", "exits", "few", "keys", "removed", "rows", "serial", "to_verify")

    def __init__(
        self,
        rows: tuple[Words, ...] = (),
        few: tuple[int, ...] = (),
        exits: Nodes = (),
        keys: tuple[EndedKeys, ...] = (),
        bits: int = 0,
        to_verify: int = 0,
        removed: tuple[int, ...] = (),
    ) -> None:
        self.rows, self.few, self.exits, self.keys = rows, few, exits, keys
        self.bits, self.to_verify, self.removed = bits, to_verify, removed
        self.serial = next(_serials)

    @property
    def own_bytes(self) -> int:
        """About how many bytes it takes without its rows."""
        n_tokens = len(self.few) + len(self.exits) + len(self.removed)
        return _PART_BYTES + _TOKEN_BYTES * n_tokens + _KEY_BYTES * len(self.keys)

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes, its rows included."""
        return self.own_bytes + (len(self.rows) * self.rows[0].nbytes if self.rows else 0)


# Rests that are legal, and those of them that have to be read token by token, as bit sets.
Rests = tuple[int, int]


class Following(Protocol):
    """What comes after a JSON text that is a piece of a longer one; no other has its number."""

    number: int

    @property
    def may_be_empty(self) -> bool:
        """Whether the text may end without it."""

    @property
    def first_bytes(self) -> frozenset[int] | None:
        """Bytes outside of which it does not begin, ``None`` if that is not known."""

    def walk(self, trie: Trie, nodes: Nodes) -> Part:
        """Return the texts of a trie that go on, as it begins, from some of its nodes."""

    def reads(self, text: bytes) -> bool:
        """Return whether it may begin with a text."""


def new_keys(
    texts: tuple[str, ...], nodes: Nodes, others: OtherKeys
) -> tuple[tuple[str, ...], Nodes]:
    """Return those of some keys that are none of a few, with their nodes."""
    kept = [(text, n) for text, n in zip(texts, nodes, strict=True) if not has_key(others, text)]
    return tuple(text for text, _ in kept), tuple(n for _, n in kept)


def bits_of(numbers: Iterable[int]) -> int:
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def part_of(index: TokenIndex, ids: Sequence[int] | NDArray[np.integer]) -> Part:
    """Return the part of some tokens, by id."""
    if len(ids) > MANY:
        return Part((index.pack(ids),))
    return Part(few=tuple(ids.tolist() if isinstance(ids, np.ndarray) else ids))


def part_of_texts(index: TokenIndex, trie: Trie, text_indices: Iterable[int]) -> Part:
    """Return the part of some texts of a trie, by text index."""
    if trie is index.suffixes:
        return Part(bits=bits_of(text_indices))
    return part_of(index, [index.ids[n] for n in text_indices])


class Mixes:
    """Puts masks of a pool together. Shared by all machines that share it."""

    def __init__(self, index: TokenIndex, pool: MaskPool, budget: Budget) -> None:
        self.index, self.pool, self.budget = index, pool, budget
        self._known = Cache(budget, _measure)

    def mask(
        self,
        rows: tuple[Words, ...],
        few: tuple[int, ...],
        removed: tuple[int, ...] = (),
        ends: tuple[int, ...] = (),
    ) -> PooledMask:
        """Return the mask of the tokens of some rows and a few more, without others, with ends.

        Rows are int32[n_words] and never written to again; all others are ids.
        """
        distinct = [(id(row), row) for row in rows]
        if len(rows) > 1:
            distinct = sorted(dict(distinct).items())
        # Of numbers and tuples, which the garbage collector does not look at.
        key = (tuple([number for number, _ in distinct]), few, removed, ends)
        found: tuple[Any, ...] | None = self._known.get(key)
        # The number of a row that is gone may be another one's.
        if found is None or not _are_same(found[1:], [row for _, row in distinct]):
            if self.pool.is_full:
                self.pool.forget()
                self.budget.clear()
            mask = self._compose([row for _, row in distinct], few, removed, ends)
            found = (mask, *[ref(row) for _, row in distinct])
            self._known.put(key, found)
        made: PooledMask = found[0]
        return made

    def _compose(
        self,
        rows: list[Words],
        few: tuple[int, ...],
        removed: tuple[int, ...],
        ends: tuple[int, ...],
    ) -> PooledMask:
        if len(few) + len(removed) > _MANY_CHANGED:
            words = self.index.mix(tuple(rows), few, removed)
            return self.pool.share(self.index.set_bits(words, ends) if ends else words)
        if ends:
            few, removed = few + ends, tuple([token for token in removed if token not in ends])
        if not rows:
            return self.pool.change(None, 0, few, removed)
        united, total = self._unite(rows)
        return self.pool.change(united, total, few, removed)

    def _unite(self, rows: list[Words]) -> tuple[Words, int]:
        key = (Mixes, *[id(row) for row in rows])
        found: tuple[Any, ...] | None = self.index.shared.get(key)
        if found is None or not _are_same(found[2:], rows):
            words = self.index.mix(tuple(rows), ())
            kept = words if len(rows) > 1 else None
            found = (kept, self.pool.sum(words), *[ref(row) for row in rows])
            n_bytes = _ROW_BYTES * len(rows) + (0 if kept is None else words.nbytes)
            self.index.shared.put(key, found, ENTRY_BYTES + n_bytes)
        return rows[0] if found[0] is None else found[0], found[1]


def _are_same(known: tuple[Any, ...], rows: list[Words]) -> bool:
    for n, row in enumerate(rows):  # noqa: SIM110 - a generator would take longer than the rest
        if known[n]() is not row:
            return False
    return True


def _measure(key: tuple[Any, ...], _: tuple[Any, ...]) -> int:
    rows, few, removed, _ends = key
    return ENTRY_BYTES + _ROW_BYTES * len(rows) + _TOKEN_BYTES * (len(few) + len(removed))
