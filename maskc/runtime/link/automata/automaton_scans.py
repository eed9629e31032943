"""What an automaton reads of the tries of a vocabulary, scanned once and kept.

A row that is large is not scanned again for each state: most states of an automaton differ in
little from one that was scanned before, and only where they differ is looked at.

Example: after ``a`` and after ``ab`` in ``[a-z]{1,20}`` nearly the same tokens are read.
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.automaton import START, ByteAutomaton
from maskc.runtime.link.automata.scanning import Scan, Scanner
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT, Ints, Trie

_MOST_LARGE = 4  # states that others are compared with


class AutomatonScans:
    """The scans of one automaton. Shared by all pieces that read it.

    Args:
        automaton: the automaton.
        scanner: of the vocabulary.
        index: the vocabulary.
        budget: what cached rows, and states that are made, are charged to.

    Attributes:
        automaton: the automaton.
        scanner: of the vocabulary.
        index: the vocabulary.
    """

    automaton: ByteAutomaton[Any]

    def __init__(
        self, automaton: ByteAutomaton[Any], scanner: Scanner, index: TokenIndex, budget: Budget
    ) -> None:
        self.automaton, self.scanner, self.index = automaton, scanner, index
        self._scans, self._budget = Cache(budget), budget
        automaton.charge_to(budget.charge)
        # States whose rows are large, with what they read: others differ from them in little.
        self._large: list[tuple[int, Scan]] = []

    def scan(self, at: int) -> Scan:
        """Return which tokens are read in a state."""
        found: Scan | None = self._scans.get(at)
        if found is None:
            found = self._scan(at)
            self._keep(at, found)
        return found

    def walk(self, trie: Trie, nodes: Ints) -> Scan:
        """Return what is read from some nodes of a trie on, from the beginning."""
        key = (trie is self.index.rests, nodes.tobytes())
        found: Scan | None = self._scans.get(key)
        if found is None:
            spend(len(nodes) // 8)
            found = self._walk(trie, nodes)
            self._keep(key, found)
            self._budget.charge(len(key[1]))
        return found

    def _walk(self, trie: Trie, nodes: Ints) -> Scan:
        open_ = [(node, START) for node in nodes.tolist()]
        return self.scanner.scan(self.automaton, trie, open_)

    def _scan(self, at: int) -> Scan:
        for other, known in self._large:
            found = self.scanner.scan_beside(self.automaton, at, other, known)
            if found is not None:
                return found
        found = self.scanner.scan(self.automaton, self.index.tokens, [(ROOT, at)])
        if found.part.rows and len(self._large) < _MOST_LARGE:
            self._large = [*self._large, (at, found)]
        return found

    def _keep(self, key: object, scan: Scan) -> None:
        self._scans.put(key, scan)
        self._budget.charge(scan.exits.nbytes + 4 * self.index.n_words * len(scan.part.rows))
