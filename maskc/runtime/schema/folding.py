"""Which tokens write characters of the same kinds, one by one?

Where an automaton tells few *kinds* of characters apart, tokens whose characters are of the same
kinds do the same from every state. So the trie of a vocabulary's characters is folded: nodes that
are reached by the same kinds become one. Patterns are mostly about letters, digits and white space
as a whole; so the vocabulary is folded by kinds that such patterns do not cut, once for all, and
what is left is a sixth of the nodes.

Example: for ``^[a-z]+$`` the tokens ``cat`` and ``dog`` are one, and so are ``a1`` and ``b1``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.spelled import BETWEEN, CLOSES, Spelled
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import Ints

_MOST_KEYS = 1 << 22
# Ranges of characters that patterns seldom cut; all others below 0x80 are kinds of their own.
_COMMON = (b"09", b"AF", b"GZ", b"af", b"gz")
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)


class Shape(NamedTuple):
    """The characters of a vocabulary, with some nodes of their trie as one.

    Attributes:
        levels: where the nodes of so many characters begin, and one past the last.
        parents: int32[n], the node above.
        characters: int32[n], a last character of each node, by place in ``Spelled.distinct``.
        group_of: int32[vocab_size], of each token 0: none; 1 + its node, if it ends between two
            characters; 1 + n + k, if it ends inside one.
        cut_nodes: int32[n_cut], of each k the node.
        cut_begun: int32[n_cut], the number of what is read of the next character.
        quote_nodes: int32[n_quotes], of each token that closes a string the node before the quote.
        quote_places: the token.
        quote_rests: its rest.
        sizes: uint16[vocab_size], the characters of each token, one left open included.
        quote_sizes: int32[n_quotes], the characters before the quote.
    """

    levels: list[int]
    parents: Ints
    characters: Ints
    group_of: Ints
    cut_nodes: Ints
    cut_begun: Ints
    quote_nodes: Ints
    quote_places: Ints
    quote_rests: Ints
    sizes: NDArray[np.uint16]
    quote_sizes: Ints

    @property
    def n_bytes(self) -> int:
        """About how much memory this takes."""
        arrays: tuple[NDArray[Any], ...] = self[1:]
        return 1000 + sum(array.nbytes for array in arrays)


def whole_shape(index: TokenIndex, spelled: Spelled) -> Shape:
    """Return a vocabulary in which no two nodes are one."""
    kinds, places = spelled.tables.kinds, spelled.tables.places
    begun, owners = spelled.tables.begun.astype(np.int32), spelled.owners
    closing = kinds == CLOSES
    first = np.searchsorted(index.quote_nodes, places[closing])
    counts = np.searchsorted(index.quote_nodes, places[closing] + 1) - first
    run = np.repeat(np.arange(len(first)), counts)
    rows = np.arange(len(run)) - np.repeat(np.cumsum(counts) - counts, counts) + first[run]
    between, cut = np.flatnonzero(kinds == BETWEEN), np.flatnonzero((kinds != BETWEEN) & ~closing)
    group_of = np.zeros(index.n_words * 32, dtype=np.int32)
    group_of[index.order[places[between]]] = owners[between] + 1
    group_of[index.order[places[cut]]] = np.arange(len(cut)) + len(spelled.chars) + 1
    lengths = np.diff(spelled.levels)
    length_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    sizes = np.zeros(len(group_of), dtype=np.uint16)
    sizes[index.order[places[between]]] = length_of[owners[between]]
    sizes[index.order[places[cut]]] = length_of[owners[cut]] + 1
    return Shape(
        spelled.levels,
        spelled.parent_array,
        spelled.character_of,
        group_of,
        owners[cut],
        begun[cut],
        owners[closing][run],
        index.quote_places[rows],
        index.quote_rests[rows],
        sizes,
        length_of[owners[closing][run]],
    )


def fold_shape(shape: Shape, kind_of: Ints) -> Shape:
    """Return a shape in which nodes that are reached by the same kinds are one.

    Args:
        shape: of the vocabulary.
        kind_of: character → its kind.
    """
    n_kinds = int(kind_of.max()) + 1
    kinds = kind_of[shape.characters]
    folded = np.zeros(len(kinds), dtype=np.int32)
    parents, levels = [np.zeros(1, dtype=np.int32)], [0, 1]
    for first, last in zip(shape.levels[1:], shape.levels[2:], strict=False):
        base, n_above = levels[-2], levels[-1] - levels[-2]
        keys: NDArray[Any] = folded[shape.parents[first:last]] - base
        if n_above * n_kinds < _MOST_KEYS:
            keys = keys * n_kinds + kinds[first:last]
            number = np.zeros(n_above * n_kinds, dtype=np.int32)
            number[keys] = 1
            distinct = np.flatnonzero(number)
            number[distinct] = np.arange(len(distinct), dtype=np.int32)
            inverse = number[keys]
        else:
            keys = keys.astype(np.int64) * n_kinds + kinds[first:last]
            distinct, inverse = np.unique(keys, return_inverse=True)
        folded[first:last] = inverse + levels[-1]
        parents.append((distinct // n_kinds + base).astype(np.int32))
        levels.append(levels[-1] + len(distinct))
    n_nodes = levels[-1]
    characters = np.zeros(n_nodes, dtype=np.int32)
    characters[folded] = shape.characters  # any of them
    n_begun = int(shape.cut_begun.max(initial=0)) + 1
    pairs = folded[shape.cut_nodes].astype(np.int64) * n_begun + shape.cut_begun
    distinct, inverse = np.unique(pairs, return_inverse=True)
    groups = np.concatenate([[0], folded + 1, inverse + n_nodes + 1]).astype(np.int32)
    return Shape(
        levels,
        np.concatenate(parents),
        characters,
        groups[shape.group_of],
        (distinct // n_begun).astype(np.int32),
        (distinct % n_begun).astype(np.int32),
        folded[shape.quote_nodes],
        shape.quote_places,
        shape.quote_rests,
        shape.sizes,
        shape.quote_sizes,
    )


def shape_for(index: TokenIndex, spelled: Spelled, kind_of: Ints) -> Shape:
    """Return the smallest shape at hand that does not make one of what some kinds tell apart.

    Args:
        index: whose memory is used.
        spelled: its characters.
        kind_of: character → its kind.
    """
    key = (Shape, spelled.minimal)
    found: tuple[Shape, Shape, Ints] | None = index.shared.get(key)
    if found is None:
        common = _common_kinds(spelled.distinct)
        whole = whole_shape(index, spelled)
        coarse = fold_shape(whole, common)
        found = whole, coarse, common
        index.shared.put(key, found, whole.n_bytes + coarse.n_bytes + 4 * len(common))
    whole, coarse, common = found
    one_of = np.zeros(int(common.max()) + 1, dtype=np.int32)
    one_of[common] = kind_of
    return coarse if np.array_equal(one_of[common], kind_of) else whole


def _common_kinds(characters: Ints) -> Ints:
    """Return for each character a kind that most patterns do not cut."""
    kinds = np.minimum(characters, 0x80)
    for first, last in _COMMON:
        kinds[(characters >= first) & (characters <= last)] = first
    kinds[np.isin(characters, _SPACES)] = 0x81
    return kinds.astype(np.int32)
