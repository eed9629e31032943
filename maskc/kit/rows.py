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

from maskc.kit.tries import find_trie_fault
from maskc.runtime.schema.scans.character_trie import (
    CLOSES,
    CUT,
    CharacterTrie,
    CharacterTrieTables,
    build_character_trie,
    character_trie_key,
    owners_of,
)
from maskc.runtime.schema.strings.spelling import BEGUN, read_character
from maskc.runtime.schema.tries.tokens import TokenIndex, cut_texts
from maskc.runtime.schema.tries.trie import ROOT, Ints, parents_of

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

    Args:
        arrays: all of :data:`NAMES`, one-dimensional, of the dtypes of :func:`dtypes_of`.
        index: the vocabulary, which has been checked.
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
    if not begun or begun[0] or any(not _is_begun(text) for text in begun[1:]):
        return "what begins a character is none"
    if not are_within(tables.begun, len(begun)) or (tables.begun[_in_character(tables)] == 0).any():
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
    """Return the dtypes that an array of a kit's file may have."""
    if name in _COUNTS:
        return ("uint8", "uint16", "int32")
    return ("uint8",) if name in _OCTETS else ("int32",)


def _in_character(tables: CharacterTrieTables) -> NDArray[np.bool_]:
    return (tables.kinds > 0) & (tables.kinds <= CUT)


def _is_begun(raw: bytes) -> bool:
    return bool(raw) and read_character(raw, escapes="any") == BEGUN
