"""How many tokens does a lexeme take at least?

A lexeme begins in some token, at its first byte or after others, goes on in whole tokens, and ends
in one that may go on with what follows. So tokens are followed through the scanner's states that
lead to an end of the terminal, a level of their trie at a time.

Example: with llama3 ``intersect`` takes two tokens, ``inter`` and one that begins with ``sect``;
after ``int`` it takes one more that begins with ``ersect``, or two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.pieces import read_rows
from maskc.ids import ScannerStateId
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.lalr.machine import LalrMachine

Distances = NDArray[np.int16]
_MOST_BYTES = 30_000  # of a lexeme; one that takes more counts as one that never ends
_MOST_NODES = 50_000  # of one level; where there are more, the tokens so far are a bound as well
_MOST_TOKENS = 30


class Pieces:
    """The tokens that the lexemes of a grammar take.

    Args:
        machine: of the grammar.
        paths: the tokens in its letters.
    """

    def __init__(self, machine: LalrMachine, paths: TokenPaths) -> None:
        self._scanner, self._paths = machine.scanner, paths
        arrays = machine.scanner.arrays
        firsts = np.array([group[0] for group in machine.byte_groups])
        classes = np.frombuffer(machine.scanner.byte_classes, dtype=np.uint8)[firsts]
        # By letter; letters are more than byte classes only where columns are counted.
        following = read_rows(arrays, "scanner_next")
        self._next: NDArray[Any] = following[:, classes]
        self._entries: NDArray[Any] = read_rows(arrays, "scanner_entries")[:, classes]
        sources, letters = np.nonzero(following)
        targets = following[sources, letters].astype(np.int64)
        edges = np.unique(sources * machine.scanner.n_states + targets)
        self._sources, self._targets = np.divmod(edges, machine.scanner.n_states)
        self._distances: dict[int, Distances] = {}
        self._open: dict[tuple[int, int], int] = {}
        self._whole: dict[int, int] = {}

    def distance(self, terminal: int) -> Distances:
        """Return int16[n_states], the bytes to where a lexeme may end as a terminal; -1: never."""
        known = self._distances.get(terminal)
        if known is None:
            scanner = self._scanner
            states = map(ScannerStateId, range(scanner.n_states))
            is_end = [any(t == terminal for t, _ in scanner.ends(state)) for state in states]
            known = np.where(is_end, 0, -1).astype(np.int16)
            n_bytes = 0
            while True:
                reached = self._sources[known[self._targets] == n_bytes]
                reached = reached[known[reached] < 0]
                if not len(reached) or n_bytes >= _MOST_BYTES:
                    break
                n_bytes += 1
                known[reached] = n_bytes
            self._distances[terminal] = known
        return known

    def shortest(self, terminal: int) -> int:
        """Return how many bytes a terminal's lexemes have at least."""
        distance = self.distance(terminal)
        entered = np.unique(self._entries)
        entered = entered[distance[entered] >= 0]
        return 1 + int(distance[entered].min()) if len(entered) else 0

    def begun_inside(self, terminal: int) -> int:
        """Return how many tokens begin at least after a terminal's first byte and in its lexeme."""
        known = self._whole.get(terminal)
        if known is None:
            known = self._whole[terminal] = self._count_inside(terminal)
        return known

    def _count_inside(self, terminal: int) -> int:
        distance = self.distance(terminal)
        rows, letters = np.nonzero(self._entries)
        entered = self._entries[rows, letters].astype(np.int64)
        pairs = np.unique(entered * len(self._next[0]) + letters)
        entered, letters = np.divmod(pairs, len(self._next[0]))
        leads = distance[entered] >= 0
        entered, letters = entered[leads], letters[leads]
        if not len(entered) or distance[entered].min() < 1:
            return 0
        trie = self._paths.trie
        # The lexeme may begin after any bytes of a token.
        order = np.argsort(trie.byte_array, kind="stable")
        ordered = trie.byte_array[order]
        low, high = (np.searchsorted(ordered, letters, side) for side in ("left", "right"))
        nodes = np.concatenate([order[a:b] for a, b in zip(low, high, strict=True)]).astype(
            np.int32
        )
        states = np.repeat(entered, high - low)
        at_root = nodes == 0
        nodes, states = nodes[~at_root], states[~at_root]
        seen = np.zeros(len(distance), dtype=np.bool_)
        return self._follow(distance, seen, nodes, states, n_tokens=0)

    def to_end(self, state: ScannerStateId, terminal: int) -> int:
        """Return how many tokens at least bring an open lexeme to an end as a terminal.

        The last one may go on after it. None: it may end where it is.
        """
        n_bytes = int(self.distance(terminal)[state])
        if n_bytes < 2:
            return max(n_bytes, 0)
        key = (state, terminal)
        known = self._open.get(key)
        if known is None:
            distance = self.distance(terminal)
            seen = np.zeros(len(distance), dtype=np.bool_)
            known = self._open[key] = self._begin(distance, seen, np.array([state]), 1)
        return known

    def _begin(
        self, distance: Distances, seen: NDArray[np.bool_], states: NDArray[Any], n_tokens: int
    ) -> int:
        """Return how many tokens there are, with another one that begins in some states."""
        nodes, counts = self._paths.children(np.zeros(1, dtype=np.int32))
        nodes, states = np.tile(nodes, len(states)), np.repeat(states, counts[0])
        states = self._next[states, self._paths.trie.byte_array[nodes]]
        return self._follow(distance, seen, nodes, states, n_tokens)

    def _follow(
        self,
        distance: Distances,
        seen: NDArray[np.bool_],
        nodes: Ints,
        states: NDArray[Any],
        n_tokens: int,
    ) -> int:
        """Return how many tokens there are when the lexeme may end.

        Args:
            distance: of each state to that end.
            seen: the states in which a token has ended.
            nodes: where the token is in its trie, after a letter.
            states: of the scanner there.
            n_tokens: with this one.
        """
        trie = self._paths.trie
        ended = np.zeros(len(distance), dtype=np.bool_)
        while True:
            leads = distance[states] >= 0
            nodes, states = nodes[leads], states[leads]
            if not len(nodes):
                break
            if len(nodes) > _MOST_NODES or (distance[states] == 0).any():
                return n_tokens
            ended[states[trie.ending_array[nodes] > 0]] = True
            nodes, counts = self._paths.children(nodes)
            states = np.repeat(states, counts)
            states = self._next[states, trie.byte_array[nodes]]
        ended &= ~seen
        if not ended.any() or n_tokens >= _MOST_TOKENS:
            return n_tokens
        return self._begin(distance, seen | ended, np.flatnonzero(ended), n_tokens + 1)
