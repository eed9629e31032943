r"""The texts for which a string differs from one of any characters.

Most automata of keys have a state in which every further character is free. Inside a character, as
after ``\``, nearly all texts lead there, and what they do is what they do in a string of any
characters, which is known for the whole vocabulary. So only the bytes are followed that lead
elsewhere.

Example: of the keys ``id`` and any other one, after ``{"\`` only ``u`` may lead elsewhere, since
``\u0069`` is ``i``.
"""

from __future__ import annotations

from typing import NamedTuple

from maskc.runtime.effort import spend
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import ROOT, Trie

_QUOTE = 0x22
_FEW = 4  # children that are tried one by one


class Exceptions(NamedTuple):
    """What differs.

    Attributes:
        places: texts that end in the string in another state.
        states: of the body, for each of them.
        sizes: whole characters that each of them reads.
        ended: nodes after a quote, with the state before it, and the number of characters; those of
            no string included.
        dead: nodes that no string leads to.
    """

    places: list[int]
    states: list[int]
    sizes: list[int]
    ended: list[tuple[int, int, int]]
    dead: list[int]


def find_exceptions(trie: Trie, body: Body, at: int, usual: int, *, most: int) -> Exceptions | None:
    """Return what differs in a trie of texts.

    Args:
        trie: of texts.
        body: of the string.
        at: its state before the texts.
        usual: of the automaton, where strings are free.
        most: so many nodes; ``None`` is returned if there are more.
    """
    found = Exceptions([], [], [], [], [])
    characters = body.characters
    open_ = [(ROOT, at, 0)]
    while open_:
        node, here, size = open_.pop()
        first, last = trie.first[node], trie.first[node + 1]
        if first == last:
            continue
        is_whole = characters[here] >= 0
        few = body.special_bytes(here, usual) if last - first > _FEW else None
        children = trie.children(node, few)
        most -= len(children)
        spend(1 + len(children))
        if most < 0:
            return None
        for child, byte in children:
            if byte == _QUOTE and is_whole:
                found.ended.append((child, characters[here], size))
                continue
            after = body.step(here, byte)
            if not after:
                found.dead.append(child)
            elif not body.leads_to(after, usual):
                n_read = size + (characters[after] >= 0)
                low = trie.low[child]
                for place in range(low, low + trie.n_ending[child]):
                    found.places.append(place)
                    found.states.append(after)
                    found.sizes.append(n_read)
                open_.append((child, after, n_read))
    return found
