r"""Which look-behinds match at this place of the text?

One automaton reads the whole text, across lexemes, because ``re`` lets a look-behind see what
stands before the place where matching began. At each character boundary it starts every
look-behind anew; a state is the set of their positions, and those that have just matched.

Example: for ``(?<!\\)`` two states matter: the last character was a backslash, or was not.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.automata.charset import ANY
from maskc.automata.nfa import Accept
from maskc.automata.threads import FREE, Matched, ThreadStepper


@dataclass(frozen=True, slots=True)
class History:
    """A state: threads of look-behinds as ``(number, position)``, and what matches here.

    Attributes:
        threads: look-behinds under way.
        whole: position inside the current character, ``None`` between characters.
        matched: numbers of the look-behinds that match here.
    """

    threads: frozenset[tuple[int, int]]
    whole: int | None
    matched: Matched


class HistoryStepper:
    """Steps histories; constant if the NFA has no look-behind."""

    def __init__(self, threads: ThreadStepper) -> None:
        self._threads = threads
        self._behinds = threads.nfa.behinds
        nfa = threads.nfa
        self._any = nfa.char(ANY, nfa.add(Accept(0))) if self._behinds else -1
        self._steps: dict[tuple[History, int], History] = {}

    def start(self) -> History:
        """Return the history at the start of the text."""
        return self._at_boundary(set())

    def step(self, history: History, byte_class: int) -> History:
        """Return the history one byte later."""
        if not self._behinds:
            return history
        key = (history, byte_class)
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self._step(history, byte_class)
        return found

    def _step(self, history: History, byte_class: int) -> History:
        moved: set[tuple[int, int]] = set()
        for number, position in history.threads:
            if position >= 0:
                for found, _ in self._threads.step_thread(
                    (position, FREE), byte_class, frozenset()
                ):
                    moved.add((number, found if found >= 0 else -1))
        whole = history.whole
        if whole is None:
            ((whole, _),) = self._threads.enter(self._any, frozenset())
        inside = self._threads.step_thread((whole, FREE), byte_class, frozenset())
        if inside and inside[0][0] >= 0:
            return History(frozenset(moved), inside[0][0], frozenset())
        return self._at_boundary(moved)

    def _at_boundary(self, moved: set[tuple[int, int]]) -> History:
        for number, start in enumerate(self._behinds):
            for position, _ in self._threads.enter(start, frozenset()):
                moved.add((number, position if position >= 0 else -1))
        matched = frozenset(number for number, position in moved if position < 0)
        return History(frozenset(t for t in moved if t[1] >= 0), None, matched)
