r"""What does a string that is open inside a character do to texts, byte by byte?

The automaton of a string's body and the trie are walked side by side. Where the automaton takes few
bytes they are looked up, else the node's children are tried one by one. Between two characters
:mod:`maskc.runtime.schema.scans.searching` finds the same in much less time.

Example: after ``\u00`` of ``^ab*$`` the texts ``61`` and ``61b`` stay.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.effort import spend
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import Nodes, Trie

_QUOTE = 0x22


class Stepped(NamedTuple):
    """What a string does to texts.

    Attributes:
        places: texts that end in the string.
        states: of the body, for each of them.
        sizes: whole characters that each of them reads.
        ended: nodes after a quote that ends the string, with the state before it, and the number
            of characters.
    """

    places: list[int]
    states: list[int]
    sizes: list[int]
    ended: list[tuple[int, int, int]]


def step_body(
    trie: Trie, body: Body, at: int, nodes: Nodes, *, most: int = 1 << 30
) -> Stepped | None:
    """Return what a string does to the texts after some nodes.

    Args:
        trie: of texts.
        body: of the string.
        at: its state, at all nodes.
        nodes: where the walk begins.
        most: so many nodes; ``None`` is returned if there are more.
    """
    found = Stepped([], [], [], [])
    characters, labels = body.characters, body.dfa.labels
    open_ = [(node, at, 0) for node in nodes]
    while open_:
        node, here, size = open_.pop()
        first, last = trie.first[node], trie.first[node + 1]
        if first == last:
            continue
        is_whole = characters[here] >= 0
        few = body.first_bytes(here) if last - first > 4 else None
        if few is not None and len(few) > last - first:
            few = None
        children = trie.children(node, few)
        most -= len(children)
        spend(1 + len(children))
        if most < 0:
            return None
        for child, byte in children:
            if byte == _QUOTE and is_whole:
                if labels[characters[here]] >= 0:
                    found.ended.append((child, characters[here], size))
                continue
            after = body.step(here, byte)
            if not after:
                continue
            n_read = size + (characters[after] >= 0)
            low = trie.low[child]
            for place in range(low, low + trie.n_ending[child]):
                found.places.append(place)
                found.states.append(after)
                found.sizes.append(n_read)
            open_.append((child, after, n_read))
    return found
