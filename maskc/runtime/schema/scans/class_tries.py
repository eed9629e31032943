"""The tries of a vocabulary in which texts are one that write characters of the same classes.

Patterns are mostly about letters, digits and white space as a whole. So the decoded-character trie
(:mod:`maskc.runtime.schema.scans.character_trie`) is folded by classes that such patterns do not
cut: the nodes that the same classes lead to become one, which leaves a twentieth or a fifth of
them. A pattern that cuts these classes is followed in a trie of single characters.

Tokens that end at the same node in the same way are a *unit*. Units are numbered depth first, so
what is below a node is one run of them. Characters are told apart in at most 64 *groups*, and of
each node we know which groups come below it: a state that none of these moves is that of all units
of the node, and nothing below has to be looked at.

Example: ``cat`` and ``dog`` are one unit for ``^[a-z]+$``, and two for ``^[a-c]+$``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.formats.character_sets import kinds
from maskc.levels import first_children
from maskc.runtime.cache import ENTRY_BYTES
from maskc.runtime.schema.scans.character_trie import CLOSES, CharacterTrie, owners_of
from maskc.runtime.schema.tries import Ints, Nodes, TokenIndex, parents_of
from maskc.runtime.step_budget import charge_steps

Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]
Bits = NDArray[np.uint64]

_MOST_KEYS, _FEW_KEYS, _MOST_SPARSE = 1 << 22, 1 << 12, 32
_NODES_AT_ONCE: Final = 8  # that are one step where a vocabulary is read once for all
_FEW_NODES = 40_000  # of a vocabulary that is not worth folding
_FEW_TOKENS: Final = 8  # so many times fewer tokens than the vocabulary has
N_GROUPS: Final = 64
# Ranges of characters that patterns seldom cut, the coarsest first, and those that are one group.
# A trie in which ASCII alone is told apart would have 210 of the 242 thousand nodes of Llama 3.
_CONTROLS = (b"\x00\x08", b"\x0e\x1f")
_HEXADECIMAL = (b"AF", b"GY", b"af", b"gy")
_RANGES: Final = ((*_CONTROLS, b"AZ", b"az", b"09"), (*_CONTROLS, *_HEXADECIMAL))
_N_FOLDS: Final = len(_RANGES) + 1  # and the classes of host names in Unicode
_GROUPED: Final = (b"\x00\x1f", b"09", b"AZ", b"~\x7f")
_NOT_ASCII, _SPACE = 0x80, 0x81  # two more classes
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)


@mypyc_attr(acyclic=True)
class ClosingTokens:
    """Tokens that close a string, by text index, and the rests after their quotes."""

    __slots__ = ("is_shared", "suffixes", "text_indices")

    def __init__(self, text_indices: Ints, suffixes: Ints, *, is_shared: bool = False) -> None:
        self.text_indices, self.suffixes, self.is_shared = text_indices, suffixes, is_shared

    def chosen(self, kept: Bools) -> ClosingTokens:
        some = kept.nonzero()[0]
        return ClosingTokens(self.text_indices.take(some), self.suffixes.take(some))

    def with_suffixes(self, index: TokenIndex, bits: int) -> Ints:
        """Return the tokens whose rests are in a bit set, by text index."""
        if not bits:
            return self.text_indices[:0]
        raw = bits.to_bytes(-(-index.n_suffixes // 8), "little")
        allowed = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
        found: Ints = self.text_indices.take(allowed.take(self.suffixes).nonzero()[0])
        return found


def closing_tokens_at(index: TokenIndex, nodes: Nodes) -> ClosingTokens:
    key = (ClosingTokens, nodes)
    found: ClosingTokens | None = index.shared.get(key)
    if found is None:
        _, rows = index.quotes_below(np.array(nodes, dtype=np.int32))
        found = ClosingTokens(index.quote_texts[rows], index.quote_rests[rows], is_shared=True)
        index.shared.put(key, found, ENTRY_BYTES + 8 * (len(rows) + len(nodes)))
    return found


class Items(NamedTuple):
    """The items of a :class:`CharacterTrie` as tokens."""

    owners: Ints  # int32[n_items], their nodes
    ids: Ints  # int32[n_items], the token, -1 of one that closes a string
    sizes: Ints  # int32[n_items], the characters, one left open included
    closing_tokens: ClosingTokens  # those that close a string, ascending by their items
    quotes: Indices  # intp[n_closers], their items


def items_of(index: TokenIndex, character_trie: CharacterTrie) -> Items:
    """Return what a whole vocabulary writes, as tokens."""
    key = (Items, character_trie.escapes, character_trie.like.before)
    found: Items | None = index.shared.get(key)
    if found is None:
        tables, levels = character_trie.tables, character_trie.levels
        closing = np.flatnonzero(tables.kinds == CLOSES)
        inside = np.flatnonzero(tables.kinds != CLOSES)
        ids = np.full(character_trie.n_items, -1, dtype=np.int32)
        ids[inside] = index.order[tables.places[inside]]
        lengths = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
        owners = owners_of(tables)
        sizes = lengths[owners] + (tables.begun > 0)
        run, rows = index.quotes_below(tables.places[closing])
        closing_tokens = ClosingTokens(
            index.quote_texts[rows], index.quote_rests[rows], is_shared=True
        )
        found = Items(owners, ids, sizes.astype(np.int32), closing_tokens, closing[run])
        index.shared.put(key, found, 12 * len(ids) + 16 * len(found.quotes))
    return found


class Units(NamedTuple):
    """Tokens by the unit that they are of; unit 0 is that of tokens of no string."""

    # intp[vocab_size], of each token that closes no string its unit; None where few write anything
    unit_of: Indices | None
    tokens: Ints  # int32, those that do not, ascending by their units
    first: Ints  # int32[n_units + 1], where those of a unit begin among them
    sizes: Ints  # int32[n_units], the characters, one left open included
    closing_tokens: ClosingTokens  # those that close a string
    quotes: Indices  # intp[n_closers], their units
    n_tokens: int  # in the vocabulary, and up to 31 more


class ClassTrie(NamedTuple):
    """A trie of symbols, which are classes of characters or single ones."""

    symbols: Indices  # intp[n_characters], of each of CharacterTrie.distinct its symbol
    groups: Indices  # intp[n_symbols], of each symbol its group
    levels: list[int]  # where the nodes of so many symbols begin, and one past the last
    first: Ints  # int32[n + 1], the children of a node are those from its own to the next one's
    parents: Indices  # intp[n], the node above; 0 of the root
    # low, high: int32[n], the first unit below it, and one past the last, each less 1; its own come
    # first
    low: Ints
    high: Ints
    owners: Ints  # int32[n_units], of each unit but 0 its node
    symbol_of: Indices  # intp[n], its last symbol
    below: Bits  # uint64[n], the groups that come below it, as bits; those of the root are not read
    units: Units  # of its tokens
    # cut, cut_items: intp[n_cut], the units that end inside a character, and an item of each
    cut: Indices
    cut_items: Indices
    closing: Indices  # intp[n_closing], the units that close a string

    @property
    def n_bytes(self) -> int:
        units = self.units
        n_bytes = 36 * len(self.low) + 16 * len(units.sizes) + 4 * len(units.tokens)
        return n_bytes + (0 if units.unit_of is None else units.unit_of.nbytes)


def trie_for(
    index: TokenIndex, character_trie: CharacterTrie, kind_of: NDArray[np.unsignedinteger]
) -> tuple[ClassTrie, NDArray[np.unsignedinteger]]:
    """Return the smallest trie in which no two characters of different kinds are one.

    That of whole characters is made once, and kept: it takes 25 to 40 ms for 128,000 tokens, and 2
    to 9 MB.

    Args:
        index: whose memory is used.
        character_trie: of the vocabulary.
        kind_of: of each of ``character_trie.distinct`` its kind.

    Returns:
        The trie, and of each of its symbols the kind.
    """
    is_folded = not character_trie.before and len(character_trie.chars) > _FEW_NODES
    for n in range(_N_FOLDS if is_folded else 0):
        symbols = _classes_of(index, character_trie, n)
        of_symbol = np.zeros(N_GROUPS, dtype=kind_of.dtype)
        of_symbol[symbols] = kind_of
        if (of_symbol.take(symbols) == kind_of).all():
            return _trie_of(index, character_trie, n, symbols), of_symbol
    return _trie_of(index, character_trie, _N_FOLDS, None), kind_of


def _classes_of(index: TokenIndex, character_trie: CharacterTrie, fold: int) -> Indices:
    """Return the classes of a vocabulary's characters by which a trie is folded."""
    key = (_classes_of, character_trie.escapes, character_trie.before, fold)
    found: Indices | None = index.shared.get(key)
    if found is None:
        found = _fold_characters(character_trie.distinct, fold)
        index.shared.put(key, found, found.nbytes)
    return found


