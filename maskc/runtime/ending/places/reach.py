"""Which places do the tokens of one place lead to?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend_at_once
from maskc.runtime.ending.places.place import Place
from maskc.runtime.ending.places.places import NOWHERE, Places
from maskc.runtime.ending.tokens.paths import Ints

MOST_PLACES = 3_000  # that were not known before


class Reach:
    """Where each legal token of a place leads. Never changes.

    Attributes:
        ids: int32[n], the tokens.
        which: int32[n], of each the number of its place in ``places``.
        places: the places, each once.
        n_nodes: how many nodes of the trie were looked at.
    """

    __slots__ = ("ids", "n_nodes", "places", "which")

    def __init__(self, ids: Ints, which: Ints, places: list[Place], n_nodes: int) -> None:
        self.ids, self.which, self.places, self.n_nodes = ids, which, places, n_nodes

    def token_to(self, number: int) -> int:
        """Return the smallest token that leads to one of the places."""
        return int(self.ids[self.which == number].min())

    def pack(self, fits: NDArray[np.bool_], n_words: int) -> NDArray[np.int32]:
        """Return int32[n_words], the mask of the tokens that lead to some of the places.

        Args:
            fits: bool[number of places].
            n_words: of a mask.
        """
        legal = np.zeros(n_words * 32, dtype=np.bool_)
        legal[self.ids[fits[self.which]]] = True
        return np.packbits(legal, bitorder="little").view("<i4")


def find_reach(places: Places, place: Place, most: int = MOST_PLACES) -> Reach:
    """Return where the legal tokens of a place lead.

    Args:
        places: of the machine.
        place: one of them.
        most: places that were not known before.

    Raises:
        TooMuchError: to more places than are looked at.
    """
    most += len(places)
    paths, trie = places.paths, places.paths.trie
    nodes, _ = paths.children(np.zeros(1, dtype=np.int32))
    numbers = np.array(places.begin(place, trie.byte_array[nodes].tolist()), dtype=np.int32)
    n_nodes = 0
    texts, ends = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    while len(nodes):
        n_nodes += len(nodes)
        spend_at_once(len(nodes))
        alive = numbers != NOWHERE
        nodes, numbers = nodes[alive], numbers[alive]
        is_end = trie.ending_array[nodes] > 0
        texts.append(trie.low_array[nodes[is_end]])
        ends.append(numbers[is_end])
        nodes, counts = paths.children(nodes)
        numbers = places.moves(np.repeat(numbers, counts), trie.byte_array[nodes], most)
    return _collect(places, place, np.concatenate(texts), np.concatenate(ends), n_nodes)


def _collect(places: Places, place: Place, texts: Ints, ends: Ints, n_nodes: int) -> Reach:
    """Return the tokens of some texts and where they lead, with the tokens that are atoms."""
    distinct, which = np.unique(ends, return_inverse=True)
    ended = np.array([places.end_token(int(number)) for number in distinct], dtype=np.int32)
    numbers = ended[which] if len(ended) else ends
    texts, numbers = texts[numbers != NOWHERE], numbers[numbers != NOWHERE]
    ids, counts = places.paths.ids_of(texts)
    numbers = np.repeat(numbers, counts)
    atoms = [(token_id, after.number) for token_id, after in places.atoms(place)]
    if atoms:
        table = np.array(atoms, dtype=np.int32)
        is_byte = ~np.isin(ids, table[:, 0])
        ids = np.concatenate([ids[is_byte], table[:, 0]])
        numbers = np.concatenate([numbers[is_byte], table[:, 1]])
    distinct, which = np.unique(numbers, return_inverse=True)
    found = [after for number in distinct.tolist() if (after := places.all[number]) is not None]
    return Reach(ids, which.astype(np.int32), found, n_nodes)
