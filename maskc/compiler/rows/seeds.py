"""Where a walk of the token trie starts, and how much of it is walked at once (docs/lalr.md, 5).

- *Byte-class trie*: bytes that no scanner state tells apart are one class, so tokens of equal
  classes share a node; what no state reads has none. What a walk finds are *items*: a node, or a
  node with all below it. Of llama3's 128,000 tokens 64,000 are left for json.lark.
- *Seeds*: a seed is a state after the first byte, with that byte's node; a source's rows are those
  of its seeds, put together. A boundary's seeds come after a path of one event.
- *k-equivalence*: a token of at most k more bytes does not tell apart the states of
  ``/[a-z]{1,1000}/`` that have more than k letters to go: Moore's classes in round k. The walk
  starts from one state of each class.
- *Batching*: as many seeds are walked together as would have come to the lines aimed at, by the
  batch before; one that comes to too many is taken in smaller ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.rows.paths import distinguish
from maskc.compiler.rows.steps import LexemeSteps
from maskc.compiler.rows.token_sets import TokenSets
from maskc.grammar import IndenterLayout
from maskc.ids import DEAD
from maskc.levels import sort_pairs, spread
from maskc.lexer import Scanner
from maskc.lexer.boundaries import LexemeContexts
from maskc.regular.partition import number_by_occurrence, refine_in_rounds
from maskc.vocab.trie import TokenTrie

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """Distinct seeds."""

    columns: Mapping[str, Ints]  # name → int32[n], what tells seeds apart, as of a walk's frontier
    # int64[n_sources + 1], the seeds of a source are `of_source[first[s] : …]`
    first: NDArray[np.int64]
    of_source: Ints  # int32[…], ascending within a source
    before: Ints  # int32[…], the path that comes before each of these; 0 inside a lexeme

    def __len__(self) -> int:
        return len(self.columns["node"])


def number_seeds(source: Ints, before: Ints, columns: Mapping[str, Ints], n_sources: int) -> Seeds:
    """Return the seeds of lines after the first byte, ordered by their columns."""
    distinct, number = distinguish(*columns.values())
    order = np.lexsort((before, number, source))
    return Seeds(
        {name: some.astype(np.int32) for name, some in zip(columns, distinct, strict=True)},
        first=np.searchsorted(source[order], np.arange(n_sources + 1)).astype(np.int64),
        of_source=number[order].astype(np.int32),
        before=before[order],
    )


def replace_equivalent(
    scanner: Scanner, boundaries: LexemeContexts, states: Ints, n_bytes: Ints
) -> Ints:
    """Return int32[n]: the first of the states that are alike for so many bytes, for each state."""
    # The dead state is like no other.
    kind = number_by_occurrence(
        (state != DEAD, open_lexeme, ends)
        for state, (open_lexeme, ends) in enumerate(
            zip(boundaries.open_lexeme_of, scanner.ends, strict=True)
        )
    )
    found = states.copy()
    waiting = np.ones(len(states), dtype=np.bool_)
    classes = kind
    for n_rounds, classes in enumerate(refine_in_rounds(kind.tolist(), scanner.next)):
        now = n_bytes == n_rounds
        if now.any():
            found[now] = _first_of_class(classes)[states[now]]
            waiting &= ~now
        if not waiting.any():
            return found
    # More bytes tell no more states apart.
    found[waiting] = _first_of_class(classes)[states[waiting]]
    return found


def _first_of_class(classes: NDArray[np.int64]) -> Ints:
    """Return int32[n_states], the first state of each one's class."""
    _, first, number = np.unique(classes, return_index=True, return_inverse=True)
    return first[number.reshape(-1)].astype(np.int32)


