"""Where does a string that may become anything differ from one of any characters?

An automaton may have a state, its *sink*, in which every further character is free: after
``^foo``, or where a key is none of those that have names. Nearly all texts lead there, and do what
they do in a string of any characters, which is known. So only the ways to other states are
followed.

Example: of the keys ``id`` and any other one, the token ``i`` is inside where the key can still be
``id``, and ``id"`` ends it; ``x"`` does what it does in any string.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.schema.inside import Ended
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.trie import Nodes, Trie

_QUOTE = 0x22
_FEW = 4  # children that are tried one by one


class Differences(NamedTuple):
    """Where a string differs from one of any characters.

    Attributes:
        inside: texts that stay inside and could still differ, by place, with the body's state.
        dead: runs of texts that lead nowhere.
        ended: quotes that close it where it could still differ.
    """

    inside: list[tuple[int, int]]
    dead: list[tuple[int, int]]
    ended: list[Ended]


def compare_body(
    trie: Trie, body: Body, free: Body, at: int, nodes: Nodes, most: int
) -> Differences | None:
    """Return where a string differs, ``None`` if too many nodes would have to be looked at.

    Args:
        trie: of texts.
        body: of the string; its automaton has a sink.
        free: of strings of any characters.
        at: state of ``body``, between two characters.
        nodes: where the walk begins.
        most: how many nodes may be looked at.
    """
    found = Differences([], [], [])
    sink = body.dfa.sink
    open_ = [(node, at, free.start, node) for node in nodes]
    while open_:
        node, here, any_, source = open_.pop()
        if body.targets[here] == {sink}:
            continue
        first, last = trie.first[node], trie.first[node + 1]
        is_whole = body.characters[here] >= 0
        few = body.special_bytes(here, sink) if is_whole and last - first > _FEW else None
        children = trie.children(node, few)
        most -= len(children)
        if most < 0:
            return None
        for child, byte in children:
            if byte == _QUOTE and is_whole:
                found.ended.append(Ended(child, body.characters[here], 0, source))
                continue
            after_any = free.step(any_, byte)
            if not after_any:
                continue  # nor is it in any string
            after = body.step(here, byte)
            low = trie.low[child]
            if not after:
                found.dead.append((low, trie.high[child]))
            elif body.targets[after] != {sink}:
                last_place = low + trie.n_ending[child]
                found.inside.extend((place, after) for place in range(low, last_place))
                open_.append((child, after, after_any, source))
    return found
