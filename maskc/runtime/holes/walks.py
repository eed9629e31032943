"""Which tokens end inside an open lexeme, and at which nodes of the trie may the lexeme end?

Both depend on the lexeme alone, not on the parser's stack; so they are worked out once for a node
of the trie, a scanner state and a track, whatever the stack. Tokens that end in states from which
the same can come are one group: of these the parser is asked once.

Example: with TABLE narrowed to 1,000 words, at the root and before the first byte of a name there
is one group, of all tokens that are beginnings of words, and an exit for each whole word that some
token goes on from.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, ScannerStateId
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.holes.stepping import HoleStepper
from maskc.runtime.holes.tracks import Tracks
from maskc.runtime.schema.tries.trie import ROOT, Trie

_STEP = 2  # what following one byte counts for


class Place(NamedTuple):
    """An open lexeme at a node of the trie.

    Attributes:
        node: of the trie.
        state: of the scanner.
        track: of the holes.
        column: that the lexeme has reached.
    """

    node: int
    state: ScannerStateId
    track: int
    column: int


class Exits(NamedTuple):
    """Where an open lexeme may end, in one state of all that is known of it.

    Attributes:
        state: of the scanner.
        track: of the holes.
        column: that the lexeme has reached.
        nodes: int32[n], of the trie, each once.
    """

    state: ScannerStateId
    track: int
    column: int
    nodes: NDArray[np.int32]


class Group(NamedTuple):
    """Tokens that end in states from which the same can come.

    Attributes:
        place: where one of them ends.
        tokens: int32[n], their places in the order of their bytes.
    """

    place: Place
    tokens: NDArray[np.int32]


class Inside(NamedTuple):
    """What is inside of one lexeme.

    Attributes:
        groups: the tokens that end in it.
        exits: where it may end, and some token goes on.
    """

    groups: tuple[Group, ...]
    exits: tuple[Exits, ...]


class Walks:
    """Follows tokens inside of lexemes; remembers what it has found.

    Args:
        stepper: moves readings.
        tracks: of the holes.
        trie: of the tokens.
        budget: what is remembered is charged to.
    """

    def __init__(self, stepper: HoleStepper, tracks: Tracks, trie: Trie, budget: Budget) -> None:
        self._stepper, self._tracks, self._trie = stepper, tracks, trie
        self._budget, self._known = budget, Cache(budget)

    def inside(self, start: Place, *, counts: bool) -> Inside:
        """Return what is inside of a lexeme from a node on, the node's own tokens included.

        Args:
            start: where it is open.
            counts: whether columns count, if the lexeme is a newline.
        """
        key = (start, counts)
        found: Inside | None = self._known.get(key)
        if found is None:
            found = self._follow(start, counts=counts)
            self._known.put(key, found)
            n_bytes = sum(group.tokens.nbytes + ENTRY_BYTES for group in found.groups)
            n_bytes += sum(exits.nodes.nbytes + ENTRY_BYTES for exits in found.exits)
            self._budget.charge(n_bytes)
        return found

    def _follow(self, start: Place, *, counts: bool) -> Inside:
        trie, stepper, tracks = self._trie, self._stepper, self._tracks
        scanner, n_ending, low = stepper.scanner, trie.n_ending, trie.low
        classes = scanner.byte_classes
        tokens: dict[object, list[int]] = {}
        places: dict[object, Place] = {}
        exits: list[Place] = []
        pending = [start]
        while pending:
            place = pending.pop()
            node, state, track, column = place
            spend(_STEP)
            if n_ending[node] and node != ROOT:
                sign = stepper.sign(state, track, column)
                if sign not in tokens:
                    tokens[sign], places[sign] = [], place
                tokens[sign] += range(low[node], low[node] + n_ending[node])
            if not trie.has_children(node):
                continue
            if any(tracks.allows(track, terminal) for terminal, _ in scanner.ends(state)):
                exits.append(place)
            few = None if stepper.may_leave[state] else tracks.bytes_on(track)
            following = scanner.next(state)
            for child, byte in trie.children(node, few):
                entered = following[classes[byte]]
                if entered != DEAD:
                    moved = tracks.step(track, byte, entered)
                    if moved or stepper.may_leave[entered]:
                        reached = stepper.count(column, byte, entered) if counts else column
                        pending.append(Place(child, entered, moved, reached))
        groups = (Group(places[s], np.array(found, dtype=np.int32)) for s, found in tokens.items())
        return Inside(tuple(groups), group_places(exits))


def group_places(places: Iterable[Place]) -> tuple[Exits, ...]:
    """Return places by state, track and column, in the order in which each of these comes first."""
    nodes: dict[tuple[ScannerStateId, int, int], list[int]] = {}
    for node, state, track, column in places:
        nodes.setdefault((state, track, column), []).append(node)
    return tuple(Exits(*key, np.array(found, dtype=np.int32)) for key, found in nodes.items())
