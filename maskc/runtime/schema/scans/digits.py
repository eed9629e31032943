"""The spellings of a number in a trie: which texts stay in it, and where it may end.

Tokens are full of digits (llama3 has each of up to three), and mostly all of those after a node
are legal or none is. That is asked before the nodes are looked at one by one.

Example: for a number up to 65,535, every text of up to three digits is legal.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers, State
from maskc.runtime.schema.tries.summary import MANY, Part, bits_of
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import Nodes, Trie

_DIGITS = frozenset(b"0123456789")


class Run(NamedTuple):
    """The texts of digits after a node.

    Attributes:
        places: those texts.
        longest: the most digits of one.
    """

    places: tuple[int, ...]
    longest: int


class Walked(NamedTuple):
    """What a number does to the texts after some nodes.

    Attributes:
        places: texts that stay in it.
        part: the same.
        exits: nodes at which it may end, but for those that nothing hangs on.
    """

    places: list[int]
    part: Part
    exits: Nodes


def follow_number(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> Walked:
    """Return the same as :func:`walk_number`, which is shared by all artifacts.

    Many schemas have the same rule, and it looks at nothing but the trie.
    """
    is_rests = trie is index.rests
    key = (Walked, numbers.identity, state, nodes, is_rests)
    found: Walked | None = index.shared.get(key)
    if found is None:
        places, exits = walk_number(index, trie, numbers, state, nodes)
        if is_rests:
            part = Part(bits=bits_of(places))
        else:
            ids = [index.ids[place] for place in places]
            part = Part(few=tuple(ids)) if len(ids) <= MANY else Part((index.pack(ids),))
        found = Walked(places, part, exits)
        n_bytes = 4 * len(part.rows) * index.n_words + 16 * len(places) + 8 * len(exits)
        index.shared.put(key, found, 500 + n_bytes)
    return found


def walk_number(
    index: TokenIndex, trie: Trie, numbers: Numbers, state: State, nodes: Nodes
) -> tuple[list[int], Nodes]:
    """Return the texts that stay in a number, by place, and the nodes at which it may end.

    Of these, nodes that nothing hangs on are left out.

    Args:
        index: whose memory is used.
        trie: of it.
        numbers: what is asked of the number.
        state: of the number, at all nodes.
        nodes: where the walk begins; texts that end there do not count.
    """
    places: list[int] = []
    exits: list[int] = []
    open_ = [(node, state) for node in nodes]
    while open_:
        node, here = open_.pop()
        if numbers.may_end(here):
            exits.append(node)
        first, last = trie.first[node], trie.first[node + 1]
        bytes_ = trie.bytes[first:last]
        run = _run_after(index, trie, node) if last - first > 1 else None
        covered = run is not None and numbers.takes_digits(here, run.longest)
        if covered and run is not None:
            places += run.places
        skipped = _DIGITS if covered else numbers.barred_digits(here)
        for child, byte in enumerate(bytes_, first):
            if byte not in NUMBER_BYTES or byte in skipped:
                continue
            after = numbers.step(here, byte)
            if after is None:
                continue
            low = trie.low[child]
            places += range(low, low + trie.n_ending[child])
            if trie.has_children(child):
                open_.append((child, after))
    return places, tuple(exits)


def _run_after(index: TokenIndex, trie: Trie, node: int) -> Run | None:
    """Return the digits after a node, ``None`` if something else comes after one of them."""
    key = (Run, trie is index.rests, node)
    found: Run | bool | None = index.shared.get(key)
    if found is None:
        found = _find_run(trie, node) or False
        size = 8 * len(found.places) if isinstance(found, Run) else 0
        index.shared.put(key, found, 300 + size)
    return found if isinstance(found, Run) else None


def _find_run(trie: Trie, node: int) -> Run | None:
    places: list[int] = []
    longest = 0
    open_ = [(node, 0)]
    while open_:
        here, n_digits = open_.pop()
        longest = max(longest, n_digits)
        first, last = trie.first[here], trie.first[here + 1]
        for child, byte in enumerate(trie.bytes[first:last], first):
            if byte in _DIGITS:
                low = trie.low[child]
                places += range(low, low + trie.n_ending[child])
                open_.append((child, n_digits + 1))
            elif n_digits:
                return None
    return Run(tuple(places), longest) if longest else None
