r"""What do tokens write inside a string, character by character?

The texts after some nodes of a trie are read as what comes after an opening quote: each writes some
whole characters, and then ends, inside a character or between two, or closes the string. The
characters make a trie of their own, whose texts are equal however they are spelled: ``a`` and
``\u0061`` are one. A text is an *item* of the node that its last whole character leads to.

An automaton over characters walks this trie without looking at a byte.

Example: ``a``, ``ab"`` and ``a\u`` are items of the nodes a, ab and a: one between two characters,
one that closes, and one inside the next.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels
from maskc.runtime.schema.spelling import Ranges, ranges_after
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import Ints, Nodes, Trie

# What an item does after its last whole character.
BETWEEN, ESCAPED, CUT, CLOSES = range(4)  # ESCAPED: in an escape; CUT: in UTF-8
_QUOTE = 0x22
_NOT_PLAIN = re.compile(rb'[\x00-\x1f"\\]')
_MOST_REMEMBERED = 20_000

# Characters; what comes after them; a place, or a node after a quote; what is read of the next one.
Item = tuple[str, int, int, bytes]


class Spelled:
    """The trie of the characters that some texts write.

    Args:
        items: of the texts.
        minimal: whether strings are written with no more escapes than they need.

    Attributes:
        chars: of each node its last character.
        first: n + 1 numbers: a node's children are those from its own to the next one's, in the
            order of their characters.
        low: of each node the first item below it; its own come first, in the order of their kinds.
        high: one past the last.
        n_ending: how many items are a node's own.
        levels: where the nodes of so many characters begin, and one past the last.
        kinds: of each item what comes after its last whole character.
        places: the item's text, by place; of one that closes, the node after the quote.
        begun: of each item the beginnings of characters that it ends with, by number.
        n_items: how many there are.
        minimal: as given.
        ranges: number of a beginning → the characters that it can become.
        parent_array: int32[n], the node above; 0 of the root.
        distinct: int32[n_characters], the characters that there are.
        character_of: int32[n], of each node its last character, by place in ``distinct``.
        owners: int32[n_items], of each item its node.
    """

    def __init__(self, items: Iterable[Item], *, minimal: bool) -> None:
        ordered = sorted(items)
        texts = [item[0] for item in ordered]
        flat = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.int32)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        columns, self.levels = build_levels(flat, lengths)
        char, parent, low, high, ending = (column.astype(np.int32) for column in columns)
        first = np.searchsorted(parent[1:], np.arange(len(char) + 1)).astype(np.int32) + 1
        self.parent_array = parent
        is_there = np.zeros(int(char.max()) + 1, dtype=np.bool_)
        is_there[char] = True
        self.distinct = np.flatnonzero(is_there).astype(np.int32)
        self.character_of = (np.cumsum(is_there, dtype=np.int32) - 1)[char]
        self.owners = np.empty(len(ordered), dtype=np.int32)
        counts = ending.astype(np.int64)
        run = np.repeat(np.arange(len(char), dtype=np.int32), counts)
        own = np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts)
        self.owners[low[run] + own] = run
        self.chars, self.first = array("i", char.tobytes()), array("i", first.tobytes())
        self.low, self.high = array("i", low.tobytes()), array("i", high.tobytes())
        self.n_ending = array("i", ending.tobytes())
        self.kinds = bytes(item[1] for item in ordered)
        self.places = array("i", [item[2] for item in ordered])
        numbers = {b"": 0}
        self.begun = array("i", bytes(4 * len(ordered)))
        for n, kind in enumerate(self.kinds):
            if kind in (ESCAPED, CUT):
                self.begun[n] = numbers.setdefault(ordered[n][3], len(numbers))
        self.ranges: list[Ranges] = [
            ranges_after(raw, minimal=minimal) if raw else () for raw in numbers
        ]
        self.n_items, self.minimal = len(ordered), minimal
        self._becoming: dict[tuple[int, int], tuple[int, ...]] = {}
        self._n_possible = [sum(b - a + 1 for a, b in ranges) for ranges in self.ranges]
        self._cut: dict[int, list[tuple[int, int]]] = {}

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        return 44 * len(self.chars) + 24 * self.n_items + 1000

    def own_items(self, node: int) -> range:
        """Return a node's own items."""
        low = self.low[node]
        return range(low, low + self.n_ending[node])

    def cut_items(self, node: int) -> list[tuple[int, int]]:
        """Return a node's items that end inside a character: how many it can become, and the item.

        Ascending.
        """
        found = self._cut.get(node)
        if found is None:
            found = []
            for item in self.own_items(node):
                if self.kinds[item] in (ESCAPED, CUT):
                    found.append((self._n_possible[self.begun[item]], item))
            found.sort()
            if len(self._cut) > _MOST_REMEMBERED:
                self._cut.clear()
            self._cut[node] = found
        return found

    def becoming(self, node: int, character: int) -> tuple[int, ...]:
        """Return the places of a node's items that end inside what can become a character."""
        key = (node, character)
        found = self._becoming.get(key)
        if found is None:
            last = CUT if character >= 0x80 else ESCAPED
            places = []
            for item in self.own_items(node):
                kind = self.kinds[item]
                if kind > last:
                    break
                if kind != BETWEEN:
                    ranges = self.ranges[self.begun[item]]
                    if any(a <= character <= b for a, b in ranges):
                        places.append(self.places[item])
            if len(self._becoming) > _MOST_REMEMBERED:
                self._becoming.clear()
            found = self._becoming[key] = tuple(places)
        return found


