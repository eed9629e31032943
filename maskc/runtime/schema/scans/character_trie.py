r"""The decoded-character trie: what tokens write inside a string, character by character.

The texts after some nodes of a trie are read as what comes after an opening quote, or after the
beginning of a character: each writes some whole characters, and then ends, inside a character or
between two, or closes the string. The characters make a trie of their own, whose texts are equal
however they are spelled: ``a`` and ``\u0061`` are one. A text is an *item* of the node that its
last whole character leads to.

An automaton over characters walks this trie without looking at a byte.

Example: ``a``, ``ab"`` and ``a\u`` are items of the nodes a, ab and a: one between two characters,
one that closes, and one inside the next.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import build_levels, first_children
from maskc.runtime.schema.strings import Body, Ranges, ranges_after, read_character, rests_like
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.tries import ROOT, Ints, Nodes, TokenIndex, Trie, cut_texts, narrow
from maskc.runtime.step_budget import charge_steps

# What an item does after its last whole character; ESCAPED is in an escape, CUT in UTF-8.
BETWEEN: Final = 0
ESCAPED: Final = 1
CUT: Final = 2
CLOSES: Final = 3
_QUOTE: Final = 0x22
_NOT_PLAIN: Final = re.compile(rb'[\x00-\x1f"\\]')
_MOST_REMEMBERED: Final = 20_000
_FEW_ITEMS: Final = 30  # of a node, that are looked at one by one

# Characters; what comes after them; its origin; what is read of the next one.
Item = tuple[str, int, int, bytes]


class CharacterTrieTables(NamedTuple):
    """A :class:`CharacterTrie` as arrays: what is worked out once."""

    chars: Ints  # int32[n], of each node its last character
    # int32[n + 1], its children are those from its own to the next one's, in the order of their
    # characters
    first: Ints
    low: Ints  # int32[n], the first item below it; its own come first, in the order of their kinds
    high: Ints  # int32[n], one past the last
    # of n numbers, how many items are its own; see maskc.runtime.schema.tries.narrow
    ending: NDArray[Any]
    levels: Ints  # int32, where the nodes of so many characters begin, and one past the last
    kinds: NDArray[np.uint8]  # uint8[n_items], what comes after the item's last whole character
    # int32[n_items], the item's *origin*: the index of its text, or, of one that closes, the node
    # after the quote
    places: Ints
    # of n_items numbers, the beginning of a character that it ends with, by number
    begun: NDArray[Any]
    begun_first: Ints  # int32, where each of these begins; the first of them is empty
    begun_bytes: NDArray[np.uint8]  # uint8, their bytes


class CharacterTrie:
    """The trie of the characters that some texts write, where ``before`` of one was read.

    Attributes:
        chars, first, low, high, n_ending, kinds, begun: as the tables have them, as Python's
            numbers; these are used where they lie: in a file that is mapped, say.
        origins: the tables' ``places`` likewise.
        levels: where the nodes of so many characters begin, and one past the last.
        below_root: character → the child of the root.
        ranges: number of a beginning → the characters that it can become.
        like: a trie of the same texts whose first characters alone are others, or this one.
    """

    def __init__(
        self,
        tables: CharacterTrieTables,
        *,
        escapes: str,
        before: bytes = b"",
        like: CharacterTrie | None = None,
    ) -> None:
        self.tables, self.escapes, self.before = tables, escapes, before
        self.like = like or self
        self.levels: list[int] = tables.levels.tolist()
        # A memory view gives Python's integers, and copies nothing.
        self.chars, self.first = tables.chars.data, tables.first.data
        self.low, self.high = tables.low.data, tables.high.data
        self.n_ending, self.kinds = tables.ending.data, tables.kinds.tobytes()
        self.origins, self.begun = tables.places.data, tables.begun.data
        self.n_items = len(self.kinds)
        begun = cut_texts(tables.begun_bytes, tables.begun_first)
        self.ranges: list[Ranges] = [
            ranges_after(raw, escapes=escapes) if raw else () for raw in begun
        ]
        # The root has hundreds of children, and most others have few.
        self.below_root = {self.chars[n]: n for n in range(self.first[0], self.first[1])}
        self._becoming: dict[tuple[int, int], tuple[int, ...]] = {}
        self._n_possible = [sum(b - a + 1 for a, b in ranges) for ranges in self.ranges]
        self._cut: dict[int, list[tuple[int, int]]] = {}
        self._closing: bytes | None = None
        self._words: dict[str, int] = {}
        self._characters: tuple[Ints, Ints] | None = None
        self._beginning_ranges: Ints | None = None

    @property
    def closing(self) -> bytes:
        """Of each node whether a text closes the string there or further on: 1, else 0."""
        if self._closing is None:
            tables = self.tables
            n_closing = np.cumsum(np.append(0, tables.kinds == CLOSES))
            self._closing = (n_closing[tables.high] > n_closing[tables.low]).tobytes()
        return self._closing

    @property
    def beginning_ranges(self) -> Ints:
        """int32[3, m], the ranges that beginnings can become: ends, and which beginning it is."""
        if self._beginning_ranges is None:
            rows = [(low, high, n) for n, pairs in enumerate(self.ranges) for low, high in pairs]
            self._beginning_ranges = np.array(rows, dtype=np.int32).reshape(-1, 3).T
        return self._beginning_ranges

    @property
    def distinct(self) -> Ints:
        return self._find_characters()[0]

    @property
    def character_of(self) -> Ints:
        """int32[n], of each node its last character, as an index into ``distinct``."""
        return self._find_characters()[1]

    def _find_characters(self) -> tuple[Ints, Ints]:
        if self._characters is None:
            chars = self.tables.chars
            is_there = np.zeros(int(chars.max()) + 1, dtype=np.bool_)
            is_there[chars] = True
            distinct = np.flatnonzero(is_there).astype(np.int32)
            self._characters = distinct, (np.cumsum(is_there, dtype=np.int32) - 1)[chars]
        return self._characters

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.tables) + 4 * len(self.chars) + 1000

    def after(self, before: bytes) -> CharacterTrie:
        """Return the trie where another beginning was read that the same bytes end.

        See :func:`maskc.runtime.schema.strings.rests_like`.
        """
        (low, _), *_ = ranges_after(before, escapes=self.escapes)
        (own_low, _), *_ = ranges_after(self.before, escapes=self.escapes)
        tables = self.tables
        chars, begun = tables.chars.copy(), tables.begun.astype(np.int32)
        chars[self.first[0] : self.first[1]] += low - own_low
        # Texts that do not end the character end in another one.
        numbers, inverse = np.unique(begun[: self.n_ending[0]], return_inverse=True)
        texts = cut_texts(tables.begun_bytes, tables.begun_first)
        begun[: self.n_ending[0]] = len(texts) + inverse
        texts += [before + texts[number][len(self.before) :] for number in numbers.tolist()]
        tables = tables._replace(
            chars=chars,
            begun=narrow(begun),
            begun_first=np.cumsum([0, *map(len, texts)], dtype=np.int32),
            begun_bytes=np.frombuffer(b"".join(texts), dtype=np.uint8),
        )
        return CharacterTrie(tables, escapes=self.escapes, before=before, like=self)

    def child(self, node: int, character: int) -> int:
        """Return the child of a node by its character, -1 if there is none."""
        if not node:
            return self.below_root.get(character, -1)
        chars, last = self.chars, self.first[node + 1]
        found = bisect_left(chars, character, self.first[node], last)
        return found if found < last and chars[found] == character else -1

    def find(self, word: str) -> int:
        """Return the node of a text, -1 if none writes all of it; asked for again and again."""
        found = self._words.get(word)
        if found is None:
            found = 0
            for character in word:
                found = self.child(found, ord(character))
                if found < 0:
                    break
            if len(self._words) >= _MOST_REMEMBERED:
                self._words.clear()
            self._words[word] = found
        return found

    def own_items(self, node: int) -> range:
        low = self.low[node]
        return range(low, low + self.n_ending[node])

    def closing_items(self, node: int) -> range:
        """Return those of a node's own items that close the string."""
        # Items lie in the order of their kinds.
        own = self.own_items(node)
        return range(own.stop - self.kinds.count(CLOSES, own.start, own.stop), own.stop)

    def cut_items(self, node: int) -> list[tuple[int, int]]:
        """Return a node's items that end inside a character, ascending by what they can become.

        Each is the number of characters that it can become, and the item.
        """
        found = self._cut.get(node)
        if found is None:
            own = [n for n in self.own_items(node) if self.kinds[n] in (ESCAPED, CUT)]
            found = sorted([(self._n_possible[self.begun[n]], n) for n in own])
            if len(self._cut) > _MOST_REMEMBERED:
                self._cut.clear()
            self._cut[node] = found
        return found

    def becoming(self, node: int, character: int) -> tuple[int, ...]:
        """Return the text indices of a node's items that end inside what can become a character."""
        key = (node, character)
        found = self._becoming.get(key)
        if found is None:
            # What closes or ends between two characters has 0 as its beginning, of no ranges.
            if self.n_ending[node] > _FEW_ITEMS:
                found = self._find_becoming(node, character)
            else:
                begun, ranges, origins = self.begun, self.ranges, self.origins
                own = self.own_items(node)
                found = tuple([origins[n] for n in own if has_code(ranges[begun[n]], character)])
            if len(self._becoming) > _MOST_REMEMBERED:
                self._becoming.clear()
            self._becoming[key] = found
        return found

    def _find_becoming(self, node: int, character: int) -> tuple[int, ...]:
        lows, highs, beginnings = self.beginning_ranges
        possible = beginnings[(lows <= character) & (character <= highs)]
        own = slice(self.low[node], self.low[node] + self.n_ending[node])
        is_one = np.isin(self.tables.begun[own], possible)
        return tuple(self.tables.places[own][is_one].tolist())


