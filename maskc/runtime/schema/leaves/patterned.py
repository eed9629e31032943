"""Which tokens are legal inside a string that must be a pattern, and which close it?

Example: after ``"(a`` all tokens are legal that close one group at most, and those that close the
string are legal if they close that group before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.leaves.effects import Effects, Grid, base_of, effects_of, without_name
from maskc.runtime.schema.scans.spelled import BETWEEN, CLOSES, Spelled
from maskc.runtime.schema.strings.ecma import GROUP, Pattern, Patterns
from maskc.runtime.schema.strings.ecma_escapes import Lex
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Ints

_MOST_BITS = 62
_READER = Patterns()


class Patterned(NamedTuple):
    """What a pattern does to a vocabulary, as items.

    Attributes:
        inside: those that stay inside.
        ended: those that close the string.
    """

    inside: NDArray[np.intp]
    ended: NDArray[np.intp]


def walk_pattern(
    index: TokenIndex, spelled: Spelled, key: object, state: Pattern, *, is_empty: bool = False
) -> Patterned:
    """Return what a pattern does to the items of some texts.

    Args:
        index: whose memory is used.
        spelled: the texts.
        key: what tells them from others of the index.
        state: what was read of the pattern.
        is_empty: whether one more character must come.
    """
    effects = effects_of(index)
    grid, found = _effects_after(index, effects, spelled, key, without_name(state.lex))
    possible, kinds = effects.possible, spelled.tables.kinds
    depth = len(state.groups)
    inner = state.groups[: -_MOST_BITS - 1 : -1]
    bits = sum(1 << n for n, kind in enumerate(inner) if kind == GROUP)
    okay = (possible.outer <= depth) & (possible.repeated & ~np.int64(bits) == 0)
    okay[0] = False
    ends = okay & possible.is_final & (possible.outer == depth)
    ends &= np.maximum(possible.most, state.most) <= possible.n_groups + state.n_groups
    if not state.wanted <= state.names:
        ends[:] = False
    sure, ending = okay & ~possible.is_asked, ends & ~possible.is_asked
    closes = kinds == CLOSES
    inside = sure[found] & ~closes
    ended = ending[found] & closes
    for item in np.flatnonzero((okay & possible.is_asked)[found]).tolist():
        after = _read(spelled, grid, item, state)
        if after is None:
            continue
        if kinds[item] == CLOSES:
            ended[item] = _READER.may_end(after)
        else:
            ranges = spelled.ranges[spelled.begun[item]]
            inside[item] = kinds[item] == BETWEEN or _READER.leads_on(after, ranges)
    if is_empty:
        ended[grid.owners == 0] = False
    return Patterned(np.flatnonzero(inside), np.flatnonzero(ended))


def _effects_after(
    index: TokenIndex, effects: Effects, spelled: Spelled, key: object, lex: Lex
) -> tuple[Grid, Ints]:
    """Return what some texts spell as signs, and their effects."""
    name = (Effects, key, spelled.minimal, lex)
    found: tuple[Effects, Grid, Ints] | None = index.shared.get(name)
    if found is None or found[0] is not effects:
        of_grid = (Grid, key, spelled.minimal)
        known: tuple[Effects, Grid] | None = index.shared.get(of_grid)
        if known is None or known[0] is not effects:
            known = effects, effects.grid(spelled)
            index.shared.put(of_grid, known, sum(array.nbytes for array in known[1]))
        base = base_of(lex)[0]
        if base == lex:
            items = effects.walk(spelled, known[1], lex)
        else:
            items = _effects_after(index, effects, spelled, key, base)[1]
            items = effects.change(spelled, known[1], items, lex)
        found = effects, known[1], items
        index.shared.put(name, found, items.nbytes)
    return found[1], found[2]


def _read(spelled: Spelled, grid: Grid, item: int, state: Pattern) -> Pattern | None:
    """Return what is read of a pattern with the characters of an item."""
    node, codes = int(grid.owners[item]), list[int]()
    while node:
        codes.append(spelled.chars[node])
        node = int(grid.parents[node])
    after: Pattern | None = state
    while codes and after is not None:
        after = _READER.step(after, codes.pop())
    return after