def walk_in_batches(
    run: Callable[[int, int], int | None],
    n_seeds: int,
    size: int,
    lines: int,
    progress: Callable[[float], None] | None,
) -> None:
    """Walk from all seeds, a batch after the other.

    Args:
        run: walks from the seeds of a range, and returns the lines of the widest level; ``None``:
            they came to too many, and nothing was kept.
        size: of the first batch, at least 1.
        lines: aimed at in a batch's widest level.
        progress: called with the fraction done.
    """
    low = 0
    while low < n_seeds:
        high = min(low + size, n_seeds)
        widest = run(low, high)
        if widest is None:
            size = (high - low + 3) // 4
            continue
        size = max(1, min(int(size * lines / max(widest, 1)), size * 2))
        low = high
        if progress:
            progress(low / n_seeds)


def fold_trie(
    trie: TokenTrie, scanner: Scanner, steps: LexemeSteps, layout: IndenterLayout | None
) -> TokenTrie:
    """Return the trie in which tokens that no state tells apart share a node.

    Tokens with a byte that no state reads are left out.
    """
    kind = scanner.byte_class.astype(np.int64)
    enters = np.diff(steps.move_first).reshape(-1, scanner.next.shape[1]).any(axis=0)
    dead = ~((scanner.next != DEAD).any(axis=0) | enters)[kind]
    if layout is not None:
        kind[[9, 10, 32]] += 256 * np.arange(1, 4)
        kind = np.unique(kind, return_inverse=True)[1].reshape(-1)
    return trie.fold(kind, dead)


def write_items(nodes: Ints, below: NDArray[np.bool_]) -> Ints:
    """Return int32[n], a number for each node, or, where ``below``, for all below it as well."""
    return nodes * 2 + below


def list_tokens(items: TokenSets, trie: TokenTrie, named: Ints) -> tuple[TokenSets, Ints]:
    """Return the tokens of sets of items, those that are named only.

    Returns:
        The token sets; int32[n], the number of each one that was named.
    """
    used, inverse = np.unique(named, return_inverse=True)
    below, tokens = _tokens_below(trie), TokenSets()
    numbers = list[int]()
    for low in range(0, len(used), _SETS):
        sets = [items.read(number) for number in used[low : low + _SETS].tolist()]
        cuts = np.flatnonzero(np.diff(below.count(sets) // _AT_ONCE)) + 1
        for begin, end in pairwise([0, *cuts.tolist(), len(sets)]):
            numbers += map(tokens.intern, below.read(sets[begin:end]))
    return tokens, np.array(numbers, dtype=np.int32)[inverse.reshape(-1)]


_AT_ONCE = 1 << 18  # tokens of sets that are listed together
_SETS = 256  # whose items are
_NOTHING = np.zeros(0, np.int32)


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

    def count(self, sets: Sequence[Ints]) -> Longs:
        """Return int64[n]: how many tokens the sets of items up to each have together, at most."""
        counts = self._count(np.concatenate([_NOTHING, *sets]))
        ends = np.cumsum([len(some) for some in sets], dtype=np.int64)
        return np.append(0, np.cumsum(counts, dtype=np.int64))[ends]

    def _count(self, items: Ints) -> Ints:
        node = items >> 1
        return np.where(items & 1, self._size[node], self._own[node])

    def read(self, sets: Sequence[Ints]) -> list[Ints]:
        """Return int32[n] for each set of items, its tokens, ascending."""
        items = np.concatenate([_NOTHING, *sets])
        owner = np.repeat(np.arange(len(sets)), [len(some) for some in sets])
        counts, first = self._count(items), self._first[items >> 1]
        index, token = spread(first, first + counts)
        owner, found = sort_pairs(owner[index], self._tokens[token], len(sets))
        is_new = np.ones(len(found), np.bool_)
        is_new[1:] = (found[1:] != found[:-1]) | (owner[1:] != owner[:-1])
        found = found[is_new]
        ends = np.cumsum(np.bincount(owner[is_new], minlength=len(sets))).tolist()
        return [found[low:high] for low, high in pairwise([0, *ends])]


@lru_cache(maxsize=2)
def _tokens_below(trie: TokenTrie) -> _TokensBelow:
    return _TokensBelow(trie)