def _fold_characters(characters: Ints, fold: int) -> Indices:
    """Return the classes of characters in one of ``_N_FOLDS`` folds."""
    if fold < len(_RANGES):
        return _classify(characters, _RANGES[fold])
    found = kinds()
    numbers = {kind: n for n, kind in enumerate(dict.fromkeys(found.values()))}
    of_range = np.array([numbers[kind] for kind in found.values()])
    return of_range[np.searchsorted(np.array([*found]), characters, side="right") - 1]


def _classify(characters: Ints, ranges: Sequence[bytes]) -> Indices:
    """Return the classes of characters: some ranges, white space, single ones.

    A class has the same number in all vocabularies.
    """
    classes = np.arange(_SPACE + 1)
    for first, last in ranges:
        classes[first : last + 1] = last
    numbers: Indices = np.unique(classes, return_inverse=True)[1]
    kinds = np.minimum(characters, _NOT_ASCII)
    kinds[np.isin(characters, _SPACES)] = _SPACE
    return numbers.take(kinds)


def _group(characters: Ints) -> Indices:
    """Return the groups of single characters, of which the letters are with their capitals."""
    capital = (characters >= ord("A")) & (characters <= ord("Z"))
    return _classify(np.where(capital, characters + 0x20, characters), _GROUPED)


