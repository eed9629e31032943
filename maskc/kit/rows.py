"""Rows that all schemas of a tokenizer share, as a kit's file has them.

What tokens write inside a string, character by character
(:mod:`maskc.runtime.schema.scans.character_trie`), takes most of a second to work out. It lies in
the file as arrays, and is used there: nothing of it is read before a mask needs it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.schema.scans.character_trie import (
    CLOSES,
    CUT,
    CharacterTrie,
    CharacterTrieTables,
    build_character_trie,
    character_trie_key,
    owners_of,
)
from maskc.runtime.schema.strings import BEGUN, read_character
from maskc.runtime.schema.tries import ROOT, Ints, TokenIndex, TrieNodes, cut_texts, parents_of

_QUOTE = 0x22
_OTHER_TRIE = "the trie of tokens is not that of the tokens"


def find_trie_fault(tables: Any, n_texts: int, what: str) -> str | None:
    """Return what is wrong with the nodes of a trie of a kit's file, ``None`` if nothing is.

    A check of all tries takes a third of the time of making them: nothing is sorted or collected.
    """
    low, high, first, levels = tables.low, tables.high, tables.first, tables.levels
    n_nodes = len(low)
    if not n_nodes or {len(tables[0]), len(high), len(tables.ending), len(first) - 1} != {n_nodes}:
        return f"the arrays of the trie of {what} differ in length"
    # The children of a node come after it, and each node but the root is a child.
    if first[0] != 1 or first[-1] != n_nodes or (first[1:] < first[:-1]).any():
        return f"the trie of {what} has children that are not there"
    if (first[:-1] <= np.arange(n_nodes, dtype=np.int32)).any():
        return f"the trie of {what} has a node above itself"
    is_sound = low[0] >= 0 and int(low.min()) >= 0 and int(high.max()) <= n_texts
    if not is_sound or (low > high).any() or (tables.ending > high - low).any():
        return f"the trie of {what} has a node with texts that are not there"
    if tables.ending.dtype.kind == "i" and int(tables.ending.min()) < 0:
        return f"the trie of {what} has a node with fewer texts than none"
    if len(levels) < 2 or levels[0] or levels[-1] != n_nodes or (levels[1:] <= levels[:-1]).any():
        return f"the levels of the trie of {what} do not follow each other"
    if levels[1] != 1 or (first[levels[:-1]] != levels[1:]).any():
        return f"the levels of the trie of {what} are not those of its nodes"
    return None


def find_token_fault(
    nodes: TrieNodes, first: Ints, data: NDArray[np.uint8], order: Ints
) -> str | None:
    """Return where a trie, in which :func:`find_trie_fault` found nothing, is not the tokens'.

    ``first``, int32[vocab_size + 1]: where each token's bytes begin. ``order``, int32[n_texts]: the
    tokens that write text, in the trie's order.
    """
    if not _is_nested(nodes):
        return _OTHER_TRIE
    at, end, sizes = first[order], first[1:][order], nodes.high - nodes.low
    # The indices of the texts that go on to a level; its nodes share them out.
    indices = np.arange(len(order), dtype=np.int32)
    for begin, stop in zip(nodes.levels[1:-1], nodes.levels[2:], strict=True):
        goes_on = at < end
        at, end, indices = at[goes_on], end[goes_on], indices[goes_on]
        size = sizes[begin:stop]
        above = np.cumsum(size)
        if not size.all() or int(above[-1]) != len(indices):
            return _OTHER_TRIE
        first, last = indices[above - size], indices[above - 1]
        if (first != nodes.low[begin:stop]).any() or (last >= nodes.high[begin:stop]).any():
            return _OTHER_TRIE
        if (np.repeat(nodes.byte[begin:stop], size) != data[at]).any():
            return _OTHER_TRIE
        at = at + 1
    return _OTHER_TRIE if (at < end).any() else None


def _is_nested(nodes: TrieNodes) -> bool:
    """Return whether each node's texts are its own and then its children's, in byte order."""
    first, low, high = nodes.first[:-1], nodes.low, nodes.high
    begin = low + nodes.ending
    has_children = np.diff(nodes.first) > 0
    if not np.array_equal(np.where(has_children, high[nodes.first[1:] - 1], begin), high):
        return False
    # A child begins where its sibling ends, and the first one after its parent's own texts.
    first = first[has_children]
    begins, ascends = np.zeros_like(low), np.ones(len(low), dtype=np.bool_)
    begins[1:], ascends[1:] = high[:-1], nodes.byte[1:] > nodes.byte[:-1]
    begins[first], ascends[first] = begin[has_children], True
    return bool(ascends.all() and np.array_equal(begins, low))


def find_quote_fault(index: TokenIndex, lengths: Ints) -> str | None:
    """Return where an index's quotes, which name rests that are there, are not the tokens'.

    ``lengths``, int32[n_texts], are those of the texts in the trie's order.
    """
    trie, tables = index.tokens, index.tables
    nodes = np.flatnonzero(trie.byte_array[1:] == _QUOTE).astype(np.int32) + 1
    run, indices = spread(trie.low_array[nodes], tables.nodes.high[nodes])
    is_same = np.array_equal(nodes[run], tables.quote_nodes)
    if not is_same or not np.array_equal(indices, tables.quote_places):
        return "the quotes are not those of the tokens"
    depths = np.searchsorted(tables.nodes.levels, nodes, side="right")[run] - 1
    rests = tables.quote_rests
    if (lengths[indices] - depths != np.diff(tables.rest_first)[rests]).any():
        return "the suffixes after quotes are not those of the tokens"
    texts, known = index.texts, index.suffixes.texts
    rows = zip(indices.tolist(), depths.tolist(), rests.tolist(), strict=True)
    if any(texts[number][depth:] != known[rest] for number, depth, rest in rows):
        return "the suffixes after quotes are not those of the tokens"
    return None


Arrays = dict[str, NDArray[Any]]

_FIELDS = CharacterTrieTables._fields
_COUNTS = frozenset({"spelled_ending", "spelled_begun", "trie_ending"})
_OCTETS = frozenset({"spelled_kinds", "spelled_begun_bytes"})
NAMES = frozenset(f"spelled_{name}" for name in _FIELDS)


def make_rows(index: TokenIndex) -> Arrays:
    """Return the rows of a vocabulary, for strings in which any character may be escaped."""
    character_trie = build_character_trie(index, index.tokens, (ROOT,), escapes="any")
    return {f"spelled_{name}": getattr(character_trie.tables, name) for name in _FIELDS}


def lend_rows(index: TokenIndex, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give an index the rows of a file, which :func:`find_fault` has found right."""
    whole = character_trie_key(index, index.tokens, (ROOT,), escapes="any")

    def find(key: object) -> CharacterTrie | None:
        if key != whole:
            return None
        tables = CharacterTrieTables(*(arrays[f"spelled_{name}"] for name in _FIELDS))
        return CharacterTrie(tables, escapes="any")

    index.shared.lend(find)


