"""A vocabulary as tries in arrays, and what all artifacts of a tokenizer share.

Texts are sorted; a node is a run of them that share their first bytes. Nodes are numbered level by
level, the root is 0, and the children of a node are consecutive, so that ``bytes.find`` finds the
child of a byte, and what is below a node is one run of texts.

What comes after a string's closing quote is its *rest*: of 128,000 tokens a few hundred have
different ones, so they have a trie of their own. What depends on the tokenizer alone, such as where
white space leads to or which tokens stay inside a string of digits, is worked out once for all
artifacts in a process, in a cache of its own.

Example: of ``a``, ``ab`` and ``b`` the nodes are the root, ``a``, ``b`` and ``ab``. Of ``a``,
``a",`` and ``b",`` the rest is ``,``.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels, first_children, spread
from maskc.runtime.cache import Budget, Cache

Ints = NDArray[np.int32]
Nodes = tuple[int, ...]
ROOT: Final = 0
Words = NDArray[np.int32]

SHARED_BYTES = 96 * 1024 * 1024
_LEAST_BYTES: Final = 24 * 1024 * 1024
_KEPT_SHARE: Final = 4  # a part of the budget, for results that are kept for good
_QUOTE: Final = 0x22
_MANY: Final = 200  # ids that are packed by arrays rather than one by one


class TrieNodes(NamedTuple):
    """The nodes of a trie, level by level, as arrays of one length but for the last two."""

    byte: NDArray[np.uint8]  # uint8, of each node its last byte; 0 of the root
    # low, high: int32, the first of its texts, and one past the last
    low: Ints
    high: Ints
    ending: NDArray[Any]  # how many of them end in it, as narrow as narrow has them
    first: Ints  # int32, one longer: a node's children are those from its own to the next one's
    levels: Ints  # int32, where each level's nodes begin, and one past the last


class Trie:
    """The trie of some sorted texts, whose nodes may be known. Never changes.

    Attributes:
        bytes, first, low, high, n_ending, levels: as :class:`TrieNodes` has them, as Python's
            numbers; a node's own texts come first among those from ``low`` to ``high``.
        byte_array, first_array, low_array, ending_array: the arrays, which are used where they
            lie: in a file that is mapped, say.
    """

    def __init__(self, texts: Sequence[bytes], nodes: TrieNodes | None = None) -> None:
        self.nodes = nodes = nodes or build_nodes(texts)
        self.levels: list[int] = nodes.levels.tolist()
        self.byte_array, self.first_array = nodes.byte, nodes.first
        self.low_array, self.ending_array = nodes.low, nodes.ending
        self.bytes = self.byte_array.tobytes()
        # A memory view gives Python's integers, and copies nothing.
        self.first, self.low = nodes.first.data, nodes.low.data
        self.high, self.n_ending = nodes.high.data, nodes.ending.data
        self.texts = texts
        self._parents: Ints | None = None

    @property
    def parent_array(self) -> Ints:
        """int32[n], the node above; 0 of the root. It is made when it is first asked for."""
        if self._parents is None:
            self._parents = parents_of(self.first_array)
        return self._parents

    def child(self, node: int, byte: int) -> int:
        return self.bytes.find(byte, self.first[node], self.first[node + 1])

    def children(self, node: int, few: Iterable[int] | None) -> list[tuple[int, int]]:
        """Return the nodes one byte further, with their bytes: all, or those of a few bytes."""
        first, last = self.first[node], self.first[node + 1]
        if few is None:
            return list(enumerate(self.bytes[first:last], first))
        return [(child, byte) for byte in few if (child := self.bytes.find(byte, first, last)) >= 0]

    def has_children(self, node: int) -> bool:
        return self.first[node] < self.first[node + 1]

    def lead_on(self, nodes: Nodes) -> bool:
        first = self.first
        for node in nodes:  # noqa: SIM110 - a generator would take longer than the rest
            if first[node] < first[node + 1]:
                return True
        return False

    def children_of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return of each child of some nodes its parent's index and itself: int32[m] each."""
        return spread(self.first_array[nodes], self.first_array[nodes + 1])

    def path(self, node: int) -> bytes:
        return self.texts[self.low[node]][: bisect_right(self.levels, node) - 1]


def parents_of(first: Ints) -> Ints:
    """Return int32[n], the node above each; 0 of the root."""
    n_children = np.diff(first)
    above = np.repeat(np.arange(len(n_children), dtype=np.int32), n_children)
    return np.concatenate([np.zeros(1, dtype=np.int32), above])


