"""What does a string that opens at some nodes of a trie do to the texts after them?

What the texts write is spelled once for the nodes (:mod:`maskc.runtime.schema.scans.spelled`), and
the string's automaton is walked over that. Whoever asks drops what lengths, and the keys that may
come, forbid.

Example: for ``^ab*$`` the texts ``a``, ``ab`` and ``ab"`` stay, the last of which ends the string.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maskc.runtime.schema.scans.searching import Searched, search
from maskc.runtime.schema.scans.spelled import CLOSES, Spelled
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.strings.transitions import DEAD


class Ended(NamedTuple):
    """A string that has ended.

    Attributes:
        node: after the quote.
        state: of the automaton before it.
        size: characters read, where these are wanted.
    """

    node: int
    state: int
    size: int


class Inside(NamedTuple):
    """What a string does to texts.

    Attributes:
        places: texts that end in the string.
        targets: of each of them, the states that its characters can lead to.
        sizes: of each of them, its characters, one left open included.
        ended: where the string ends.
        free: more texts that end in it, and after which every character may come.
    """

    places: tuple[int, ...]
    targets: tuple[frozenset[int], ...]
    sizes: tuple[int, ...]
    ended: tuple[Ended, ...]
    free: tuple[int, ...]


def find_inside(spelled: Spelled, dfa: CharDfa, *, exactly: bool, dropped: int = DEAD) -> Inside:
    """Return what a string does to texts.

    Args:
        spelled: the texts, from an opening quote on.
        dfa: the automaton of the string.
        exactly: whether states and sizes are wanted where every character may follow, too.
        dropped: a state that counts as dead.

    Raises:
        ValueError: a walk without a bound came back with nothing, which cannot be.
    """
    found = search(spelled, dfa, dfa.start, exactly=exactly, dropped=dropped)
    if found is None:
        raise ValueError("a walk without a bound came back with nothing")
    ended = [Ended(spelled.places[item], state, size) for item, state, size in found.ended]
    free: list[int] = []
    if found.runs:
        items = free_items(spelled, found)
        kinds, places = spelled.tables.kinds, spelled.tables.places
        is_closing = kinds[items] == CLOSES
        free = places[items[~is_closing]].tolist()
        closing = places[items[is_closing]].tolist()
        ended += [Ended(node, dfa.sink, 0) for node in closing]
    columns = (tuple(found.places), tuple(found.targets), tuple(found.sizes))
    return Inside(*columns, tuple(ended), tuple(free))


def free_items(spelled: Spelled, found: Searched) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the items that are free in the end, in ascending order."""
    is_free = np.zeros(spelled.n_items, dtype=np.bool_)
    for low, high, now in found.runs:
        is_free[low:high] = now
    return np.flatnonzero(is_free)
