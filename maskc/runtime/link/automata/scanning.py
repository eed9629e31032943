"""What a regular piece reads of a vocabulary, as a mask, and where it may end.

:mod:`maskc.runtime.link.automata.walk` says which texts of a trie the piece's automaton reads. Here
these become sets of tokens, which are kept.

Example: inside ``[a-z]{2,9}`` the scans after two letters and after three differ in nothing but
where the piece may end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from maskc.runtime.link.automata import START, ByteAutomaton, SortedWords
from maskc.runtime.link.automata.loop_reader import LoopReader
from maskc.runtime.link.automata.loops import Loop, Onward, ascending
from maskc.runtime.link.automata.walk import AutomatonWalk, Turn, reads_loops, walk_words
from maskc.runtime.schema.tries import ROOT, Ints, TokenIndex, Trie, Words
from maskc.runtime.schema.tries.summary import Part, bits_of
from maskc.runtime.step_budget import charge_steps

_SCAN_BYTES = 200  # of a scan with its array, before what it holds
_FEW = 48  # ids that are no row of their own


class Scan(NamedTuple):
    """What was found."""

    part: Part  # the texts that the piece reads
    # int32[n], ascending: nodes after which texts go on where the piece may end; none is where the
    # walk began. Of a scan for some bytes, at least those from which one goes on
    exits: Ints
    # labels of the automaton, each with a node after which texts go on and where the automaton's
    # state has that label
    turns: tuple[Turn, ...] = ()

    @property
    def n_bytes(self) -> int:
        """About how many bytes it takes, the rows of its part included."""
        return self.part.n_bytes + self.exits.nbytes + _SCAN_BYTES + 100 * len(self.turns)

    def by_label(self) -> dict[int, list[int]]:
        """Return label → the nodes where states have it."""
        found: dict[int, list[int]] = {}
        for label, node in self.turns:
            found.setdefault(label, []).append(node)
        return found


NO_EXITS: Ints = np.zeros(0, dtype=np.int32)
ROOT_ONLY: Ints = np.array([ROOT], dtype=np.int32)


class TrieScanner:
    """Scans the tries of a vocabulary; what is cached of them is charged to the budget."""

    def __init__(self, index: TokenIndex, budget: Budget) -> None:
        self.index, self.budget = index, budget
        self._parents: tuple[dict[int, Ints], dict[int, Ints]] = ({}, {})
        self._reader = LoopReader(index)

    def onward(self, trie: Trie, bytes_: frozenset[int] | None) -> Onward:
        return Onward(trie, bytes_, self._parents[trie is self.index.suffixes])

    def reader_of(self, loop: Loop) -> LoopReader | None:
        """Return what reads a loop at the root, ``None`` if few bytes or texts are in it."""
        return self._reader if reads_loops(self.index.tokens, loop) else None

    def scan(
        self,
        automaton: ByteAutomaton[Any],
        trie: Trie,
        nodes: Ints,
        state: int,
        bytes_: frozenset[int] | None = None,
    ) -> Scan:
        """Return what an automaton reads from some nodes of a trie on, in a state.

        What follows it begins with one of ``bytes_``; ``None``: with any.
        """
        if isinstance(automaton, SortedWords):
            return self._scan_words(automaton, trie, nodes, state)
        reader = self._reader if trie is self.index.tokens else None
        walk = AutomatonWalk(automaton, trie, reader, self.onward(trie, bytes_))
        walk.go(nodes, state)
        turns, few, exits = tuple(walk.turns), walk.few, NO_EXITS
        if walk.few_exits or walk.exits:
            listed = np.array(walk.few_exits, dtype=np.int32)
            exits = ascending(np.concatenate([listed, *(part for part in walk.exits if len(part))]))
        part = self._part(trie, few, walk.text_indices)
        if walk.rows:
            part = self.unite((part, *(Part((row,)) for row in walk.rows)))
        return Scan(part, exits, turns)

    def _scan_words(self, automaton: SortedWords, trie: Trie, nodes: Ints, state: int) -> Scan:
        left = automaton.name_of(state)
        read, whole = walk_words(automaton.words, left, trie, nodes.tolist() if left[1] else ())
        part = self._part(trie, read, [])
        if automaton.has_labels:
            return Scan(part, NO_EXITS, tuple(whole))
        return Scan(part, np.array(sorted({node for _, node in whole}), dtype=np.int32))

    def _part(self, trie: Trie, few: list[int], more: list[Ints]) -> Part:
        """Return the part of some texts, given by text index."""
        if not more and len(few) <= _FEW and trie is self.index.tokens:
            ids = self.index.ids
            return Part(few=tuple(sorted([ids[n] for n in few])))
        return self.part(trie, np.concatenate([np.array(few, dtype=np.int32), *more]))

    def part(self, trie: Trie, text_indices: Ints) -> Part:
        index = self.index
        if trie is index.suffixes:
            return Part(bits=bits_of(text_indices.tolist()))
        ids = index.order[text_indices]
        few = len(ids) <= _FEW
        return Part(few=tuple(dict.fromkeys(ids.tolist()))) if few else Part((index.pack(ids),))

    def without(self, trie: Trie, part: Part, text_indices: list[int]) -> Part:
        """Return a part without some texts of a trie, by text index."""
        if not text_indices:
            return part
        if trie is self.index.suffixes:
            kept = ~bits_of(text_indices)
            return Part(bits=part.bits & kept, to_verify=part.to_verify & kept)
        ids = self.index.order[np.array(text_indices, dtype=np.int32)]
        return Part((self.index.clear_bits(self.words(part), ids),))

    def cut(
        self,
        trie: Trie,
        nodes: Ints,
        scan: Scan,
        text_indices: Iterable[int],
        is_legal: Callable[[bytes], bool],
    ) -> Scan:
        """Return a scan from some nodes of a trie without some of its texts, given by text index.

        A text goes if what is left of it after none of the nodes is legal.
        """
        paths, removed = [trie.path(node) for node in nodes.tolist()], list[int]()
        for text_index in text_indices:
            text = trie.texts[text_index]
            lefts = {text[len(path) :] for path in paths if text.startswith(path)} - {b""}
            if lefts and not any(map(is_legal, lefts)):
                removed.append(text_index)
        return scan._replace(part=self.without(trie, scan.part, removed)) if removed else scan

    def unite(self, parts: Iterable[Part]) -> Part:
        """Return one part with the texts of several, of one trie."""
        taken = [part for part in dict.fromkeys(parts) if part.rows or part.few or part.bits]
        if len(taken) == 1:
            return taken[0]
        bits = to_verify = 0
        for part in taken:
            bits |= part.bits
            to_verify |= part.to_verify
        rows = tuple({id(row): row for part in taken for row in part.rows}.values())
        few = tuple(sorted({token for part in taken for token in part.few}))
        if len(rows) > 1:
            rows = (self.index.mix(rows, ()),)
        return Part(rows, few, bits=bits, to_verify=to_verify)

    def words(self, part: Part) -> Words:
        """Return the mask of a part's tokens: int32[ceil(vocab_size / 32)]."""
        return self.index.mix(part.rows, part.few, part.removed)


