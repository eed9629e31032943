"""Checks of the tries that a kit's file holds.

A mask reads texts through the trie of the tokens and its quotes, so these are compared with the
tokens byte by byte. That takes a third of the time of making them: nothing is sorted or collected.

Example: a trie that has ``b`` at the node of the token ``a`` is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.levels import spread
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints, TrieNodes

_QUOTE = 0x22
_OTHER_TRIE = "the trie of tokens is not that of the tokens"


def find_trie_fault(tables: Any, n_texts: int, what: str) -> str | None:
    """Return what is wrong with the nodes of a trie, ``None`` if nothing is."""
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
    """Return where a trie is not that of the tokens, ``None`` if it is.

    Args:
        nodes: of the trie, in which :func:`find_trie_fault` found nothing.
        first: int32[vocab_size + 1], where each token's bytes begin.
        data: their bytes.
        order: int32[n_texts], the tokens that write text, in the trie's order.
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
    """Return where the quotes are not those of the tokens, ``None`` if they are.

    Args:
        index: whose trie is that of its tokens, and whose quotes name rests that are there.
        lengths: int32[n_texts], of the texts in the trie's order.
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
