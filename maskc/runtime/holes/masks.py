"""Which tokens does a reading allow, where terminals are narrowed?

A token is judged by following it, lexeme by lexeme, unless the artifact's own mask already says it:
a token in which no lexeme of a hole can begin, in a lexeme that cannot become a hole's, is as legal
as without holes. Which tokens these are depends on the scanner's state alone.

Example: inside a string, of the 128,000 tokens of llama3 a few hundred end it and go on with
letters; all others are those of the artifact's mask.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, NO_LINE, BoundaryId, ContextId, ScannerStateId
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.effort import spend, spend_at_once
from maskc.runtime.graph import Mask
from maskc.runtime.holes.beginnings import Beginnings, Begun
from maskc.runtime.holes.stepping import HoleStepper, Reading
from maskc.runtime.holes.tracks import BEGINNING, Tracks
from maskc.runtime.holes.walks import Exits, Place, Walks
from maskc.runtime.lalr.hypothesis import Ended, Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Trie

_STEP = 4  # what ending one lexeme counts for
_FEW = 8  # nodes, from which on NumPy is quicker


class HoleMasks:
    """Composes the masks of readings.

    Args:
        machine: of the artifact.
        stepper: moves readings.
        tracks: of the holes.
        beginnings: of the holes.
        walks: inside of lexemes.
        index: the tokens.
        pool: the distinct masks.
    """

    def __init__(
        self,
        machine: LalrMachine,
        stepper: HoleStepper,
        tracks: Tracks,
        beginnings: Beginnings,
        walks: Walks,
        index: TokenIndex,
        pool: MaskPool,
    ) -> None:
        self._machine, self._stepper, self._tracks = machine, stepper, tracks
        self._beginnings, self._walks, self._index = beginnings, walks, index
        self._pool = pool

    def compose(self, reading: Reading, reads: ReadSet) -> PooledMask:
        """Return the tokens that a reading allows."""
        h, index = reading.hypothesis, self._index
        legal = unpack(self._machine.compose(h, reads).words)[index.order]
        start = Place(ROOT, h.state, reading.track, h.column)
        if self._tracks.inside[h.state]:
            # Of a lexeme that may become a hole's every token is asked.
            asked, kept = legal, np.zeros(len(legal), dtype=np.bool_)
            exits = self.stay(start, (h.stack, h.indents), kept, reads)
        else:
            begun = self._beginnings.of(h.state)
            asked, kept = legal & begun.tokens, np.zeros(len(legal), dtype=np.bool_)
            exits = self.go_out(begun, start, (h.stack, h.indents), kept, reads)
        if asked.any():
            self._leave(exits, (h.stack, h.indents), asked, kept, reads)
        words = index.pack(index.order[(legal & ~asked) | (kept & asked)])
        if self._stepper.may_end(reading, reads):
            words = words | self._pool.end_only.words
        return self._pool.share(words)

    def go_out(
        self, begun: Begun, start: Place, ended: Ended, kept: NDArray[np.bool_], reads: ReadSet
    ) -> tuple[Exits, ...]:
        """Note the tokens that stay inside of a lexeme that becomes no hole's; return its exits.

        Args:
            begun: of its state.
            start: where the lexeme is open, at the root.
            ended: the stack and the open blocks before it.
            kept: place of a token → whether it leads on; written to.
            reads: notes what was read.
        """
        (stack, indents), low = ended, self._index.tokens.low
        n_ending, counts = self._index.tokens.n_ending, self._stepper.counts(stack)
        live: dict[Hashable, bool] = {}
        for place in self._beginnings.places(begun.inside, start, self._stepper, counts=counts):
            node, state, track, column = place
            sign = self._stepper.sign(state, track, column)
            if sign not in live:
                reading = Reading(Hypothesis(state, stack, indents, column), track)
                live[sign] = self._stepper.is_live(reading, reads)
            if live[sign]:
                kept[low[node] : low[node] + n_ending[node]] = True
        return self._beginnings.exits(begun.exits, start, self._stepper, counts=counts)

    def stay(
        self, start: Place, ended: Ended, kept: NDArray[np.bool_], reads: ReadSet
    ) -> tuple[Exits, ...]:
        """Note the tokens that end inside of a lexeme and lead on; return where it may end.

        Args:
            start: where the lexeme is open.
            ended: the stack and the open blocks before it.
            kept: place of a token → whether it leads on; written to.
            reads: notes what was read.
        """
        stack, indents = ended
        inside = self._walks.inside(start, counts=self._stepper.counts(stack))
        for (_, state, track, column), tokens in inside.groups:
            reading = Reading(Hypothesis(state, stack, indents, column), track)
            if self._stepper.is_live(reading, reads):
                kept[tokens] = True
        return inside.exits

    def _leave(
        self,
        exits: tuple[Exits, ...],
        before: Ended,
        asked: NDArray[np.bool_],
        kept: NDArray[np.bool_],
        reads: ReadSet,
    ) -> None:
        """Follow what goes on where a lexeme may end, and note the tokens that lead on.

        Exits in one state are left together: of the bytes after all of them those are followed
        with which some lexeme begins, and after a name these are few.

        Args:
            exits: where it may end.
            before: the stack and the open blocks before it.
            asked: place of a token → whether it is asked for.
            kept: place of a token → whether it leads on; written to.
            reads: notes what was read.
        """
        trie, scanner, stepper = self._index.tokens, self._machine.scanner, self._stepper
        n_before = count_before(asked)
        context = self._machine.tables.context
        entries: dict[tuple[BoundaryId, ContextId], NDArray[np.int32]] = {}
        pending = [(found, before) for found in exits]
        while pending:
            (state, track, column, nodes), (stack, indents) = pending.pop()
            spend(_STEP)
            spend_at_once(len(nodes))
            children = list_asked(trie, n_before, nodes)
            for terminal, boundary in scanner.ends(state) if len(children) else ():
                if not self._tracks.allows(track, terminal):
                    continue
                ended = self._machine.lexemes.end(stack, indents, terminal, column, reads)
                if ended is None:
                    continue
                key = (boundary, context[ended[0].state])
                entered_by = entries.get(key)
                if entered_by is None:
                    entered_by = entries[key] = self._enter(scanner.entry(*key))
                counts = stepper.counts(ended[0])
                spend_at_once(len(children))
                bytes_ = trie.byte_array[children]
                going_on = entered_by[bytes_] != DEAD
                for child, byte in zip(
                    children[going_on].tolist(), bytes_[going_on].tolist(), strict=True
                ):
                    spend(_STEP)
                    entered = ScannerStateId(int(entered_by[byte]))
                    moved = self._tracks.step(BEGINNING, byte, entered)
                    reached = stepper.count(NO_LINE, byte, entered) if counts else NO_LINE
                    begun = Place(child, entered, moved, reached)
                    pending += [(found, ended) for found in self.stay(begun, ended, kept, reads)]

    def _enter(self, row: Sequence[ScannerStateId]) -> NDArray[np.int32]:
        """Return int32[256], the state after each first byte of a lexeme that can be one."""
        entered = [row[byte_class] for byte_class in self._machine.scanner.byte_classes]
        for byte, state in enumerate(entered):
            may_go_on = self._stepper.may_leave[state] or self._tracks.step(BEGINNING, byte, state)
            if not may_go_on:
                entered[byte] = DEAD
        return np.array(entered, dtype=np.int32)


def count_before(asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return int64[n + 1], how many of the tokens before each place are asked for."""
    return np.concatenate([[0], np.cumsum(asked)])