def has_code(ranges: Ranges, character: int) -> bool:
    """Return whether a character is in some ranges."""
    for low, high in ranges:  # noqa: SIM110 - a generator would take longer than the rest
        if low <= character <= high:
            return True
    return False


def owners_of(tables: CharacterTrieTables) -> Ints:
    """Return int32[n_items], of each item its node; -1 of one that no node has as its own."""
    nodes = np.flatnonzero(tables.ending)
    counts = tables.ending[nodes].astype(np.int64)
    run = np.repeat(nodes, counts)
    own = np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = np.full(len(tables.kinds), -1, dtype=np.int32)
    found[tables.low[run] + own] = run
    return found


def tabulate_items(items: Iterable[Item]) -> CharacterTrieTables:
    """Return the trie of some items."""
    ordered = sorted(items)
    texts = [item[0] for item in ordered]
    flat = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.int32)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns, levels = build_levels(flat, lengths)
    char, parent, low, high, ending = (column.astype(np.int32) for column in columns)
    numbers = {b"": 0}
    begun = [numbers.setdefault(item[3], len(numbers)) for item in ordered]
    return CharacterTrieTables(
        char,
        first_children(parent),
        low,
        high,
        narrow(ending),
        np.array(levels, dtype=np.int32),
        np.array([item[1] for item in ordered], dtype=np.uint8),
        np.array([item[2] for item in ordered], dtype=np.int32),
        narrow(np.array(begun, dtype=np.int32)),
        np.cumsum([0, *map(len, numbers)], dtype=np.int32),
        np.frombuffer(b"".join(numbers), dtype=np.uint8),
    )