def spell(index: TokenIndex, trie: Trie, nodes: Nodes, free: Body, *, minimal: bool) -> Spelled:
    """Return what the texts after some nodes write after an opening quote.

    Args:
        index: whose memory is used.
        trie: of it.
        nodes: after the quote, none below another.
        free: the body of strings of any characters.
        minimal: whether strings are written with no more escapes than they need.
    """
    key = (Spelled, minimal, trie is index.rests, nodes)
    found: Spelled | None = index.shared.get(key)
    if found is None:
        if trie is index.tokens and nodes == (0,):
            items: Iterable[Item] = _read_plain(index, free)
        else:
            items = _read_below(trie, nodes, free)
        found = Spelled(items, minimal=minimal)
        index.shared.put(key, found, found.n_bytes)
    return found


def _read_plain(index: TokenIndex, free: Body) -> list[Item]:
    """Return the items of a whole vocabulary, most of which is characters as they are."""
    found: list[Item] = []
    rest: list[int] = []
    is_special = _NOT_PLAIN.search
    for place, text in enumerate(index.texts):
        if is_special(text) is None:
            try:
                found.append((text.decode(), BETWEEN, place, b""))
                continue
            except UnicodeDecodeError:
                pass
        rest.append(place)
    found += _read_texts(index.tokens, rest, free)
    return found


def _read_below(trie: Trie, nodes: Nodes, free: Body) -> Iterator[Item]:
    for node in nodes:
        own = trie.low[node] + trie.n_ending[node]
        yield from _read_texts(trie, range(own, trie.high[node]), free, node)


def _read_texts(trie: Trie, places: Sequence[int], free: Body, node: int = 0) -> Iterator[Item]:
    """Yield the items of some texts from a node on."""
    depth = len(trie.path(node))
    closed: set[int] = set()
    for place in places:
        text = trie.texts[place]
        at, begin, here = free.start, depth, node
        characters: list[str] = []
        for n in range(depth, len(text)):
            byte = text[n]
            is_whole = begin == n
            here = trie.child(here, byte)
            if byte == _QUOTE and is_whole:
                if here not in closed:
                    closed.add(here)
                    yield "".join(characters), CLOSES, here, b""
                break
            at = free.step(at, byte)
            if not at:
                break
            if free.characters[at] >= 0:
                characters.append(_decode(text[begin : n + 1]))
                begin = n + 1
        else:
            raw = text[begin:]
            kind = BETWEEN if not raw else ESCAPED if raw[0] == 0x5C else CUT
            yield "".join(characters), kind, place, raw


_SHORT_ESCAPES = {ord(sign): text for sign, text in zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True)}


def _decode(raw: bytes) -> str:
    """Return the character that some bytes write."""
    if raw[0] != 0x5C:
        return raw.decode()
    if raw[1] != ord("u"):
        return _SHORT_ESCAPES[raw[1]]
    code = int(raw[2:6], 16)
    if len(raw) > 6:
        code = 0x10000 + (code - 0xD800 << 10) + int(raw[8:], 16) - 0xDC00
    return chr(code)


def child_of(spelled: Spelled, node: int, character: int) -> int:
    """Return the child of a node by its character, -1 if there is none."""
    chars, last = spelled.chars, spelled.first[node + 1]
    found = bisect_left(chars, character, spelled.first[node], last)
    return found if found < last and chars[found] == character else -1


def item_columns(spelled: Spelled) -> tuple[NDArray[np.uint8], Ints, Ints]:
    """Return kinds, places and beginnings of all items as arrays."""
    return (
        np.frombuffer(spelled.kinds, dtype=np.uint8),
        np.frombuffer(spelled.places, dtype=np.int32),
        np.frombuffer(spelled.begun, dtype=np.int32),
    )
