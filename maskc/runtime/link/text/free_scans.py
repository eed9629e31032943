"""Which tokens does free text read? All text but for those with a trigger or a barred word.

Free text without any words is scanned once for a tokenizer. With words, the tokens are the same but
for those in which a word is whole: these are found where a word's first byte stands in the trie of
the tokens, or where a word that was begun goes on from its root. They are cut out, and where a
trigger is whole the text turns.

Example: of ``<tool`` and ``_call>x`` after ``<tool``, only the second one has the whole trigger.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import NO_LABEL
from maskc.runtime.link.automata.scanning import Scan
from maskc.runtime.link.joining.joints import Joints
from maskc.runtime.link.joining.switching import Switch
from maskc.runtime.link.text.free_text import FreeText, step_character
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.trie import ROOT, Ints

_Whole = tuple[int, int]  # a node of the trie, and one of the words' trie


class FreeSwitch(Switch):
    """What is known of free text with some words.

    Args:
        automaton: with the words.
        plain: free text without words.
        joints: of the tokenizer.
        budget: what cached rows are charged to.
    """

    def __init__(self, automaton: FreeText, plain: Switch, joints: Joints, budget: Budget) -> None:
        super().__init__(automaton, joints, budget)
        self._text, self._plain = automaton, plain
        self._inside: list[_Whole] | None = None

    def _scan(self, at: int) -> Scan:
        _, left, least = self._text.name_of(at)
        if least or self._text.is_nested or self._text.label(at) != NO_LABEL:
            return super()._scan(at)
        plain = self._plain.scan(self._plain.automaton.state_of((0, left, 0)))
        return self._cut(plain, self.find_whole(at), left)

    def find_whole(self, at: int) -> list[tuple[int, int]]:
        """Return where words are whole that begin inside of a token, or had begun in a state.

        Returns:
            Nodes of the trie of the tokens, each with the node of the word.
        """
        if self._inside is None:
            self._inside = self._find_inside()
        begun: list[_Whole] = []
        for back in self._text.begun(self._text.name_of(at)[0]):
            self._follow(ROOT, back, begun)
        return [*self._inside, *begun]

    def _find_inside(self) -> list[_Whole]:
        """Return where words that begin inside of a token are whole."""
        trie, found = self.joints.index.tokens, list[_Whole]()
        for byte, child in self._text.children(0).items():
            nodes = np.flatnonzero(trie.byte_array == byte)
            for node in nodes[nodes > ROOT].tolist():
                self._add(node, child, found)
        return found

    def _follow(self, node: int, word: int, found: list[_Whole]) -> None:
        """Add where words are whole that go on from a node."""
        trie = self.joints.index.tokens
        for byte, child in self._text.children(word).items():
            after = trie.child(node, byte)
            if after >= 0:
                self._add(after, child, found)

    def _add(self, node: int, word: int, found: list[_Whole]) -> None:
        if self._text.is_whole(word):
            found.append((node, word))
        else:
            self._follow(node, word, found)

    def _cut(self, plain: Scan, whole: list[_Whole], left: int) -> Scan:
        """Return a scan without what follows whole words, and with turns where triggers are."""
        index = self.joints.index
        trie = index.tokens
        # A barred word counts before a trigger, and of triggers the one that began first.
        ended: dict[int, tuple[int, int]] = {}
        for node, word in whole:
            ended[node] = max(ended.get(node, (0, NO_LABEL)), self._text.rank(word))
        exits, part = plain.exits, plain.part
        turns, places = list[tuple[int, int]](), list[range]()
        highest = self._highest(ended)
        for node in highest:
            label = ended[node][1]
            low, high = trie.low[node], trie.high[node]
            # A token that ends with a trigger stays.
            places.append(range(low + (trie.n_ending[node] if label != NO_LABEL else 0), high))
            # Characters are whole up to a turn.
            if label != NO_LABEL and trie.has_children(node) and self._reads(node, left):
                turns.append((label, node))
        gone = [place for stretch in places for place in stretch]
        if gone:
            words = self.joints.scanner.words(part)
            part = Part((index.clear_bits(words, index.order[gone]),))
            exits = self._leave_out(exits, highest)
        return Scan(part, exits, tuple(sorted(turns)))

    def _highest(self, nodes: Iterable[int]) -> list[int]:
        """Return those of some nodes that are below no other one of them, by their texts."""
        trie, found, end = self.joints.index.tokens, list[int](), 0
        for node in sorted(nodes, key=lambda node: (trie.low[node], -trie.high[node], node)):
            if trie.low[node] >= end:
                found.append(node)
                end = trie.high[node]
        return found

    def _leave_out(self, exits: Ints, nodes: list[int]) -> Ints:
        """Return exits without those at and below some nodes, none below another one."""
        first, gone = self.joints.index.tokens.first, list[tuple[int, int]]()
        for node in nodes:
            # What is below a node is consecutive on each level.
            low, high = node, node + 1
            while low < high:
                gone.append((low, high))
                low, high = first[low], first[high]
        gone.sort()
        starts = np.searchsorted(exits, [low for low, _ in gone]).tolist()
        stops = np.searchsorted(exits, [high for _, high in gone]).tolist()
        kept = zip([0, *stops], [*starts, len(exits)], strict=True)
        return np.concatenate([exits[start:stop] for start, stop in kept])

    def _reads(self, node: int, left: int) -> bool:
        """Return whether the bytes that lead to a node are characters."""
        state: int | None = left
        for byte in self.joints.index.tokens.path(node):
            if state is not None:
                state = step_character(state, byte)
        return state == 0