def free_body(index: TokenIndex, *, escapes: str) -> Body:
    """Return the body of strings of any characters, which all artifacts share."""
    key = (free_body, escapes)
    found: Body | None = index.shared.get(key)
    if found is None:
        found = Body(CharDfa([0], [0], [0, 1], [{}, {}], [-1, 0], 1), escapes=escapes)
        index.shared.put(key, found, 10_000)
    return found


def build_character_trie(
    index: TokenIndex, trie: Trie, nodes: Nodes, *, escapes: str, before: bytes = b""
) -> CharacterTrie:
    """Return what the texts after some nodes write inside a string."""
    key = character_trie_key(index, trie, nodes, escapes=escapes, before=before)
    found: CharacterTrie | None = index.shared.get(key)
    if found is None:
        representative = before and (rests_like(before, escapes=escapes) or before)
        if representative != before:
            found = build_character_trie(
                index, trie, nodes, escapes=escapes, before=representative
            ).after(before)
        else:
            items = _read_items(trie, nodes, free_body(index, escapes=escapes), before)
            found = CharacterTrie(tabulate_items(items), escapes=escapes, before=before)
            charge_steps(found.n_items // 8)
        # Of a whole vocabulary it takes 2 to 300 ms for 128,000 tokens, and there are few.
        is_kept = nodes == (ROOT,) and representative == before
        (index.shared.keep if is_kept else index.shared.put)(key, found, found.n_bytes)
    return found


def character_trie_key(
    index: TokenIndex, trie: Trie, nodes: Nodes, *, escapes: str, before: bytes = b""
) -> object:
    return (CharacterTrie, escapes, trie is index.suffixes, nodes, before)


def _read_items(trie: Trie, nodes: Nodes, free: Body, before: bytes) -> Iterator[Item]:
    """Yield the items of the texts below some nodes, in a string of any characters."""
    heads = [(node, "") for node in nodes]
    if before:
        heads = []
        open_ = [(node, free.read(before), before) for node in nodes]
        while open_:
            node, at, raw = open_.pop()
            for child, byte in trie.children(node, None):
                after, begun = free.step(at, byte), raw + bytes([byte])
                kind, text = ESCAPED if raw[0] == 0x5C else CUT, ""
                if not after:
                    continue
                if free.characters[after] >= 0:
                    text = chr(read_character(begun, escapes="any"))
                    kind, begun = BETWEEN, b""
                    heads.append((child, text))
                else:
                    open_.append((child, after, begun))
                low = trie.low[child]
                for text_index in range(low, low + trie.n_ending[child]):
                    yield text, kind, text_index, begun
    for head, text in heads:
        yield from _read_below(trie, head, free, text)


def _read_below(trie: Trie, head: int, free: Body, written: str) -> Iterator[Item]:
    """Yield the items of the texts below a node, before which some characters were written."""
    depth, start = len(trie.path(head)), free.start
    closed: set[bytes] = set()
    is_special, is_ascii = _NOT_PLAIN.search, free.escapes == "ascii"
    for text_index in range(trie.low[head] + trie.n_ending[head], trie.high[head]):
        text = trie.texts[text_index][depth:]
        if is_special(text) is None and (not is_ascii or text.isascii()):
            # Most texts are characters as they are.
            try:
                yield written + text.decode(), BETWEEN, text_index, b""
                continue
            except UnicodeDecodeError:
                pass
        at, begin = start, 0
        characters = [written]
        for n, byte in enumerate(text):
            if byte == _QUOTE and begin == n:
                prefix = text[: n + 1]
                if prefix not in closed:
                    closed.add(prefix)
                    node = head
                    for each in prefix:
                        node = trie.child(node, each)
                    yield "".join(characters), CLOSES, node, b""
                break
            at = free.step(at, byte)
            if not at:
                break
            if free.characters[at] >= 0:
                characters.append(chr(read_character(text[begin : n + 1], escapes="any")))
                begin = n + 1
        else:
            raw = text[begin:]
            kind = BETWEEN if not raw else ESCAPED if raw[0] == 0x5C else CUT
            yield "".join(characters), kind, text_index, raw
