"""Which tokens does a reading allow, where terminals are narrowed?

A token is judged by following it, lexeme by lexeme, unless the artifact's own mask already says it:
a token in which no lexeme of a hole can begin, in a lexeme that cannot become a hole's, is as legal
as without holes. Which tokens these are depends on the scanner's state alone.

Example: inside a string, of the 128,000 tokens of llama3 a few hundred end it and go on with
letters; all others are those of the artifact's mask.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, NO_LINE
from maskc.runtime.cache.pool import MaskPool, PooledMask
from maskc.runtime.effort import spend
from maskc.runtime.graph import Mask
from maskc.runtime.holes.beginnings import Beginnings, Begun
from maskc.runtime.holes.stepping import HoleStepper, Reading
from maskc.runtime.holes.tracks import BEGINNING, Tracks
from maskc.runtime.holes.walks import Place, Walks
from maskc.runtime.lalr.hypothesis import Ended, Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT

_STEP = 4  # what ending one lexeme counts for


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
        """Return the tokens that a reading allows.

        Args:
            reading: where the token begins.
            reads: notes what was read.
        """
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
    ) -> Iterable[Place]:
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
        return self._beginnings.places(begun.exits, start, self._stepper, counts=counts)

    def stay(
        self, start: Place, ended: Ended, kept: NDArray[np.bool_], reads: ReadSet
    ) -> Iterable[Place]:
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
        exits: Iterable[Place],
        before: Ended,
        asked: NDArray[np.bool_],
        kept: NDArray[np.bool_],
        reads: ReadSet,
    ) -> None:
        """Follow what goes on where a lexeme may end, and note the tokens that lead on.

        Args:
            exits: where it may end.
            before: the stack and the open blocks before it.
            asked: place of a token → whether it is asked for.
            kept: place of a token → whether it leads on; written to.
            reads: notes what was read.
        """
        trie, scanner, tracks = self._index.tokens, self._machine.scanner, self._tracks
        low, high, classes = trie.low, trie.high, scanner.byte_classes
        n_before = np.concatenate([[0], np.cumsum(asked)]).data
        context, may_leave = self._machine.tables.context, self._stepper.may_leave
        pending = [(place, before) for place in exits]
        while pending:
            (node, state, track, column), (stack, indents) = pending.pop()
            if n_before[low[node]] == n_before[high[node]]:
                continue
            children = [
                (child, byte)
                for child, byte in trie.children(node, None)
                if n_before[low[child]] < n_before[high[child]]
            ]
            for terminal, boundary in scanner.ends(state):
                if not tracks.allows(track, terminal):
                    continue
                spend(_STEP + len(children))
                ended = self._machine.lexemes.end(stack, indents, terminal, column, reads)
                if ended is None:
                    continue
                row = scanner.entry(boundary, context[ended[0].state])
                counts = self._stepper.counts(ended[0])
                for child, byte in children:
                    entered = row[classes[byte]]
                    if entered == DEAD:
                        continue
                    moved = tracks.step(BEGINNING, byte, entered)
                    if not moved and not may_leave[entered]:
                        continue
                    reached = self._stepper.count(NO_LINE, byte, entered) if counts else NO_LINE
                    begun = Place(child, entered, moved, reached)
                    exits = self.stay(begun, ended, kept, reads)
                    pending += [(place, ended) for place in exits]


def unpack(words: Mask) -> NDArray[np.bool_]:
    """Return bool[n], whether each token is in a mask."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)
