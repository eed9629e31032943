"""The mask of a general grammar's hypothesis, composed once and remembered.

The artifact's decision graph is that of :mod:`maskc.runtime.masks`, with one state in the place of
all stack tops: every question goes to the set of stacks at hand. Sets that are equal are one
object, so answers and masks are remembered by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.artifact.model import MAX_QUESTIONS, NO_EVENT
from maskc.runtime.composing import Composer
from maskc.runtime.general import GeneralHypothesis, GeneralMachine
from maskc.runtime.graph import Unions
from maskc.runtime.pool import PooledMask
from maskc.runtime.room import Memory
from maskc.runtime.stacks import StackSet

_ONLY_STATE = 0

_Place = tuple[int, StackSet]  # a node, and the stacks that come to it


class GeneralMasks:
    """Masks of one artifact, shared by its matchers.

    Args:
        arrays: the artifact's sections.
        machine: its machine.
        vocab_size: number of tokens.
        eos_ids: end-of-sequence ids.
        cache_bytes: how much memory composed masks may take; see :class:`Composer`.

    Attributes:
        pool: the distinct masks.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        machine: GeneralMachine,
        vocab_size: int,
        eos_ids: tuple[int, ...],
        cache_bytes: int,
    ) -> None:
        self._machine = machine
        self._composer = Composer(arrays, machine.room, vocab_size, eos_ids, cache_bytes)
        self._masks = Memory(machine.room)  # (scanner state, stacks) → mask
        self._asked = Memory(machine.room)  # (node, stacks) → unions
        self.pool = self._composer.pool

    def mask(self, h: GeneralHypothesis) -> PooledMask:
        """Return the tokens that a hypothesis allows."""
        key = (h.state, h.stacks)
        found: PooledMask | None = self._masks.get(key)
        if found is None:
            self._composer.make_room()
            found = self._compose(h)
            self._masks.put(key, found)
        return found

    def numbers(self, batch: Iterable[tuple[GeneralHypothesis, ...]]) -> list[int]:
        """Return the number of each sequence's mask, -1 without one."""
        return [
            self.mask(hypotheses[0]).number
            if len(hypotheses) == 1
            else self.pool.unite(map(self.mask, hypotheses)).number
            for hypotheses in batch
        ]

    def _compose(self, h: GeneralHypothesis) -> PooledMask:
        unions: set[int] = set()
        for terminal, _, node in self._composer.reader.root(h.state):
            ended = h.stacks if terminal == NO_EVENT else self._machine.end(h.stacks, terminal)
            if ended is not None:
                unions |= self._ask(node, ended)
        return self._composer.compose(unions, can_finish=self._machine.is_complete(h))

    def _ask(self, node: int, stacks: StackSet) -> Unions:
        """Return what a node allows."""
        # A token may have thousands of terminals: this stack is ours, not Python's. And what was
        # remembered a moment ago may be forgotten now, so the answers are kept here, too.
        open_, answers = [(node, stacks)], dict[_Place, Unions]()
        n_left = MAX_QUESTIONS
        while open_:
            place = open_[-1]
            if place in answers:
                open_.pop()
                continue
            unions: Unions | None = self._asked.get(place)
            if unions is None:
                unions, missing = self._look_up(*place, answers)
                # Beyond that only a graph asks that maskc did not make: it is not answered.
                if missing and n_left:
                    missing = missing[:n_left]
                    n_left -= len(missing)
                    open_ += missing
                    continue
                self._asked.put(place, unions)
            answers[open_.pop()] = unions
        return answers[node, stacks]

    def _look_up(
        self, node: int, stacks: StackSet, answers: Mapping[_Place, Unions]
    ) -> tuple[Unions, list[_Place]]:
        """Return what a node allows, as far as it is known, and what is to be asked before."""
        unions, questions, trials = self._composer.reader.answer(node, _ONLY_STATE)
        for final, _, allowed in trials:
            if self._machine.leads_on(final, stacks):
                unions |= allowed
        missing = []
        for terminal, _, child in questions:
            ended = self._machine.end(stacks, terminal)
            if ended is not None:
                known = answers.get((child, ended))
                if known is None:
                    known = self._asked.get((child, ended))
                if known is None:
                    missing.append((child, ended))
                else:
                    unions |= known
        return unions, missing