class AutomatonScans:
    """What one automaton reads of the tries of a vocabulary, scanned once and kept.

    All pieces that read the automaton share it.
    """

    automaton: ByteAutomaton[Any]

    def __init__(self, automaton: ByteAutomaton[Any], scanner: TrieScanner) -> None:
        self.automaton, self.scanner, self.index = automaton, scanner, scanner.index
        self._scans = Cache(scanner.budget, _measure)
        automaton.charge_to(scanner.budget.charge)

    def scan(self, at: int, bytes_: frozenset[int] | None = None) -> Scan:
        """Return what is read of the tokens, from a state, before one of some bytes."""
        key = at if bytes_ is None else (at, bytes_)
        return self._scans.get_or_make(key, lambda: self._scan(at, bytes_))

    def walk(self, trie: Trie, nodes: Ints) -> Scan:
        """Return what is read from some nodes of a trie on, from the beginning."""
        key = (trie is self.index.suffixes, nodes.tobytes())
        return self._scans.get_or_make(key, lambda: self._walk(trie, nodes))

    def _walk(self, trie: Trie, nodes: Ints) -> Scan:
        charge_steps(len(nodes) // 8)
        return self.scanner.scan(self.automaton, trie, nodes, START)

    def _scan(self, at: int, bytes_: frozenset[int] | None) -> Scan:
        return self.scanner.scan(self.automaton, self.index.tokens, ROOT_ONLY, at, bytes_)


def _measure(key: object, scan: Scan) -> int:
    n_bytes = len(key[1]) if isinstance(key, tuple) else 0
    return ENTRY_BYTES + n_bytes + scan.n_bytes