def find_fault(arrays: Mapping[str, NDArray[Any]], index: TokenIndex) -> str | None:
    """Return what is wrong with rows, ``None`` if nothing is.

    They are all of :data:`NAMES`, one-dimensional, of the dtypes of :func:`dtypes_of`.
    """
    n_texts, n_nodes = len(index.texts), len(index.tokens.bytes)
    tables = CharacterTrieTables(*(arrays[f"spelled_{name}"] for name in _FIELDS))
    n_items = len(tables.kinds)
    fault = find_trie_fault(tables, n_items, "characters")
    if fault:
        return fault
    if not are_within(tables.chars, 0x110000) or not are_within(tables.kinds, CLOSES + 1):
        return "the trie of characters has one that is none"
    if len(tables.places) != n_items or len(tables.begun) != n_items:
        return "the items' arrays differ in length"
    closes = tables.kinds == CLOSES
    limits = np.where(closes, np.int32(n_nodes), np.int32(n_texts))
    if ((tables.places < 0) | (tables.places >= limits)).any():
        return "an item leads to what is not there"
    # The sum first, as the owners take so much memory.
    is_whole = int(tables.ending.sum(dtype=np.int64)) == n_items
    owners = owners_of(tables) if is_whole else None
    if owners is None or (owners < 0).any():
        return "the items are not those of the nodes"
    if not are_offsets(tables.begun_first, len(tables.begun_bytes)):
        return "array spelled_begun_first is not a list of offsets"
    begun = cut_texts(tables.begun_bytes, tables.begun_first)
    if (
        not begun
        or begun[0]
        or any(not t or read_character(t, escapes="any") != BEGUN for t in begun[1:])
    ):
        return "what begins a character is none"
    in_character = (tables.kinds > 0) & (tables.kinds <= CUT)
    if not are_within(tables.begun, len(begun)) or (tables.begun[in_character] == 0).any():
        return "an item ends in a character that is not there"
    if not _close_strings(tables, index, tables.places[closes], owners[closes]):
        return "an item closes a string of other characters"
    return None


def _close_strings(
    tables: CharacterTrieTables, index: TokenIndex, quotes: Ints, nodes: Ints
) -> bool:
    """Return whether quotes close strings of the characters that lead to some nodes."""
    depths = np.searchsorted(tables.levels, nodes, side="right") - 1
    # Each quote once: then no text is read twice.
    if len(np.unique(quotes)) != len(quotes):
        return False
    above, chars = parents_of(tables.first).data, tables.chars.data
    for quote, node, depth in zip(quotes.tolist(), nodes.tolist(), depths.tolist(), strict=True):
        try:
            text = json.loads(b'"' + index.tokens.path(quote))
        except ValueError:
            return False
        if not isinstance(text, str) or len(text) != depth:
            return False
        for character in reversed(text):
            if chars[node] != ord(character):
                return False
            node = above[node]
    return True


def are_offsets(first: NDArray[Any], total: int) -> bool:
    """Return whether numbers ascend from 0 to a total."""
    is_whole = len(first) > 0 and not first[0] and int(first[-1]) == total
    return is_whole and not bool((first[1:] < first[:-1]).any())


def are_within(numbers: NDArray[Any], limit: int) -> bool:
    """Return whether numbers are from 0 on and below a limit."""
    return not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < limit


def dtypes_of(name: str) -> tuple[str, ...]:
    if name in _COUNTS:
        return ("uint8", "uint16", "int32")
    return ("uint8",) if name in _OCTETS else ("int32",)
