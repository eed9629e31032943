r"""Rows that all schemas of a tokenizer share, as a kit's file has them.

What tokens write inside a string, character by character
(:mod:`maskc.runtime.schema.scans.spelled`), and what a string of any characters does to them
(:mod:`maskc.runtime.schema.scans.scans`), take most of a second to work out. They lie in the file
as arrays, and are used there: nothing of them is read before a mask needs it.

A state inside a character is named by bytes that lead to it, the first ones in the order of their
length, so that neither a file nor a process depends on the order in which states were visited.

Example: the second scan may be that of ``\``, after which ``n"`` closes the string.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.kit.tries import find_trie_fault
from maskc.runtime.schema.scans.gaps import LONGEST_RUN
from maskc.runtime.schema.scans.scans import FREE_SCANS, Scan, Scanner
from maskc.runtime.schema.scans.spelled import (
    CLOSES,
    CUT,
    Spelled,
    SpelledTables,
    owners_of,
    spell,
    spelled_key,
)
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.tokens import TokenIndex, cut_texts
from maskc.runtime.schema.tries.trie import ROOT, Ints, narrow, parents_of

Arrays = dict[str, NDArray[Any]]

_SPELLED = SpelledTables._fields
_INSIDE = ("places", "states", "sizes")
_QUOTES = ("quote_places", "quote_rests", "quote_sizes")
_COUNTS = frozenset({"spelled_ending", "spelled_begun", "scan_states", "scan_sizes"})
_COUNTS |= {"scan_quote_sizes", "trie_ending"}
_OCTETS = frozenset({"spelled_kinds", "spelled_begun_bytes", "state_bytes"})
NAMES = frozenset(
    {
        *(f"spelled_{name}" for name in _SPELLED),
        *(f"scan_{name}" for name in (*_INSIDE, *_QUOTES)),
        *("scan_first", "scan_quote_first", "state_first", "state_bytes", "longest_blanks"),
    }
)

_HEX = rb"[0-9A-Fa-f]"
# What may be read of a character that is not whole, as a body reads it.
_BEGUN = re.compile(
    rb"\\(?:u(?:H{0,3}|[Dd][89ABab]HH(?:\\(?:u(?:[Dd](?:[C-Fc-f]H?)?)?)?)?)?)?"
    rb"|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2}".replace(b"H", _HEX)
)


def make_rows(index: TokenIndex) -> Arrays:
    """Return the rows of a vocabulary, for strings in which any character may be escaped."""
    scanner = Scanner(index, minimal=False)
    spelled = spell(index, index.tokens, (ROOT,), scanner.free, minimal=False)
    found: Arrays = {f"spelled_{name}": getattr(spelled.tables, name) for name in _SPELLED}
    texts = _name_states(scanner.free)
    place = np.zeros(max(texts) + 1, dtype=np.int32)
    place[list(texts)] = np.arange(len(texts))
    scans = [scanner.scan_free(scanner.free.key_of(at)) for at in texts]
    for name in (*_INSIDE, *_QUOTES):
        columns = [getattr(scan, name) for scan in scans]
        joined = np.concatenate([place[c] for c in columns] if name == "states" else columns)
        found[f"scan_{name}"] = narrow(joined) if f"scan_{name}" in _COUNTS else joined
    found["scan_first"] = _offsets(len(scan.places) for scan in scans)
    found["scan_quote_first"] = _offsets(len(scan.quote_places) for scan in scans)
    found["state_first"] = _offsets(map(len, texts.values()))
    found["state_bytes"] = np.frombuffer(b"".join(texts.values()), dtype=np.uint8)
    found["longest_blanks"] = np.array([scanner_blanks(index)], dtype=np.int32)
    return found


def lend_rows(index: TokenIndex, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give an index the rows of a file, which :func:`find_fault` has found right."""
    index.shared.lend(_Lent(index, arrays).find)


