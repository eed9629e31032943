r"""The automaton of look-behinds: which of them match at an index of the text.

One automaton reads the whole text, across lexemes, because ``re`` lets a look-behind see what
stands before the text index where matching began. At each character boundary it starts every
look-behind anew; a state is the set of their positions, and those that have just matched. One
may stand inside another, and a look-ahead inside it may reach beyond this index: a look-behind
that has matched can still owe something, as a thread does.

Example: for ``(?<!\\)`` two states matter: the last character was a backslash, or was not.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.regular.charset import ANY
from maskc.regular.nodes import Accept
from maskc.regular.threads import FREE, Matched, Obligations, ThreadStepper


@dataclass(frozen=True, slots=True)
class LookBehindState:
    """Threads ``(number, position, obligations)`` of look-behinds, and what matches here."""

    threads: frozenset[tuple[int, int, Obligations]]
    whole: int | None  # position inside the current character, None between characters
    matched: Matched  # numbers of the look-behinds that match here, with what they still owe


class LookBehindStepper:
    """Steps the states; there is but one if the NFA has no look-behind."""

    def __init__(self, threads: ThreadStepper) -> None:
        self._threads = threads
        self._behinds = threads.nfa.look_behinds
        nfa = threads.nfa
        self._any = nfa.char(ANY, nfa.add(Accept(0))) if self._behinds else -1
        self._steps: dict[tuple[LookBehindState, int], LookBehindState] = {}

    def start(self) -> LookBehindState:
        return self._at_boundary(frozenset(), 0)

    def step(self, state: LookBehindState, byte_class: int) -> LookBehindState:
        if not self._behinds:
            return state
        key = (state, byte_class)
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self._step(state, byte_class)
        return found

    def _step(self, state: LookBehindState, byte_class: int) -> LookBehindState:
        whole = state.whole
        if whole is None:
            ((whole, _),) = self._threads.enter(self._any, frozenset())
        inside = self._threads.step_thread((whole, FREE), byte_class, frozenset())
        if not inside or inside[0][0] < 0:
            return self._at_boundary(state.threads, byte_class)
        moved = {
            (number, position, left)
            for number, before, obligations in state.threads
            for position, left in self._threads.step_thread(
                (before, obligations), byte_class, frozenset()
            )
        }
        return LookBehindState(frozenset(moved), inside[0][0], frozenset())

    def _at_boundary(
        self, threads: frozenset[tuple[int, int, Obligations]], byte_class: int
    ) -> LookBehindState:
        moved: set[tuple[int, int, Obligations]] = set()
        matched: Matched = frozenset()
        for number, start in enumerate(self._behinds):  # those that stand inside it came before
            reached = set(self._threads.enter(start, matched))
            for owner, position, obligations in threads:
                if owner == number:
                    reached.update(
                        self._threads.step_thread((position, obligations), byte_class, matched)
                    )
            done = {left for position, left in reached if position < 0}
            if FREE in done:
                done = {FREE}
            matched |= {(number, left) for left in done}
            moved |= {(number, position, left) for position, left in reached if position >= 0}
        return LookBehindState(frozenset(moved), None, matched)
