r"""What a loop reads that lacks a few characters, from what one reads that has them.

``.*word`` loops on all characters but ``w`` and the line break, and ``[^"]*"`` on all but the
quote. Such components differ in some characters of ASCII, by which they are left. So one of them is
read that lacks none (:mod:`maskc.runtime.link.automata.loop_reader`), and each other reads what it
reads before the first of the characters that this one lacks: that takes a fourth of the time.

Example: ``[^x]*`` reads of ``ab``, ``axb`` and ``x`` the token ``ab`` alone, and is left by ``x``
at the beginning and after ``a``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from maskc.runtime.link.automata.loops import LEFT, Component
from maskc.runtime.link.automata.node_sets import list_ending
from maskc.runtime.schema.tries import ROOT, TokenIndex
from maskc.runtime.step_budget import AT_ONCE, charge_steps

if TYPE_CHECKING:
    from maskc.runtime.link.automata.loop_reader import ComponentReading

_N_ASCII, _MOST_LACKING = 0x80, 16


def fill_in(component: Component) -> Component | None:
    """Return the component that also reads the few characters of ASCII that one does not read.

    ``None`` unless all others of ASCII lead from the first control state back to it, and no other
    control state reads one of these few.
    """
    row, passes = component.table[0, :_N_ASCII], component.passes[0, :_N_ASCII]
    read, lacking = row.nonzero()[0], (row == LEFT).nonzero()[0]
    if not 0 < len(lacking) <= _MOST_LACKING or (row[read] != 1).any():
        return None
    if (passes[read] != passes[read[0]]).any() or component.table[1:, lacking].any():
        return None
    table, all_passes = component.table.copy(), component.passes.copy()
    leaves = component.leaves.copy()
    table[0, lacking], all_passes[0, lacking] = 1, passes[read[0]]
    leaves[0, lacking] = False
    ends = repr((component.whole, component.to_end)).encode()
    parts = (table, np.packbits(all_passes), np.packbits(leaves))
    key = b"".join([*(part.tobytes() for part in parts), ends, b"filled"])
    return component._replace(table=table, passes=all_passes, leaves=leaves, key=key)


def cut_short(
    index: TokenIndex, component: Component, reading: ComponentReading
) -> ComponentReading:
    """Return what a component reads below the root.

    Args:
        component: which lacks some bytes of its first control state.
        reading: of the component that has these, too; only there are they read.
    """
    trie, parents = index.tokens, index.tokens.parent_array
    charge_steps(1 + len(parents) // AT_ONCE)
    is_lacking = np.zeros(256, dtype=np.bool_)
    is_lacking[:_N_ASCII] = component.table[0, :_N_ASCII] == LEFT
    # Nodes at and below one that is reached by such a byte.
    is_out = is_lacking.take(trie.byte_array)
    is_out[ROOT] = False
    reached = is_out.nonzero()[0]
    for first, last in pairwise(trie.levels[2:]):
        is_out[first:last] |= is_out.take(parents[first:last])
    is_text_out = np.zeros(len(trie.texts), dtype=np.bool_)
    is_text_out[list_ending(trie, is_out.nonzero()[0].astype(np.int32))[0]] = True
    read = (~is_text_out.take(reading.text_indices)).nonzero()[0]
    inside = (~is_out.take(reading.inside)).nonzero()[0]
    # Where such a byte leaves it now: after the first control state, which the root is in.
    above = parents.take(reached)
    nodes, states, passes = (
        np.insert(array, 0, first)
        for array, first in (
            (reading.inside, ROOT),
            (reading.inside_states, 1),
            (reading.inside_passes, 0),
        )
    )
    at = nodes.searchsorted(above)
    leads_out = (nodes.take(at, mode="clip") == above) & (states.take(at, mode="clip") == 1)
    leads_out &= component.leaves[0].take(trie.byte_array.take(reached))
    leads_out &= ~is_out.take(above)
    more, more_passes = reached[leads_out].astype(np.int32), passes.take(at[leads_out])
    by_passes = np.argsort(more_passes, kind="stable")
    more, more_passes = more.take(by_passes), more_passes.take(by_passes)
    left = ~is_out.take(parents.take(reading.left))
    keys = np.concatenate([reading.left_by[left], trie.byte_array.take(more)])
    order = np.argsort(keys, kind="stable")
    row = reading.row
    if row is not None:
        row = index.clear_bits(row, index.order[is_text_out.nonzero()[0]])
    return reading._replace(
        row=row,
        text_indices=reading.text_indices.take(read),
        text_passes=reading.text_passes.take(read),
        inside=reading.inside.take(inside),
        inside_states=reading.inside_states.take(inside),
        inside_passes=reading.inside_passes.take(inside),
        left=np.concatenate([reading.left[left], more]).take(order),
        left_by=keys.take(order),
        left_passes=np.concatenate([reading.left_passes[left], more_passes]).take(order),
    )