class _Lent:
    """Rows of a file, as what they are shared as.

    Args:
        index: the vocabulary.
        arrays: of the file.
    """

    def __init__(self, index: TokenIndex, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays, self._index = arrays, index
        self._whole = spelled_key(index, index.tokens, (ROOT,), minimal=False)
        # Of a free string each state's number in the file, and in the file's order its own.
        self._numbers: dict[Any, int] | None = None
        self._states: list[int] = []

    def find(self, key: Any) -> Any:
        """Return what is shared under a key, ``None`` if it is not in the file."""
        if key == LONGEST_RUN:
            return int(self._arrays["longest_blanks"][0])
        if key == self._whole:
            tables = SpelledTables(*(self._arrays[f"spelled_{name}"] for name in _SPELLED))
            return Spelled(tables, minimal=False)
        return self._scan(key[2]) if key[:2] == FREE_SCANS else None

    def _scan(self, state: Any) -> Scan | None:
        free, arrays = Scanner(self._index, minimal=False).free, self._arrays
        if self._numbers is None:
            texts = cut_texts(arrays["state_bytes"], arrays["state_first"])
            self._states = [_read(free, text) for text in texts]
            self._numbers = {free.key_of(at): n for n, at in enumerate(self._states)}
        n = self._numbers.get(state)
        if n is None:
            return None
        inside = slice(*arrays["scan_first"][n : n + 2].tolist())
        quotes = slice(*arrays["scan_quote_first"][n : n + 2].tolist())
        places, states, sizes = (arrays[f"scan_{name}"][inside] for name in _INSIDE)
        closing, rests, read = (arrays[f"scan_{name}"][quotes] for name in _QUOTES)
        before = np.full(len(closing), free.dfa.start, dtype=np.int32)
        reached = np.array(self._states, dtype=np.int32)[states]
        return Scan(free, places, reached, sizes, closing, rests, before, read.astype(np.int32))


def find_fault(arrays: Mapping[str, NDArray[Any]], index: TokenIndex) -> str | None:
    """Return what is wrong with rows, ``None`` if nothing is.

    Args:
        arrays: all of :data:`NAMES`, one-dimensional, of the dtypes of :func:`dtypes_of`.
        index: the vocabulary, which has been checked.
    """
    n_texts, n_nodes = len(index.texts), len(index.tokens.bytes)
    tables = SpelledTables(*(arrays[f"spelled_{name}"] for name in _SPELLED))
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
        return "array spelled_begun_first is no list of offsets"
    begun = cut_texts(tables.begun_bytes, tables.begun_first)
    if not begun or begun[0] or any(_BEGUN.fullmatch(text) is None for text in begun[1:]):
        return "what begins a character is none"
    if not are_within(tables.begun, len(begun)) or (tables.begun[_in_character(tables)] == 0).any():
        return "an item ends in a character that is not there"
    if not _close_strings(tables, index, tables.places[closes], owners[closes]):
        return "an item closes a string of other characters"
    return _find_scan_fault(arrays, n_texts, index.n_rests)


def _close_strings(tables: SpelledTables, index: TokenIndex, quotes: Ints, nodes: Ints) -> bool:
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


def _find_scan_fault(arrays: Mapping[str, NDArray[Any]], n_texts: int, n_rests: int) -> str | None:
    first, quote_first = arrays["scan_first"], arrays["scan_quote_first"]
    n_inside, n_quotes = len(arrays["scan_places"]), len(arrays["scan_quote_places"])
    if not are_offsets(first, n_inside) or not are_offsets(quote_first, n_quotes):
        return "the scans do not follow each other"
    if not are_offsets(arrays["state_first"], len(arrays["state_bytes"])):
        return "array state_first is no list of offsets"
    states = cut_texts(arrays["state_bytes"], arrays["state_first"])
    if not states or states[0] or any(_BEGUN.fullmatch(text) is None for text in states[1:]):
        return "a scan's state is inside of no character"
    if not len(first) == len(quote_first) == len(states) + 1:
        return "the scans' states are missing"
    lengths = {len(arrays[f"scan_{name}"]) for name in _INSIDE}
    if len(lengths) != 1 or len({len(arrays[f"scan_{name}"]) for name in _QUOTES}) != 1:
        return "the scans' arrays differ in length"
    limits = {"places": n_texts, "states": len(states), "sizes": 1 << 16}
    limits |= {"quote_places": n_texts, "quote_rests": n_rests, "quote_sizes": 1 << 16}
    for name, limit in limits.items():
        if not are_within(arrays[f"scan_{name}"], limit):
            return f"array scan_{name} leads to what is not there"
    blanks = arrays["longest_blanks"]
    return None if len(blanks) == 1 and are_within(blanks, 1 << 20) else "the blanks are no number"


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


def scanner_blanks(index: TokenIndex) -> int:
    """Return the greatest number of blanks in a row that a token has."""
    from maskc.runtime.schema.plan.blanks import Blanks
    from maskc.runtime.schema.scans.gaps import Gaps

    Gaps(index, Blanks("bounded"))
    found: int = index.shared.get(LONGEST_RUN)
    return found


def _name_states(free: Body) -> dict[int, bytes]:
    """Return bytes that lead to each state inside one character, in the order of their length."""
    found = {free.start: b""}
    open_ = deque(found)
    while open_:
        state = open_.popleft()
        for byte in range(256):
            after = free.step(state, byte)
            if after and after not in found and free.characters[after] < 0:
                found[after] = found[state] + bytes([byte])
                open_.append(after)
    return found


def _read(free: Body, text: bytes) -> int:
    state = free.start
    for byte in text:
        state = free.step(state, byte)
    return state


def _offsets(lengths: Any) -> NDArray[np.int32]:
    return np.cumsum([0, *lengths], dtype=np.int32)


def _in_character(tables: SpelledTables) -> NDArray[np.bool_]:
    return (tables.kinds > 0) & (tables.kinds <= CUT)
