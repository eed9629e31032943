"""The masks of hypotheses whose terminals are narrowed.

A token is judged by following it, lexeme by lexeme, unless the artifact's own mask already says it:
a token in which no lexeme of a hole can begin, in a lexeme that cannot become a hole's, is as legal
as without holes. Which tokens these are depends on the scanner's state alone.

Example: inside a string, of the 128,000 tokens of llama3 a few hundred end it and go on with
letters; all others are those of the artifact's mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, NO_LINE, BoundaryId, ContextId, ScannerStateId, TerminalId
from maskc.runtime.graph import Mask
from maskc.runtime.holes.lexemes import Exits, Inside, LexemeWalks, TrieState
from maskc.runtime.holes.stepping import BEGINNING, OUTSIDE, HoleStepper, Tracks
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Ended, Hypothesis, ReadSet
from maskc.runtime.pool import PooledMask
from maskc.runtime.schema.tries import ROOT, TokenIndex, Trie
from maskc.runtime.step_budget import charge_steps, charge_vector_steps

_STEP = 4  # what ending one lexeme counts for
_FEW = 8  # nodes, from which on NumPy is quicker

# The lexemes that have ended in a token: the terminal, the node of the trie, and the column.
Trail = tuple[tuple[TerminalId, int, int], ...]

# Where a lexeme may end in a token; the stack and the open blocks before the lexeme; the masks with
# the words that were legal where it began; the lexemes before it in the token, if they matter.
_Left = tuple[Exits, Ended, "HoleMasks", Trail]


class HoleMasks:
    """Composes the masks of hypotheses whose holes have certain words."""

    def __init__(
        self,
        machine: LalrMachine,
        stepper: HoleStepper,
        tracks: Tracks,
        walks: LexemeWalks,
        index: TokenIndex,
    ) -> None:
        self._machine, self.stepper, self.tracks = machine, stepper, tracks
        self._walks, self._index, self._pool = walks, index, machine.pool
        self._classes = np.frombuffer(machine.scanner.byte_classes, dtype=np.uint8)
        self._may_leave = np.array(stepper.may_leave, dtype=np.bool_)
        self._may_be_hole = np.array(tracks.inside) > 0

    def compose(
        self,
        h: Hypothesis,
        reads: ReadSet,
        follow: Callable[[Trail], HoleMasks] | None = None,
    ) -> PooledMask:
        """Return the tokens that a hypothesis allows.

        Args:
            h: the hypothesis, whose side state is a track.
            reads: notes what was read.
            follow: returns the masks with the words that are legal after some lexemes of a token;
                by default those of the hypothesis stay.
        """
        index = self._index
        legal = unpack(self._machine.compose(h, reads).words)[index.order]
        before: Ended = (h.stack, h.indents)
        kept = np.zeros(len(legal), dtype=np.bool_)
        start = TrieState(ROOT, h.state, h.side, h.column)
        inside = self.stay(start, before, kept, reads)
        asked = legal if inside.asked is None else legal & inside.asked
        if asked.any():
            left: list[_Left] = [(exits, before, self, ()) for exits in inside.exits]
            self._leave(left, asked, kept, reads, follow)
        words = index.pack(index.order[(legal & ~asked) | (kept & asked)])
        if self.stepper.may_end(h, reads):
            words = words | self._pool.end_only.words
        return self._pool.share(words)

    def stay(
        self, start: TrieState, before: Ended, kept: NDArray[np.bool_], reads: ReadSet
    ) -> Inside:
        """Return the inside of an open lexeme; note the tokens that end there and lead on."""
        (stack, indents), stepper = before, self.stepper
        inside = self._walks.inside(start, counts=stepper.counts(stack))
        for (_, state, track, column), tokens in inside.groups:
            if stepper.is_live(Hypothesis(state, stack, indents, column, track), reads):
                kept[tokens] = True
        return inside

    def _leave(
        self,
        pending: list[_Left],
        asked: NDArray[np.bool_],
        kept: NDArray[np.bool_],
        reads: ReadSet,
        follow: Callable[[Trail], HoleMasks] | None,
    ) -> None:
        """Follow what goes on where a lexeme may end, and note the tokens that lead on.

        Exits in one state are left together: of the bytes after all of them those are followed
        with which some lexeme begins, and after a name these are few. ``asked`` and ``kept`` are
        bool[n_tokens], by text index: the tokens that are asked for, and those that lead on, which
        are written.
        """
        trie, scanner, stepper = self._index.tokens, self._machine.scanner, self.stepper
        parents, inside = trie.parent_array.data, self.tracks.inside
        n_before = np.concatenate([[0], np.cumsum(asked)])
        context = self._machine.tables.context
        entries: dict[tuple[BoundaryId, ContextId], NDArray[np.int32]] = {}
        while pending:
            (state, track, column, nodes), (stack, indents), masks, trail = pending.pop()
            charge_steps(_STEP)
            charge_vector_steps(len(nodes))
            children = list_asked(trie, n_before, nodes)
            for terminal, boundary in scanner.ends(state) if len(children) else ():
                if not masks.tracks.allows(track, terminal):
                    continue
                ended = self._machine.lexemes.end(stack, indents, terminal, column, reads)
                if ended is None:
                    continue
                key = (boundary, context[ended[0].state])
                if key not in entries:
                    any_words = follow is not None
                    entries[key] = self._enter(scanner.entry(*key), any_words=any_words)
                counts = stepper.counts(ended[0])
                charge_vector_steps(len(children))
                bytes_ = trie.byte_array[children]
                states = entries[key][bytes_]
                going_on = states != DEAD
                columns = (children, bytes_, states)
                going = [array[going_on].tolist() for array in columns]
                charge_steps(_STEP * len(going[0]))
                for child, byte, entered in zip(*going, strict=True):
                    begun, longer, moved = masks, trail, OUTSIDE
                    if follow is not None:
                        longer = (*trail, (terminal, parents[child], column))
                    if inside[entered]:
                        begun = masks if follow is None else follow(longer)
                        moved = begun.tracks.step(BEGINNING, byte, entered)
                        if not moved and not stepper.may_leave[entered]:
                            continue
                    reached = stepper.count(NO_LINE, byte, entered) if counts else NO_LINE
                    trie_state = TrieState(child, entered, moved, reached)
                    for found in begun.stay(trie_state, ended, kept, reads).exits:
                        pending.append((found, ended, begun, longer))

    def _enter(self, row: Sequence[ScannerStateId], *, any_words: bool) -> NDArray[np.int32]:
        """Return int32[256], the state after each first byte of a lexeme that can be one."""
        entered = np.array(row, dtype=np.int32)[self._classes]
        entered[~(self._may_leave | self._may_be_hole)[entered]] = DEAD
        if not any_words:
            for byte in np.flatnonzero((entered != DEAD) & ~self._may_leave[entered]).tolist():
                if self.stepper.go_on(BEGINNING, byte, ScannerStateId(int(entered[byte]))) is None:
                    entered[byte] = DEAD
        return entered


def list_asked(
    trie: Trie, n_before: NDArray[np.int64], nodes: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return int32, the children of some nodes, without what leads to no token that is asked for.

    ``n_before``, int64[n + 1], is how many of the tokens before each text index are asked for.
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
    _, children = trie.children_of(nodes[n_before[low[nodes]] < n_before[high[nodes]]])
    return children[n_before[low[children]] < n_before[high[children]]]


def unpack(words: Mask) -> NDArray[np.bool_]:
    """Return bool[n], whether each token is in a mask."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(np.bool_)