def build_nodes(texts: Sequence[bytes]) -> TrieNodes:
    """Return the nodes of the trie of some texts, which are in ascending order."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns, levels = build_levels(np.frombuffer(b"".join(texts), dtype=np.uint8), lengths)
    byte, *others = columns
    parent, low, high, ending = (column.astype(np.int32) for column in others)
    starts = np.array(levels, dtype=np.int32)
    first = first_children(parent)
    return TrieNodes(byte.astype(np.uint8), low, high, narrow(ending), first, starts)


def narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return numbers from 0 on as uint8, uint16 or int32: the first that holds all of them.

    >>> narrow(np.array([1, 255])).dtype, narrow(np.array([256])).dtype
    (dtype('uint8'), dtype('uint16'))
    """
    most = int(counts.max(initial=0))
    return counts.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int32)


class SharedResults:
    """Results by key, whose sizes are counted, in a budget of their own or of a kit."""

    def __init__(self, limit: int = SHARED_BYTES) -> None:
        self._known = Cache(Budget(limit), _measure)  # key → result, and its bytes
        self._is_joined = False
        self._kept: dict[Any, Any] = {}
        self._kept_bytes = 0  # which the budget gave up
        self._find: Callable[[Any], Any] | None = None

    def get(self, key: object) -> Any:
        known: tuple[Any, int] | None = self._known.get(key)
        if known is not None:
            return known[0]
        found = self._kept.get(key)
        if found is None and self._find is not None:
            found = self._find(key)
            if found is not None:
                self.put(key, found, 0)
        return found

    def join(self, budget: Budget) -> None:
        """Have results counted in a larger budget: the largest one that was given.

        It is not done with one that could not hold what one machine needs.
        """
        before = self._known.budget
        least = before.limit + self._kept_bytes if self._is_joined else _LEAST_BYTES
        if budget is not before and budget.limit >= least:
            before.give_up(-self._kept_bytes)
            budget.give_up(self._kept_bytes)
            self._known, self._is_joined = Cache(budget, _measure), True

    def keep(self, key: object, result: object, n_bytes: int) -> None:
        """Remember a result that takes long to make, for good: the budget has so much less.

        Beyond a quarter of the budget results are evicted as others are.
        """
        budget = self._known.budget
        kept_bytes = self._kept_bytes + n_bytes
        if _KEPT_SHARE * kept_bytes > budget.limit + self._kept_bytes:
            self.put(key, result, n_bytes)
        elif key not in self._kept:
            self._kept[key], self._kept_bytes = result, kept_bytes
            budget.give_up(n_bytes)

    def lend(self, find: Callable[[Any], Any]) -> None:
        """Give what returns results that lie in a file, ``None`` for others; they do not count."""
        self._find = find

    def put(self, key: object, result: object, n_bytes: int) -> None:
        """Remember a result that takes so many bytes."""
        self._known.put(key, (result, n_bytes))


def _measure(_: object, known: tuple[Any, int]) -> int:
    return known[1]


class TextSlices(Sequence[bytes]):
    """Texts that lie in one array, cut out when they are asked for."""

    def __init__(self, data: NDArray[np.uint8], first: NDArray[np.int32], order: Ints) -> None:
        self._raw = data.tobytes()
        # A memory view gives Python's integers, as quickly as a list that takes long to make.
        self._first = np.ascontiguousarray(first, dtype=np.int32).data
        self._order = order.data

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        number = self._order[index]
        return self._raw[self._first[number] : self._first[number + 1]]


def cut_texts(data: NDArray[np.uint8], first: NDArray[np.int32]) -> list[bytes]:
    raw, offsets = data.tobytes(), first.tolist()
    return [raw[start:stop] for start, stop in itertools.pairwise(offsets)]


class IndexTables(NamedTuple):
    """What is worked out of a vocabulary's tokens once: see :class:`TokenIndex`."""

    order: Ints  # int32[n], token ids in the order of their bytes
    nodes: TrieNodes  # of the trie of the tokens
    # quote_nodes, quote_places, quote_rests: int32[n_quotes]; the second has text indices
    quote_nodes: Ints
    quote_places: Ints
    quote_rests: Ints
    # rest_first, rest_bytes: int32[n_suffixes + 1], where each rest begins; uint8, their bytes
    rest_first: Ints
    rest_bytes: NDArray[np.uint8]


