"""Which tokens write characters of the same kinds, one by one?

Where an automaton tells few *kinds* of characters apart, tokens whose characters are of the same
kinds do the same from every state. So the trie of a vocabulary's characters is folded: nodes that
are reached by the same kinds become one. Patterns are mostly about letters, digits and white space
as a whole; so the vocabulary is folded by kinds that such patterns do not cut, once for all, and
what is left is a sixth of the nodes.

Example: for ``^[a-z]+$`` the tokens ``cat`` and ``dog`` are one, and so are ``a1`` and ``b1``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.levels import first_children
from maskc.runtime.effort import spend
from maskc.runtime.schema.scans.scanned import Places, Units, number_keys
from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, Spelled
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

# Ranges of characters that patterns seldom cut, fewest first, with characters of these ranges that
# some tell from the others nevertheless, as formats do; others below 0x80 are kinds of their own.
_HEXADECIMAL = (b"AF", b"GY", b"af", b"gy")
_COMMON = (((b"AZ", b"az", b"09"), b""), (_HEXADECIMAL, b""), (_HEXADECIMAL, b"TVv"))
_NODES_AT_ONCE = 8  # that are one step where the vocabulary is read once for all
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)


class Shape(NamedTuple):
    """The characters of a vocabulary, with some nodes of their trie as one.

    What tokens are after is a *unit*: 0 is that of tokens of no string; then come the nodes after
    which some end between two characters, then the ends inside one.

    Attributes:
        levels: where the nodes of so many characters begin, and one past the last.
        parents: intp[n], the node above.
        characters: int32[n], a last character of each node, by place in ``Spelled.distinct``.
        unit_nodes: intp[n_between], the nodes after which tokens end between two characters.
        cut_nodes: intp[n_cut], of each unit inside a character the node.
        cut_begun: int32[n_cut], the number of what is read of the next character.
        quote_nodes: intp[n_quotes], of each token that closes a string the node before the quote.
        first: int32[n + 1], a node's children are those from its own to the next one's.
        units: 1 + n_between + n_cut.
    """

    levels: list[int]
    parents: Places
    characters: Ints
    unit_nodes: Places
    cut_nodes: Places
    cut_begun: Ints
    quote_nodes: Places
    first: Ints
    units: Units


def whole_shape(index: TokenIndex, spelled: Spelled) -> Shape:
    """Return a vocabulary in which no two nodes are one."""
    kinds, places = spelled.tables.kinds, spelled.tables.places
    owners = spelled.owners.astype(np.intp)
    closing = kinds == CLOSES
    run, rows = index.quotes_below(places[closing])
    between, cut = np.flatnonzero(kinds == BETWEEN), np.flatnonzero((kinds != BETWEEN) & ~closing)
    unit_nodes, inverse = np.unique(owners[between], return_inverse=True)
    unit_of = np.zeros(index.n_words * 32, dtype=np.intp)
    unit_of[index.order[places[between]]] = inverse + 1
    unit_of[index.order[places[cut]]] = np.arange(len(cut)) + len(unit_nodes) + 1
    lengths = _lengths(spelled.levels)
    return Shape(
        spelled.levels,
        spelled.parent_array.astype(np.intp),
        spelled.character_of,
        unit_nodes,
        owners[cut],
        spelled.tables.begun[cut].astype(np.int32),
        owners[closing][run],
        spelled.tables.first,
        Units(
            unit_of,
            _sizes(lengths, unit_nodes, owners[cut]),
            index.quote_places[rows],
            index.quote_rests[rows],
            lengths[owners[closing][run]],
        ),
    )


def _lengths(levels: list[int]) -> Ints:
    """Return int32[n], of each node its characters."""
    counts = np.diff(levels)
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def _sizes(lengths: Ints, unit_nodes: Places, cut_nodes: Places) -> NDArray[np.uint16]:
    """Return of each unit its characters, one left open included."""
    none = np.zeros(1, dtype=np.int32)
    found: Ints = np.concatenate([none, lengths[unit_nodes], lengths[cut_nodes] + 1])
    return found.astype(np.uint16)


def fold_shape(shape: Shape, kind_of: Ints) -> Shape:
    """Return a shape in which nodes that are reached by the same kinds are one.

    Args:
        shape: of the vocabulary.
        kind_of: character → its kind.
    """
    levels, parents, folded = _fold_nodes(shape, kind_of)
    characters = np.zeros(levels[-1], dtype=np.int32)
    characters[folded] = shape.characters  # any of them
    unit_nodes, of_between = number_keys(folded[shape.unit_nodes])
    n_begun = int(shape.cut_begun.max(initial=0)) + 1
    pairs = folded[shape.cut_nodes] * n_begun + shape.cut_begun
    distinct, of_cut = number_keys(pairs)
    units = np.concatenate(
        [np.zeros(1, dtype=np.intp), of_between + 1, of_cut + len(unit_nodes) + 1]
    )
    cut_nodes = distinct // n_begun
    return Shape(
        levels,
        parents,
        characters,
        unit_nodes,
        cut_nodes,
        (distinct % n_begun).astype(np.int32),
        folded[shape.quote_nodes],
        first_children(parents.astype(np.int32)),
        shape.units._replace(
            unit_of=units[shape.units.unit_of],
            sizes=_sizes(_lengths(levels), unit_nodes, cut_nodes),
        ),
    )


def _fold_nodes(shape: Shape, kind_of: Ints) -> tuple[list[int], Places, Places]:
    """Return the levels of a folded shape, its parents, and which node each node becomes."""
    n_kinds = int(kind_of.max()) + 1
    kinds = kind_of[shape.characters]
    folded = np.zeros(len(kinds), dtype=np.intp)
    parents, levels = [np.zeros(1, dtype=np.intp)], [0, 1]
    for first, last in zip(shape.levels[1:], shape.levels[2:], strict=False):
        base = levels[-2]
        keys: NDArray[Any] = folded[shape.parents[first:last]] - base
        keys = keys * n_kinds + kinds[first:last]
        distinct, inverse = number_keys(keys)
        folded[first:last] = inverse + levels[-1]
        parents.append(distinct // n_kinds + base)
        levels.append(levels[-1] + len(distinct))
    return levels, np.concatenate(parents), folded


def shape_for(index: TokenIndex, spelled: Spelled, kind_of: Ints) -> Shape:
    """Return the smallest shape at hand that does not make one of what some kinds tell apart.

    Args:
        index: whose memory is used.
        spelled: its characters.
        kind_of: character → its kind.
    """
    key = (Shape, spelled.minimal)
    found: tuple[Shape, list[tuple[Ints, Shape]]] | None = index.shared.get(key)
    if found is None:
        whole = whole_shape(index, spelled)
        folded = []
        for ranges, own in _COMMON:
            kinds = _common_kinds(spelled.distinct, ranges, own)
            folded.append((kinds, fold_shape(whole, kinds)))
        found = whole, folded
        # They take ten megabytes with 128,000 tokens, and a fifth of a second to make.
        index.shared.keep(key, found)
        spend(len(spelled.chars) // _NODES_AT_ONCE)
    for common, shape in found[1]:
        one_of = np.zeros(int(common.max()) + 1, dtype=np.int32)
        one_of[common] = kind_of
        if np.array_equal(one_of[common], kind_of):
            return shape
    return found[0]


def _common_kinds(characters: Ints, ranges: Sequence[bytes], own: bytes) -> Ints:
    """Return for each character a kind that most patterns do not cut.

    Args:
        characters: of the vocabulary.
        ranges: the first and the last of those that are one kind.
        own: those that are kinds of their own.
    """
    kinds = np.minimum(characters, 0x80)
    for first, last in ranges:
        is_other = (characters >= first) & (characters <= last)
        kinds[is_other & ~np.isin(characters, list(own))] = last
    kinds[np.isin(characters, _SPACES)] = 0x81
    return kinds.astype(np.int32)