def _trie_of(
    index: TokenIndex, character_trie: CharacterTrie, number: int, symbols: Indices | None
) -> ClassTrie:
    key = (ClassTrie, character_trie.escapes, character_trie.before, number)
    found: ClassTrie | None = index.shared.get(key)
    if found is None:
        charge_steps(len(character_trie.chars) // _NODES_AT_ONCE)
        if character_trie.like is character_trie:
            found = _make_trie(index, character_trie, symbols)
            n_bytes = found.n_bytes
        else:
            found = _move_trie(_trie_of(index, character_trie.like, number, None), character_trie)
            n_bytes = found.symbols.nbytes + 12 * len(found.low)
        if character_trie.before:
            index.shared.put(key, found, n_bytes)
        else:
            # Else a pattern would wait for it after many without one.
            index.shared.keep(key, found, n_bytes)
    return found


def _move_trie(trie: ClassTrie, character_trie: CharacterTrie) -> ClassTrie:
    """Return a trie of single characters whose first ones alone are others."""
    symbols, groups = np.arange(len(character_trie.distinct)), _group(character_trie.distinct)
    return trie._replace(
        symbols=symbols, groups=groups, symbol_of=character_trie.character_of.astype(np.intp)
    )


def _make_trie(
    index: TokenIndex, character_trie: CharacterTrie, symbols: Indices | None
) -> ClassTrie:
    tables, items = character_trie.tables, items_of(index, character_trie)
    levels, first, owners = character_trie.levels, tables.first, items.owners.astype(np.intp)
    symbol_of = character_trie.character_of.astype(np.intp)
    if symbols is None:
        symbols = np.arange(len(character_trie.distinct))
        groups = _group(character_trie.distinct)
    else:
        groups = np.arange(N_GROUPS)
        levels, first, folded = _fold_nodes(character_trie, symbols)
        owners, symbol_of = folded[owners], np.zeros(levels[-1], dtype=np.intp)
        symbol_of[folded] = symbols[character_trie.character_of]
    # Ways to end: between two characters, inside one, by its beginning, and with the quote.
    n_begun = len(character_trie.ranges)
    ends = np.where(tables.kinds == CLOSES, n_begun, tables.begun)
    keys, of_item = number_keys(owners * (n_begun + 1) + ends)
    owner_of, end_of = np.divmod(keys, n_begun + 1)
    inner = _inner_nodes(first, levels)
    low, high, number = _number_units(first, inner, owner_of)
    unit_of_item = 1 + number[of_item]
    cut, closing = np.flatnonzero((end_of > 0) & (end_of < n_begun)), end_of == n_begun
    items_by_key = np.zeros(len(keys), dtype=np.intp)
    items_by_key[of_item] = np.arange(len(of_item))
    owner_of_unit = np.zeros(len(keys), dtype=np.int32)
    owner_of_unit[number] = owner_of
    return ClassTrie(
        symbols,
        groups,
        levels,
        first,
        parents_of(first).astype(np.intp),
        low,
        high,
        owner_of_unit,
        symbol_of,
        _join_below(inner, np.uint64(1) << groups[symbol_of].astype(np.uint64)),
        _unite_items(index, items, unit_of_item, len(keys)),
        1 + number[cut],
        items_by_key[cut],
        1 + number[closing],
    )


def _fold_nodes(character_trie: CharacterTrie, symbols: Indices) -> tuple[list[int], Ints, Indices]:
    """Return the levels of a folded trie, their children, and which node each node becomes."""
    n_symbols = int(symbols.max()) + 1
    own, above = symbols[character_trie.character_of], parents_of(character_trie.tables.first)
    folded = np.zeros(len(own), dtype=np.intp)
    parents, levels = [np.zeros(1, dtype=np.intp)], [0, 1]
    for first, last in zip(character_trie.levels[1:], character_trie.levels[2:], strict=False):
        base = levels[-2]
        keys = (folded[above[first:last]] - base) * n_symbols + own[first:last]
        distinct, inverse = number_keys(keys)
        folded[first:last] = inverse + levels[-1]
        parents.append(distinct // n_symbols + base)
        levels.append(levels[-1] + len(distinct))
    return levels, first_children(np.concatenate(parents).astype(np.int32)), folded


class _Level(NamedTuple):
    """The nodes of a level that have children, these, and where each node's begin among them."""

    parents: Indices
    start: int
    stop: int
    begin: Indices


def _inner_nodes(first: Ints, levels: list[int]) -> list[_Level]:
    found: list[_Level] = []
    for start, stop in itertools.pairwise(levels[:-1]):
        begins = first[start : stop + 1]
        some = (begins[1:] > begins[:-1]).nonzero()[0]
        # The children of a level are the next level, in the order of their parents.
        children, last = int(begins[0]), int(begins[-1])
        begin = begins[some].astype(np.intp) - children
        found.append(_Level(start + some, children, last, begin))
    return found


def _number_units(first: Ints, inner: list[_Level], owners: Indices) -> tuple[Ints, Ints, Indices]:
    """Return the units below each node, first and past the last, and all by number, depth first.

    Args:
        first: of the nodes.
        inner: of the nodes.
        owners: of each unit its node, ascending.
    """
    own: Indices = np.bincount(owners, minlength=len(first) - 1)
    total: Indices = own.copy()
    low = np.zeros(len(own), dtype=np.intp)
    for parents, start, stop, begin in reversed(inner):
        total[parents] = own[parents] + np.add.reduceat(total[start:stop], begin)
    for parents, start, stop, begin in inner:
        before = total[start:stop].cumsum() - total[start:stop]
        base = low[parents] + own[parents] - before[begin]
        low[start:stop] = before + base.repeat(first[parents + 1] - first[parents])
    rank = np.arange(len(owners)) - (own.cumsum() - own)[owners]
    return low.astype(np.int32), (low + total).astype(np.int32), low[owners] + rank


def _unite_items(index: TokenIndex, items: Items, unit_of_item: Indices, n_units: int) -> Units:
    inside, unit_of = np.flatnonzero(items.ids >= 0), None
    if len(inside) * _FEW_TOKENS > index.n_words * 32:
        unit_of = np.zeros(index.n_words * 32, dtype=np.intp)
        unit_of[items.ids[inside]] = unit_of_item[inside]
    own = unit_of_item[inside]
    # Sorting narrow numbers takes a fifth of the time.
    order = np.argsort(own.astype(np.min_scalar_type(n_units)), kind="stable")
    counts = np.bincount(own, minlength=n_units + 1)
    sizes = np.zeros(n_units + 1, dtype=np.int32)
    sizes[unit_of_item] = items.sizes
    return Units(
        unit_of,
        items.ids[inside[order]],
        np.concatenate([[0], counts.cumsum()]).astype(np.int32),
        sizes,
        items.closing_tokens,
        unit_of_item[items.quotes],
        index.n_words * 32,
    )


def _join_below(inner: list[_Level], own: Bits) -> Bits:
    """Return the groups below each node, from those of the nodes, as bits."""
    below = np.zeros_like(own)
    for parents, start, stop, begin in reversed(inner):
        below[parents] = np.bitwise_or.reduceat(own[start:stop] | below[start:stop], begin)
    return below


def number_keys(keys: NDArray[np.integer]) -> tuple[Indices, Indices]:
    """Return some keys, each once and ascending, and of each where it is among them."""
    n_keys = int(keys.max(initial=0)) + 1
    # A table is cleared and read whole; sorting takes as long where they are few.
    if n_keys > min(_MOST_KEYS, _FEW_KEYS + _MOST_SPARSE * len(keys)):
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse
    is_there = np.zeros(n_keys, dtype=np.bool_)
    is_there[keys] = True
    distinct = is_there.nonzero()[0]
    number = np.empty(n_keys, dtype=np.intp)
    number[distinct] = np.arange(len(distinct))
    return distinct, number.take(keys)
