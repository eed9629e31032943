"""The tokens that end inside an open lexeme, and the nodes of the trie at which it may end.

Both depend on the lexeme alone, not on the parser's stack; so they are worked out once for a node
of the trie, a scanner state and a track, whatever the stack. Tokens that end in states from which
the same can come are one group: of these the parser is asked once.

Example: with TABLE narrowed to 1,000 words, at the root and before the first byte of a name there
is one group, of all tokens that are beginnings of words, and an exit for each whole word that some
token goes on from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, ScannerStateId
from maskc.levels import spread
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.holes.beginnings import Beginnings, Nodes
from maskc.runtime.holes.stepping import HoleStepper
from maskc.runtime.holes.tracks import OUTSIDE, Tracks
from maskc.runtime.schema.tries.trie import ROOT, Trie
from maskc.runtime.step_budget import charge_steps

_STEP = 2  # what following one byte counts for


class TrieState(NamedTuple):
    """An open lexeme at a node of the trie: the scanner's state, the track, the column reached."""

    node: int
    state: ScannerStateId
    track: int
    column: int


class Exits(NamedTuple):
    """The nodes, int32[n], each once, at which an open lexeme may end in one state."""

    state: ScannerStateId
    track: int
    column: int
    nodes: NDArray[np.int32]


class EndGroup(NamedTuple):
    """Tokens that end in states from which the same can come, and one of these states."""

    end: TrieState
    tokens: NDArray[np.int32]  # int32[n], their text indices, in the order of their bytes


class Inside(NamedTuple):
    """One open lexeme, followed through the trie."""

    # bool[n_tokens], the tokens that may be illegal where the artifact's mask has them; None: all
    # that go on from the node
    asked: NDArray[np.bool_] | None
    groups: tuple[EndGroup, ...]  # the tokens that end in it, among these and others
    exits: tuple[Exits, ...]  # where it may end, and some token that is asked for goes on


class LexemeWalks:
    """Follows tokens inside of lexemes, and caches what was found."""

    def __init__(
        self,
        stepper: HoleStepper,
        tracks: Tracks,
        beginnings: Beginnings,
        trie: Trie,
        budget: Budget,
    ) -> None:
        self._stepper, self._tracks, self._trie = stepper, tracks, trie
        self._beginnings, self._known = beginnings, Cache(budget, _measure)

    def inside(self, start: TrieState, *, counts: bool) -> Inside:
        """Return the inside of a lexeme from a node on, the node's own tokens included.

        Args:
            start: where it is open; at the root, if it cannot become a hole's.
            counts: whether columns count, if the lexeme is a newline.
        """
        key = (start, counts)
        found: Inside | None = self._known.get(key)
        if found is None:
            if start.node == ROOT and not self._tracks.inside[start.state]:
                found = self._read_beginnings(start, counts=counts)
            else:
                found = self._follow(start, counts=counts)
            self._known.put(key, found)
        return found

    def _follow(self, start: TrieState, *, counts: bool) -> Inside:
        """Follow the tokens byte by byte."""
        trie, stepper, tracks = self._trie, self._stepper, self._tracks
        scanner, n_ending, low = stepper.scanner, trie.n_ending, trie.low
        classes = scanner.byte_classes
        tokens: dict[object, list[int]] = {}
        ends: dict[object, TrieState] = {}
        exits: list[TrieState] = []
        pending = [start]
        while pending:
            here = pending.pop()
            node, state, track, column = here
            charge_steps(_STEP)
            if n_ending[node] and node != ROOT:
                sign = stepper.sign(state, track, column)
                if sign not in tokens:
                    tokens[sign], ends[sign] = [], here
                tokens[sign] += range(low[node], low[node] + n_ending[node])
            if not trie.has_children(node):
                continue
            if any(tracks.allows(track, terminal) for terminal, _ in scanner.ends(state)):
                exits.append(here)
            few = None if stepper.may_leave[state] else tracks.bytes_on(track)
            following = scanner.next(state)
            for child, byte in trie.children(node, few):
                entered = following[classes[byte]]
                if entered != DEAD:
                    moved = stepper.go_on(track, byte, entered)
                    if moved is not None:
                        reached = stepper.count(column, byte, entered) if counts else column
                        pending.append(TrieState(child, entered, moved, reached))
        groups = (EndGroup(ends[s], np.array(found, dtype=np.int32)) for s, found in tokens.items())
        return Inside(None, tuple(groups), group_states(exits))

    def _read_beginnings(self, start: TrieState, *, counts: bool) -> Inside:
        """Return the inside of a lexeme that cannot become a hole's."""
        begun, low = self._beginnings.of(start.state), self._trie.low_array
        ends: dict[object, TrieState] = {}
        found: dict[object, list[NDArray[np.int32]]] = {}
        for state, track, column, nodes in self._split(begun.inside, start, counts=counts):
            sign = self._stepper.sign(state, track, column)
            ends.setdefault(sign, TrieState(int(nodes[0]), state, track, column))
            _, tokens = spread(low[nodes], low[nodes] + self._trie.ending_array[nodes])
            found.setdefault(sign, []).append(tokens)
        groups = (EndGroup(ends[sign], np.concatenate(tokens)) for sign, tokens in found.items())
        return Inside(begun.tokens, tuple(groups), self._split(begun.exits, start, counts=counts))

    def _split(self, found: Nodes, start: TrieState, *, counts: bool) -> tuple[Exits, ...]:
        """Return nodes by their states, and by the columns of the open lexeme if these count."""
        nodes, states = found
        if counts:
            return group_states(self._count_columns(found, start))
        return tuple(
            Exits(state, OUTSIDE, start.column, nodes[states == state])
            for state in np.unique(states).tolist()
        )

    def _count_columns(self, found: Nodes, start: TrieState) -> Iterator[TrieState]:
        scanner = self._stepper.scanner
        for node, state in zip(found[0].tolist(), found[1].tolist(), strict=True):
            column, here = start.column, start.state
            for byte in self._trie.path(node):
                here = scanner.next(here)[scanner.byte_classes[byte]]
                column = self._stepper.count(column, byte, here)
            yield TrieState(node, state, OUTSIDE, column)


def _measure(_: object, inside: Inside) -> int:
    arrays = [group.tokens for group in inside.groups]
    arrays += [exits.nodes for exits in inside.exits]
    return ENTRY_BYTES * (1 + len(arrays)) + sum(array.nbytes for array in arrays)


def group_states(states: Iterable[TrieState]) -> tuple[Exits, ...]:
    """Return nodes by state, track and column, in the order in which each of these comes first."""
    nodes: dict[tuple[ScannerStateId, int, int], list[int]] = {}
    for node, state, track, column in states:
        nodes.setdefault((state, track, column), []).append(node)
    return tuple(Exits(*key, np.array(found, dtype=np.int32)) for key, found in nodes.items())
