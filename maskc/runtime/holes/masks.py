"""Which tokens does a reading allow, where terminals are narrowed?

A token is judged by following it through the trie, unless the artifact's own mask already says it:
a token in which no lexeme of a hole can begin, in a lexeme that cannot become a hole's, is as legal
as without holes. Which tokens these are depends on the scanner's state alone.

Example: inside a string, of the 128,000 tokens of llama3 a few hundred end it and go on with
letters; all others are those of the artifact's mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.ids import ScannerStateId
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.effort import spend
from maskc.runtime.graph import Mask
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.stepping import HoleStepper, Reading
from maskc.runtime.holes.tracks import Tracks
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.schema.tokens import TokenIndex
from maskc.runtime.schema.trie import ROOT

_STEP = 4  # what following one byte counts for


class Beginnings:
    """In which tokens may a lexeme of a hole begin? For the holes of one artifact, by state.

    Args:
        machine: of the artifact.
        lexemes: of each hole.
        index: the tokens.
        budget: what cached masks are charged to.
    """

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: Sequence[TerminalLexemes],
        index: TokenIndex,
        budget: Budget,
    ) -> None:
        self._scanner, self._index, self._budget = machine.scanner, index, budget
        self._begins: NDArray[np.bool_] = np.zeros(256, dtype=np.bool_)
        for hole in lexemes:
            self._begins |= hole.first_bytes
        self._known = Cache(budget)

    def of(self, state: ScannerStateId) -> NDArray[np.bool_]:
        """Return bool[n_tokens]: of the tokens in the order of their bytes, those in which one may.

        Args:
            state: of the scanner, where the token begins.
        """
        found: NDArray[np.bool_] | None = self._known.get(state)
        if found is None:
            found = self._find(state)
            self._known.put(state, found)
            self._budget.charge(found.nbytes)
        return found

    def _find(self, state: ScannerStateId) -> NDArray[np.bool_]:
        """Follow all tokens at once, level by level, to where the open lexeme may end."""
        scanner, trie = self._scanner, self._index.tokens
        spend(len(trie.byte_array) // 128)
        classes = np.frombuffer(scanner.byte_classes, dtype=np.uint8)[trie.byte_array]
        begins, parents = self._begins[trie.byte_array], trie.parent_array
        states = np.zeros(len(trie.byte_array), dtype=np.int32)
        has_ended, has_begun = np.zeros((2, len(states)), dtype=np.bool_)
        states[ROOT] = state
        for depth in range(1, len(trie.levels) - 1):
            here = slice(trie.levels[depth], trie.levels[depth + 1])
            above = parents[here]
            before = states[above]
            for reached in np.unique(before).tolist():
                among = before == reached
                row = np.array(scanner.next(reached), dtype=np.int32)
                states[here][among] = row[classes[here][among]]
                if scanner.ends(reached):
                    has_ended[here][among] = True
            has_ended[here] |= has_ended[above]
            has_begun[here] = has_begun[above] | has_ended[here] & begins[here]
        found = np.zeros(len(trie.texts), dtype=np.bool_)
        nodes = np.flatnonzero(has_begun & (trie.ending_array > 0))
        for n in range(int(trie.ending_array[nodes].max(initial=0))):
            found[trie.low_array[nodes[trie.ending_array[nodes] > n]] + n] = True
        return found


class HoleMasks:
    """Composes the masks of readings.

    Args:
        machine: of the artifact.
        stepper: moves readings.
        tracks: of the holes.
        beginnings: of the holes.
        index: the tokens.
        pool: the distinct masks.
    """

    def __init__(
        self,
        machine: LalrMachine,
        stepper: HoleStepper,
        tracks: Tracks,
        beginnings: Beginnings,
        index: TokenIndex,
        pool: MaskPool,
    ) -> None:
        self._machine, self._stepper, self._tracks = machine, stepper, tracks
        self._beginnings, self._index, self._pool = beginnings, index, pool

    def compose(self, reading: Reading, reads: ReadSet) -> PooledMask:
        """Return the tokens that a reading allows.

        Args:
            reading: where the token begins.
            reads: notes what was read.
        """
        h, index = reading.hypothesis, self._index
        legal = _unpack(self._machine.compose(h, reads).words)[index.order]
        # Of a lexeme that may become a hole's every token is asked.
        is_inside = self._tracks.inside[h.state]
        asked = legal if is_inside else legal & self._beginnings.of(h.state)
        n_before = np.concatenate([[0], np.cumsum(asked)])
        if n_before[-1]:
            kept = self._follow(reading, n_before.data, reads)
            legal = legal & ~asked
            legal[kept] = True
        ids = index.order[legal]
        words = index.pack(ids)
        if self._stepper.may_end(reading, reads):
            words = words | self._pool.end_only.words
        return self._pool.share(words)

    def _follow(self, reading: Reading, n_before: memoryview, reads: ReadSet) -> list[int]:
        """Return the places of the tokens that some live reading remains of, among those asked for.

        Args:
            reading: where the tokens begin.
            n_before: place → how many of the tokens before it are asked for.
            reads: notes what was read.
        """
        trie, stepper = self._index.tokens, self._stepper
        classes = self._machine.scanner.byte_classes
        low, high, n_ending = trie.low, trie.high, trie.n_ending
        kept: list[int] = []
        pending: list[tuple[int, list[Reading]]] = [(ROOT, [reading])]
        while pending:
            node, here = pending.pop()
            for child, byte in trie.children(node, self._bytes_on(here)):
                if n_before[low[child]] == n_before[high[child]]:
                    continue
                spend(_STEP)
                byte_class = classes[byte]
                after = [x for r in here for x in stepper.advance(r, byte_class, byte, reads)]
                if not after:
                    continue
                if n_ending[child] and any(stepper.is_live(r, reads) for r in after):
                    kept += range(low[child], low[child] + n_ending[child])
                if trie.has_children(child):
                    pending.append((child, after))
        return [place for place in kept if n_before[place + 1] > n_before[place]]

    def _bytes_on(self, here: Sequence[Reading]) -> Iterable[int] | None:
        """Return the bytes after which a reading can remain, ``None`` if they are not known."""
        if len(here) > 1:
            return None
        h, track = here[0].hypothesis, here[0].track
        if self._stepper.may_leave[h.state] or not track:
            return None
        if any(self._tracks.allows(track, t) for t, _ in self._machine.scanner.ends(h.state)):
            return None
        return self._tracks.bytes_on(track)


def _unpack(words: Mask) -> NDArray[np.bool_]:
    """Return bool[n], whether each token is in a mask."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)