class TokenIndex:
    """The tries of a vocabulary.

    Args:
        first: int32[n + 1], where each token's bytes begin.
        data: their bytes.
        tables: what is worked out of them, if it is known.

    Attributes:
        ids, order: token ids in the order of their bytes, without those that have none; an index
            into them is a *text index*.
        texts: their bytes.
        tokens, suffixes: the tries of the tokens and of the rests.
        quote_nodes: int32[n], each quote of a token, ascending by the node that it leads to.
        quote_texts, quote_rests: int32[n], the text index of the token, and the index of the rest.
    """

    def __init__(
        self, first: NDArray[np.int32], data: NDArray[np.uint8], tables: IndexTables | None = None
    ) -> None:
        self.n_words = -(-(len(first) - 1) // 32)
        if tables is None:
            texts = cut_texts(data, first)
            ids = sorted((i for i, text in enumerate(texts) if text), key=texts.__getitem__)
            self.texts: Sequence[bytes] = [texts[i] for i in ids]
            self.tokens = Trie(self.texts)
            tables = self._make_tables(ids)
        else:
            self.texts = TextSlices(data, first, tables.order)
            self.tokens = Trie(self.texts, tables.nodes)
        self.tables = tables
        self.order = tables.order
        self.ids = tables.order.data
        self.quote_nodes, self.quote_texts = tables.quote_nodes, tables.quote_places
        self.quote_rests = tables.quote_rests
        self.suffixes = Trie(cut_texts(tables.rest_bytes, tables.rest_first))
        self.n_suffixes = len(self.suffixes.texts)
        self.shared = SharedResults()

    def _make_tables(self, ids: list[int]) -> IndexTables:
        quotes = self._find_quotes()
        suffixes = sorted({rest for _, _, rest in quotes})
        number = {rest: n for n, rest in enumerate(suffixes)}
        table = np.array([(n, p, number[r]) for n, p, r in quotes], dtype=np.int32).reshape(-1, 3)
        nodes, text_indices, rests = (np.ascontiguousarray(table[:, k]) for k in range(3))
        return IndexTables(
            np.array(ids, dtype=np.int32),
            self.tokens.nodes,
            nodes,
            text_indices,
            rests,
            np.cumsum([0, *map(len, suffixes)], dtype=np.int32),
            np.frombuffer(b"".join(suffixes), dtype=np.uint8),
        )

    def _find_quotes(self) -> list[tuple[int, int, bytes]]:
        trie, found = self.tokens, []
        for depth in range(1, len(trie.levels) - 1):
            start, stop = trie.levels[depth], trie.levels[depth + 1]
            for node in (np.flatnonzero(trie.byte_array[start:stop] == _QUOTE) + start).tolist():
                for text_index in range(trie.low[node], trie.high[node]):
                    found.append((node, text_index, self.texts[text_index][depth:]))
        return found

    def quotes_below(self, nodes: NDArray[Any]) -> tuple[Ints, Ints]:
        """Return the tokens below the nodes that some quotes lead to, one quote after the other.

        Of each token the index of its node, and its row of ``quote_texts``: int32[m] each.
        """
        first = np.searchsorted(self.quote_nodes, nodes).astype(np.int32)
        last = np.searchsorted(self.quote_nodes, nodes + 1).astype(np.int32)
        return spread(first, last)

    def quotes_of(self, node: int) -> tuple[list[int], list[int]]:
        first, last = np.searchsorted(self.quote_nodes, [node, node + 1])
        return self.quote_texts[first:last].tolist(), self.quote_rests[first:last].tolist()

    def pack(self, ids: Sequence[int] | NDArray[Any]) -> Words:
        if len(ids) <= _MANY:
            return self.set_bits(np.zeros(self.n_words, dtype="<i4"), ids)
        bits = np.zeros(32 * self.n_words, dtype=np.bool_)
        bits[np.asarray(ids)] = True
        return np.packbits(bits, bitorder="little").view("<i4")

    def mix(
        self, rows: tuple[Words, ...], few: Sequence[int], removed: Sequence[int] = ()
    ) -> Words:
        """Return the tokens of some rows and a few more, without others, by id."""
        words = rows[0] if rows else self.pack(few)
        if len(rows) > 1:
            # Two at once takes a third of the time of reducing a list.
            words = rows[0] | rows[1]
            for row in rows[2:]:
                np.bitwise_or(words, row, out=words)
        if rows and few:
            words = self.set_bits(words, few)
        return self.clear_bits(words, removed) if removed else words

    def set_bits(self, words: Words, ids: Sequence[int] | NDArray[Any]) -> Words:
        return _write_bits(words, ids, value=True)

    def clear_bits(self, words: Words, ids: Sequence[int] | NDArray[Any]) -> Words:
        return _write_bits(words, ids, value=False)


def _write_bits(words: Words, ids: Sequence[int] | NDArray[Any], *, value: bool) -> Words:
    if len(ids) > _MANY:
        bits = np.unpackbits(words.view(np.uint8), bitorder="little")
        bits[np.asarray(ids)] = value
        return np.packbits(bits, bitorder="little").view("<i4")
    made = bytearray(words.tobytes())
    for token in ids.tolist() if isinstance(ids, np.ndarray) else ids:
        made[token >> 3] |= 1 << (token & 7)
    if not value:
        for token in ids.tolist() if isinstance(ids, np.ndarray) else ids:
            made[token >> 3] &= ~(1 << (token & 7))
    return np.frombuffer(made, dtype="<i4")