def list_asked(
    trie: Trie, n_before: NDArray[np.int64], nodes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return int32, the children of some nodes, without what leads to no token that is asked for.

    Args:
        trie: of the tokens.
        n_before: as :func:`count_before` returns it.
        nodes: of the trie.
    """
    if len(nodes) < _FEW:
        first, begin, end, before = trie.first, trie.low, trie.high, n_before.data
        found = [
            child
            for node in nodes.tolist()
            for child in range(first[node], first[node + 1])
            if before[begin[child]] < before[end[child]]
        ]
        return np.array(found, dtype=np.int32)
    low, high = trie.low_array, trie.nodes.high
    nodes = nodes[n_before[low[nodes]] < n_before[high[nodes]]]
    children = list_children(trie, nodes)
    return children[n_before[low[children]] < n_before[high[children]]]


def list_children(trie: Trie, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return int32, the children of some nodes, those of each together."""
    low = trie.first_array[nodes]
    n_children = trie.first_array[nodes + 1] - low
    ends = np.cumsum(n_children)
    begins = np.repeat(low - (ends - n_children), n_children)
    found: NDArray[np.int32] = (begins + np.arange(len(begins))).astype(np.int32)
    return found


def unpack(words: Mask) -> NDArray[np.bool_]:
    """Return bool[n], whether each token is in a mask."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)
