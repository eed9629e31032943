"""The machine of an artifact whose terminals are narrowed.

What a token does and which are legal is cached as in :mod:`maskc.runtime.lalr.machine`, with the
track of the open lexeme beside the scanner's state; masks are numbered in the artifact's own pool.

Example: after ``FROM us`` the mask is found by the scanner's state inside a name, the track after
``us``, and the state on top of the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.effort import one_mask
from maskc.runtime.holes.beginnings import Beginnings
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.masks import HoleMasks
from maskc.runtime.holes.stepping import HoleStepper, Reading, Readings
from maskc.runtime.holes.tracks import Tracks
from maskc.runtime.holes.walks import Walks
from maskc.runtime.holes.words import bytes_of
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine, find_effect, keep_result
from maskc.runtime.lalr.newlines import COUNTED
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import pop_and_push
from maskc.runtime.lalr.stack_cache import BY_LAYOUT, StackCache
from maskc.runtime.machine import check_hypotheses
from maskc.runtime.scanner import group_bytes
from maskc.runtime.schema.tries.tokens import TokenIndex

_REMEDY = "give fewer or shorter words, or load the artifact with more steps"


class HoleMachine:
    """A :class:`maskc.runtime.machine.Machine` over an artifact's, with terminals narrowed.

    Args:
        machine: of the artifact.
        lexemes: of each hole.
        tracks: of the holes.
        beginnings: of the holes.
        index: the tokens.
        text_of: token id → its bytes, ``None`` if it writes no text.
        budget: what cached results are charged to.

    Attributes:
        machine: as given.
        tracks: of the holes.
        stepper: moves readings.
        beginnings: of the holes.
        walks: inside of lexemes.
        masks: composes masks.
        pool, byte_groups: see the interface.
    """

    def __init__(
        self,
        machine: LalrMachine,
        lexemes: tuple[TerminalLexemes, ...],
        tracks: Tracks,
        beginnings: Beginnings,
        index: TokenIndex,
        text_of: Callable[[int], bytes | None],
        budget: Budget,
    ) -> None:
        self.machine, self.tracks, self._text_of = machine, tracks, text_of
        self.beginnings = beginnings
        self.stepper = HoleStepper(machine, lexemes, tracks, budget)
        self.pool, self._budget = machine.pool, budget
        # Words tell bytes apart that the scanner does not.
        apart = {byte for automaton in tracks.automata for byte in bytes_of(automaton)}
        counted = COUNTED if machine.newlines else b""
        self.byte_groups = group_bytes(
            machine.scanner.byte_classes, apart=bytes(sorted(apart)) + counted
        )
        self.walks = Walks(self.stepper, tracks, index.tokens, budget)
        self.masks = HoleMasks(
            machine, self.stepper, tracks, beginnings, self.walks, index, self.pool
        )
        n_states = machine.tables.n_states
        self._effects = StackCache(budget, n_states)
        self._effects_by_layout = StackCache(budget, n_states)
        self._mask_of = StackCache(budget, n_states)
        self._mask_of_by_layout = StackCache(budget, n_states)

    def start(self) -> Readings:
        """Return the reading before the first byte."""
        return self.stepper.start(self.machine.start())

    def step(self, readings: Readings, text: bytes) -> Readings:
        """Return the live readings after some bytes; none: the bytes are illegal there."""
        with one_mask(self.pool.steps, _REMEDY):
            return self.stepper.step(readings, text, ReadSet(0))

    def take(self, readings: Readings, token_id: int) -> Readings:
        """Return the live readings after a token; none: it is illegal."""
        if len(readings) == 1:
            return self._take(readings[0], token_id)
        after = tuple(after for reading in readings for after in self._take(reading, token_id))
        check_hypotheses(len(after))
        return after

    def _take(self, reading: Reading, token_id: int) -> Readings:
        h = reading.hypothesis
        key = (h.state, reading.track, token_id, h.stack.state)
        effects = self._effects.find(key, h.stack)
        if effects is BY_LAYOUT:
            by_layout = (*key, h.column, h.indents)
            effects = self._effects_by_layout.find(by_layout, h.stack)
        if effects is None:
            return self._take_first(reading, token_id)
        return tuple(
            Reading(
                Hypothesis(
                    state,
                    pop_and_push(h.stack, n_popped, pushed),
                    h.indents if indents is None else indents,
                    column,
                ),
                track,
            )
            for (n_popped, pushed, state, indents, column), track in effects
        )

    def _take_first(self, reading: Reading, token_id: int) -> Readings:
        """Return the same, by following the token's bytes, and cache it."""
        text = self._text_of(token_id)
        if not text:
            return ()
        h = reading.hypothesis
        reads = ReadSet(h.stack.depth)
        with one_mask(self.pool.steps, _REMEDY):
            after = self.stepper.step((reading,), text, reads)
        effects = tuple((find_effect(h, r.hypothesis, reads.lowest), r.track) for r in after)
        self._budget.charge(ENTRY_BYTES * len(effects))
        reads.layout |= self.machine.counts_columns[h.state]
        key = (h.state, reading.track, token_id, h.stack.state)
        keep_result(self._effects, self._effects_by_layout, key, h, reads, effects)
        return after

    def may_end(self, reading: Reading) -> bool:
        """Return whether the text may end here."""
        return self.stepper.may_end(reading, ReadSet(0))

    def mask(self, reading: Reading) -> PooledMask:
        """Return the tokens that a reading allows."""
        h = reading.hypothesis
        key = (h.state, reading.track, h.stack.state)
        found: Any = self._mask_of.find(key, h.stack)
        if found is BY_LAYOUT:
            found = self._mask_of_by_layout.find((*key, h.column, h.indents), h.stack)
        return self._compose(reading) if found is None else found

    def mask_numbers(self, batch: Iterable[Readings]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [
            (
                self.mask(readings[0])
                if len(readings) == 1
                else self.pool.unite(map(self.mask, readings))
            ).number
            for readings in batch
        ]

    def _compose(self, reading: Reading) -> PooledMask:
        """Return the mask of a reading by following tokens, and cache it."""
        h = reading.hypothesis
        reads = ReadSet(h.stack.depth)
        with one_mask(self.pool.steps, _REMEDY):
            mask = self.masks.compose(reading, reads)
        reads.layout |= self.machine.counts_columns[h.state]
        key = (h.state, reading.track, h.stack.state)
        keep_result(self._mask_of, self._mask_of_by_layout, key, h, reads, mask)
        return mask

    def describe(self, reading: Reading) -> Hashable:
        """Return all that the future of a reading depends on."""
        states = self.tracks.states_of(reading.track)
        return (self.machine.describe(reading.hypothesis), states)

    def identify(self, reading: Reading) -> Hashable:
        """Return a key of a reading."""
        states = self.tracks.states_of(reading.track)
        return (self.machine.identify(reading.hypothesis), states)
