"""Which tokens does no scanner state tell apart?

A scanner knows classes of bytes only. Tokens whose bytes are of equal classes, one by one, complete
the same terminals from everywhere, so they are walked as one: the walk's trie has a node for what
they have in common. With indentation a blank, a tab and a newline move columns, whatever the
scanner makes of them.

What a walk finds are *items*: a node, or a node with all that stands below it, so that nobody lists
what is below. Which tokens they are is asked when the walk is done.

Example: where keywords may be written in any case, ``the`` and ``THE`` are one; of llama3's 128,000
tokens 64,000 are left for json.lark, since all letters that are not ASCII are one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.grammar.model import Layout
from maskc.lexer.scanner import Scanner
from maskc.store.token_sets import TokenSets, unite
from maskc.vocab.trie import TokenTrie

Ints = NDArray[np.int32]


def fold_trie(trie: TokenTrie, scanner: Scanner, layout: Layout | None = None) -> TokenTrie:
    """Return the trie in which tokens that no state tells apart share a node."""
    kind = scanner.byte_class.astype(np.int64)
    if layout is not None:
        kind[[9, 10, 32]] += 256 * np.arange(1, 4)
        kind = np.unique(kind, return_inverse=True)[1].reshape(-1)
    return trie.fold(kind)


def write_items(nodes: Ints, below: NDArray[np.bool_]) -> Ints:
    """Return int32[n], a number for each node, or, where ``below``, for all below it as well."""
    return nodes * 2 + below


def list_tokens(items: TokenSets, trie: TokenTrie, named: Ints) -> tuple[TokenSets, Ints]:
    """Return the tokens of sets of items, those that are named only.

    Args:
        items: the sets of items.
        trie: with their nodes.
        named: int32[n], numbers of sets, each as often as it is named.

    Returns:
        The token sets; int32[n], the number of each one that was named.
    """
    used, place = np.unique(named, return_inverse=True)
    below, tokens = _TokensBelow(trie), TokenSets()
    numbers = [tokens.intern(below.list(items.read(number))) for number in used.tolist()]
    return tokens, np.array(numbers, dtype=np.int32)[place.reshape(-1)]


class _TokensBelow:
    """The tokens of a trie depth first: all that stand below a node are side by side."""

    def __init__(self, trie: TokenTrie) -> None:
        own = np.diff(trie.first_token)
        parent = np.repeat(np.arange(trie.n_nodes), np.diff(trie.first_child))
        levels = [(1, int(trie.first_child[1])), *trie.levels()]
        size = own.copy()
        for low, high in reversed(levels):
            above = parent[low - 1 : high - 1]
            begin = int(above[0]) if len(above) else 0
            more = np.bincount(above - begin, size[low:high])
            size[begin : begin + len(more)] += more.astype(np.int32)
        first = np.zeros(trie.n_nodes, dtype=np.int32)
        for low, high in levels:
            above = parent[low - 1 : high - 1]
            before = np.cumsum(size[low:high]) - size[low:high]
            within = before - before[trie.first_child[above] - low]
            first[low:high] = first[above] + own[above] + within
        self._first, self._own, self._size = first, own, size
        at = np.repeat(first, own)
        self._tokens = np.zeros(len(trie.tokens), dtype=np.int32)
        self._tokens[at + np.arange(len(at)) - np.repeat(trie.first_token[:-1], own)] = trie.tokens

    def list(self, items: Ints) -> Ints:
        """Return int32[n], the tokens of some items, ascending."""
        node = items >> 1
        counts = np.where(items & 1, self._size[node], self._own[node])
        ends = np.cumsum(counts)
        places = np.repeat(self._first[node] - (ends - counts), counts)
        found = self._tokens[places + np.arange(len(places))]
        return unite([found])
