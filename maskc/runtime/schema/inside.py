"""What does a string that opens at some nodes of a trie do to the texts after them?

The automaton of a string's body and the trie are walked side by side. Where the automaton takes few
bytes they are looked up, else the node's children are tried one by one. The walk knows neither
lengths nor which keys may come: whoever asks drops what these forbid.

Example: for ``^ab*$`` the texts ``a``, ``ab`` and ``ab"`` stay, the last of which ends the string.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.trie import Nodes, Trie

_QUOTE = 0x22


class Ended(NamedTuple):
    """A string that has ended.

    Attributes:
        node: after the quote.
        state: of the automaton over characters, before it.
        size: characters read.
        source: the node at which it was opened.
    """

    node: int
    state: int
    size: int
    source: int


class Inside(NamedTuple):
    """What a string does to texts.

    Attributes:
        body: whose states these are.
        places: texts that end in the string.
        states: of the body, for each of them.
        sizes: whole characters that each of them reads.
        ended: where the string ends.
        base: more texts that end in it, of which no more is known than that every character may
            follow.
    """

    body: Body
    places: list[int]
    states: list[int]
    sizes: list[int]
    ended: list[Ended]
    base: Part | None = None


def walk_body(
    trie: Trie, body: Body, at: int, nodes: Nodes, *, most: int = 1 << 30
) -> Inside | None:
    """Return what a string does to the texts after some nodes.

    Args:
        trie: of texts.
        body: of the string.
        at: its state, at all nodes.
        nodes: where the walk begins.
        most: so many nodes; ``None`` is returned if there are more.
    """
    found = Inside(body, [], [], [], [])
    characters, labels = body.characters, body.dfa.labels
    open_ = [(node, at, 0, node) for node in nodes]
    while open_:
        node, here, size, source = open_.pop()
        first, last = trie.first[node], trie.first[node + 1]
        if first == last:
            continue
        is_whole = characters[here] >= 0
        few = body.first_bytes(here) if last - first > 4 else None
        if few is not None and len(few) > last - first:
            few = None
        children = trie.children(node, few)
        most -= len(children)
        if most < 0:
            return None
        for child, byte in children:
            if byte == _QUOTE and is_whole:
                if labels[characters[here]] >= 0:
                    found.ended.append(Ended(child, characters[here], size, source))
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
            open_.append((child, after, n_read, source))
    return found
