"""The machine of an artifact whose terminals are narrowed.

What a token does and which are legal is cached as in :mod:`maskc.runtime.lalr.machine`, with the
track of the open lexeme beside the scanner's state; masks are numbered in the artifact's own pool.

Example: after ``FROM us`` the mask is found by the scanner's state inside a name, the track after
``us``, and the state on top of the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from maskc.runtime.cache.budget import Budget
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.holes.beginnings import Beginnings
from maskc.runtime.holes.lexemes import TerminalLexemes
from maskc.runtime.holes.masks import HoleMasks
from maskc.runtime.holes.side import SideHypothesis, SideMachine, Step
from maskc.runtime.holes.stepping import HoleStepper
from maskc.runtime.holes.tracks import BEGINNING, Tracks
from maskc.runtime.holes.walks import LexemeWalks
from maskc.runtime.holes.words import bytes_of
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, pop_and_push
from maskc.runtime.lalr.machine import LalrMachine, find_effect
from maskc.runtime.lalr.newlines import COUNTED
from maskc.runtime.lalr.stack_cache import HypothesisCache, measure_effects
from maskc.runtime.machine import check_hypotheses
from maskc.runtime.scanner import group_bytes
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.step_budget import one_mask

_Known = tuple[SideHypothesis[int], ...]


class HoleMachine(SideMachine[int]):
    """An artifact's machine with terminals narrowed.

    Attributes:
        tracks: of the holes.
        masks: composes masks.
        machine, stepper, pool, byte_groups: see the base class.
    """

    stepper: HoleStepper

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
        # Words tell bytes apart that the scanner does not.
        apart = {byte for automaton in tracks.automata for byte in bytes_of(automaton)}
        counted = COUNTED if machine.newlines else b""
        groups = group_bytes(machine.scanner.byte_classes, apart=bytes(sorted(apart)) + counted)
        stepper = HoleStepper(machine, lexemes, tracks, budget)
        super().__init__(machine, stepper, text_of, groups)
        self.tracks = tracks
        walks = LexemeWalks(stepper, tracks, beginnings, index.tokens, budget)
        self.masks = HoleMasks(machine, stepper, tracks, walks, index)
        n_states = machine.tables.n_states
        self._effects = HypothesisCache(budget, n_states, measure_effects)
        self._mask_of = HypothesisCache(budget, n_states)

    def begin(self, h: Hypothesis) -> int:  # noqa: ARG002
        """Return the track before the first byte."""
        return BEGINNING

    def take(self, hypotheses: _Known, token_id: int) -> _Known:
        """Return the live hypotheses after a token; none: it is illegal."""
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after = tuple(after for known in hypotheses for after in self._take(known, token_id))
        check_hypotheses(len(after))
        return after

    def _take(self, known: SideHypothesis[int], token_id: int) -> _Known:
        h = known.hypothesis
        effects = self._effects.find((h.state, known.side, token_id, h.stack.state), h)
        if effects is None:
            return self._take_first(known, token_id)
        return tuple(
            SideHypothesis(
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

    def _take_first(self, known: SideHypothesis[int], token_id: int) -> _Known:
        """Return the same, by following the token's bytes, and cache it."""
        text = self._text_of(token_id)
        if not text:
            return ()
        h = known.hypothesis
        reads = ReadSet(h.stack.depth)
        with one_mask(self.pool.steps, self.remedy):
            after = self.stepper.step((known,), text, Step(reads))
        effects = tuple((find_effect(h, x.hypothesis, reads.lowest), x.side) for x in after)
        reads.layout |= self.machine.counts_columns[h.state]
        self._effects.keep((h.state, known.side, token_id, h.stack.state), h, reads, effects)
        return tuple(after)

    def mask(self, known: SideHypothesis[int]) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        h = known.hypothesis
        key = (h.state, known.side, h.stack.state)
        found: PooledMask | None = self._mask_of.find(key, h)
        if found is None:
            reads = ReadSet(h.stack.depth)
            with one_mask(self.pool.steps, self.remedy):
                found = self.masks.compose(known, reads)
            reads.layout |= self.machine.counts_columns[h.state]
            self._mask_of.keep(key, h, reads, found)
        return found

    def side_of(self, known: SideHypothesis[int]) -> Hashable:
        """Return the words' states, which say all about the open lexeme."""
        return self.tracks.states_of(known.side)
