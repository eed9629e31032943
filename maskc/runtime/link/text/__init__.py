"""Free text: UTF-8, without some words, up to one of some triggers.

One automaton looks for all words at once. A word that is *forbidden* never stands in the text; a
*trigger* ends the text as soon as it is whole, and the text turns to what the trigger's label
stands for. Where triggers end at the same byte, the one that began first counts. A trigger that
has another one inside of it may still be written to its end: after the inner one, only the rest of
a longer one is read.

Triggers are words of symbols, see :mod:`maskc.runtime.link.joining.pieces`; an atom stands in
free text only as a part of a trigger.

Free text without any words is scanned once for a tokenizer. With words, the tokens are the same but
for those in which a word is whole: these are found where a word's first byte stands in the trie of
the tokens, or where a word that was begun goes on from its root. They are cut out, and where a
trigger is whole the text turns.

Example: with the trigger ``<f>`` and ``</x>`` forbidden, ``a < b <f`` is a text, ``>`` turns it to
the call of ``f``, and after ``a </x`` the byte ``>`` is illegal. Of the tokens ``<f`` and ``f>x``
after ``<``, only the second one has the whole trigger.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855), as in TagDispatch of XGrammar 2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from maskc.runtime.link.automata import ATOM, NO_LABEL, ByteAutomaton
from maskc.runtime.link.automata.scanning import AutomatonScans, Scan
from maskc.runtime.link.joining.pieces import Word
from maskc.runtime.schema.tries import ROOT, Ints

_ROOT = 0

# What is left of a character: state → low and high of the next byte, and the state after it.
_AFTER_LEAD = {
    1: (0x80, 0xBF, 0),
    2: (0x80, 0xBF, 1),
    3: (0x80, 0xBF, 2),
    4: (0xA0, 0xBF, 1),
    5: (0x80, 0x9F, 1),
    6: (0x90, 0xBF, 2),
    7: (0x80, 0x8F, 2),
}
_LEADS = (
    (0x00, 0x7F, 0),
    (0xC2, 0xDF, 1),
    (0xE0, 0xE0, 4),
    (0xE1, 0xEC, 2),
    (0xED, 0xED, 5),
    (0xEE, 0xEF, 2),
    (0xF0, 0xF0, 6),
    (0xF1, 0xF3, 3),
    (0xF4, 0xF4, 7),
)
CHARACTERS = tuple(
    {
        byte: after
        for low, high, after in (_LEADS if state == 0 else (_AFTER_LEAD[state],))
        for byte in range(low, high + 1)
    }
    for state in range(8)
)

# Of each state, how many bytes a character lacks.
MISSING = (0, 1, 2, 3, 2, 2, 3, 3)

# Byte → the position after it where no word is begun; equal ones are the same object.
_AFTER_ROOT = tuple((_ROOT, left, 0) for left in range(8))
_FREE = tuple(
    {byte: _AFTER_ROOT[after] for byte, after in characters.items()} for characters in CHARACTERS
)

# The longest beginning of a word that the text ends with; what is left of a character; and 0, or
# the length that a beginning must have to be gone on with: then only a trigger that began so long
# ago is read to its end, as another one has ended inside of it, or an atom of it was written.
Position = tuple[int, int, int]


class FreeWords(NamedTuple):
    """Words that free text is looked through for, each list sorted, no word empty."""

    triggers: tuple[Word, ...] = ()  # that the text turns at; a trigger's number is its label
    # that it turns to nothing at, and that stand only inside of triggers. None of these or of the
    # triggers is the beginning of another
    unused: tuple[Word, ...] = ()
    forbidden: tuple[bytes, ...] = ()  # those that do not stand in the text


class FreeText(ByteAutomaton[Position]):
    """Reads free text up to a trigger."""

    has_labels = True

    def __init__(self, words: FreeWords) -> None:
        self.words = words
        self._children: list[dict[int, int]] = [{}]
        self._depth = [0]
        self._labels: dict[int, int] = {}  # of nodes where a trigger ends
        for label, word in enumerate(words.triggers):
            self._labels[self._add(word)] = label
        for word in words.unused:
            self._labels[self._add(word)] = NO_LABEL
        self._forbidden = bars = {self._add(tuple(text)) for text in words.forbidden}
        self._fail = [_ROOT] * len(self._children)
        self._bars = [node in bars for node in range(len(self._children))]
        self._complete()
        # Whether a trigger ends there or further on, with nothing forbidden before its end.
        self._leads_on = [False] * len(self._children)
        for node in reversed(range(len(self._children))):
            self._leads_on[node] = not self._bars[node] and (
                self._labels.get(node, NO_LABEL) != NO_LABEL
                or any(self._leads_on[child] for child in self._children[node].values())
            )
        super().__init__((_ROOT, 0, 0))

    @property
    def is_nested(self) -> bool:
        """Whether a trigger may have another one, or an unused one, inside of it."""
        return any(
            self._goto(node, self._bound(node, 0))
            for node in range(1, len(self._children))
            if self._bound(node, 0)
        )

    def children(self, node: int) -> dict[int, int]:
        return {s: child for s, child in self._children[node].items() if s < ATOM}

    def begun(self, node: int) -> list[int]:
        """Return the nodes of words that a text has begun, the root not included."""
        return self._chain(node, 1)

    def is_whole(self, node: int) -> bool:
        return node in self._labels or node in self._forbidden

    def rank(self, node: int) -> tuple[int, int]:
        """Return what counts more where several words end, and the label that it has then."""
        if node in self._forbidden:
            return sys.maxsize, NO_LABEL
        return self._depth[node], self._labels.get(node, NO_LABEL)

    def _add(self, word: Word) -> int:
        here = _ROOT
        for symbol in word:
            after = self._children[here].get(symbol)
            if after is None:
                after = self._children[here][symbol] = len(self._children)
                self._children.append({})
                self._depth.append(self._depth[here] + 1)
            here = after
        return here

    def _complete(self) -> None:
        """Find, of each node that bytes lead to, the longest other node that its text ends with."""
        open_ = [_ROOT]
        for here in open_:
            for symbol, child in self._children[here].items():
                if symbol >= ATOM:
                    continue
                open_.append(child)
                if here != _ROOT:
                    back = self._fail[here]
                    while back != _ROOT and symbol not in self._children[back]:
                        back = self._fail[back]
                    self._fail[child] = back = self._children[back].get(symbol, _ROOT)
                    self._bars[child] = self._bars[child] or self._bars[back]

    def _chain(self, node: int, least: int) -> list[int]:
        """Return a node and the shorter ones that its text ends with, down to a length."""
        found = []
        while self._depth[node] >= least:
            found.append(node)
            if node == _ROOT:
                break
            node = self._fail[node]
        return found

    def _trigger(self, node: int, least: int) -> int:
        """Return the node of the longest trigger that is whole here, ``_ROOT`` for none."""
        return next((n for n in self._chain(node, least) if n in self._labels), _ROOT)

    def _goto(self, node: int, least: int) -> dict[int, int]:
        """Return symbol → the node of the longest beginning that goes on with it."""
        goto: dict[int, int] = {}
        for back in self._chain(node, least):
            for symbol, child in self._children[back].items():
                goto.setdefault(symbol, child)
        return goto

    def _bound(self, node: int, least: int) -> int:
        """Return the length of the trigger that may go on after a node; 0: any."""
        trigger = self._trigger(node, least)
        return least if trigger == _ROOT else self._depth[trigger] + 1

    def find_moves(self, name: Position) -> dict[int, Position]:
        node, left, least = name
        characters = CHARACTERS[left]
        least = self._bound(node, least)
        goto = self._goto(node, least)
        if least:
            return {
                byte: (child, after, least + 1)
                for byte, child in goto.items()
                if self._leads_on[child] and (after := characters.get(byte)) is not None
            }
        moves: dict[int, Position] = dict(_FREE[left])
        for byte, child in goto.items():
            if byte not in characters:
                continue
            if self._bars[child] or not self._is_live(child):
                del moves[byte]
            else:
                moves[byte] = (child, characters[byte], 0)
        return moves

    def _is_live(self, node: int) -> bool:
        """Return whether free text that leads to a node goes on, or turns."""
        trigger = self._trigger(node, 0)
        if self._labels.get(trigger, 0) != NO_LABEL:
            return True
        after = self._goto(node, self._depth[trigger] + 1).values()
        return any(self._leads_on[child] for child in after)

    def find_atoms(self, name: Position) -> dict[int, Position]:
        node, left, least = name
        if left:
            return {}
        return {
            symbol - ATOM: (child, 0, self._depth[child])
            for symbol, child in self._goto(node, self._bound(node, least)).items()
            if symbol >= ATOM and self._leads_on[child]
        }

    def is_accepting(self, name: Position) -> bool:
        node, left, least = name
        return not left and not least and self._trigger(node, 0) == _ROOT

    def label_of(self, name: Position) -> int:
        node, _, least = name
        return self._labels.get(self._trigger(node, least), NO_LABEL)


_Whole = tuple[int, int]  # a node of the trie of the tokens, and one of the words' trie


class FreeScans(AutomatonScans):
    """What is known of free text with some words; ``plain`` is free text without words."""

    def __init__(self, automaton: FreeText, plain: AutomatonScans) -> None:
        super().__init__(automaton, plain.scanner)
        self._text, self._plain = automaton, plain
        self._inside: list[_Whole] | None = None

    def _scan(self, at: int, bytes_: frozenset[int] | None) -> Scan:
        _, left, least = self._text.name_of(at)
        if least or self._text.is_nested or self._text.label(at) != NO_LABEL:
            return super()._scan(at, bytes_)
        plain = self._plain.scan(self._plain.automaton.state_of((0, left, 0)), bytes_)
        return self._cut(plain, self.find_whole(at), left)

    def find_whole(self, at: int) -> list[_Whole]:
        """Return where words are whole that begin inside of a token, or had begun in a state."""
        if self._inside is None:
            self._inside = self._find_inside()
        begun: list[_Whole] = []
        for back in self._text.begun(self._text.name_of(at)[0]):
            self._follow(ROOT, back, begun)
        return [*self._inside, *begun]

    def _find_inside(self) -> list[_Whole]:
        trie, found = self.index.tokens, list[_Whole]()
        for byte, child in self._text.children(0).items():
            nodes = np.flatnonzero(trie.byte_array == byte)
            for node in nodes[nodes > ROOT].tolist():
                self._add(node, child, found)
        return found

    def _follow(self, node: int, word: int, found: list[_Whole]) -> None:
        trie = self.index.tokens
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
        trie = self.index.tokens
        # A forbidden word counts before a trigger, and of triggers the one that began first.
        ended: dict[int, tuple[int, int]] = {}
        for node, word in whole:
            ended[node] = max(ended.get(node, (0, NO_LABEL)), self._text.rank(word))
        exits, part = plain.exits, plain.part
        turns, cut = list[tuple[int, int]](), list[range]()
        highest = self._highest(ended)
        for node in highest:
            label = ended[node][1]
            low, high = trie.low[node], trie.high[node]
            # A token that ends with a trigger stays.
            cut.append(range(low + (trie.n_ending[node] if label != NO_LABEL else 0), high))
            # Characters are whole up to a turn.
            if label != NO_LABEL and trie.has_children(node) and self._reads(node, left):
                turns.append((label, node))
        removed = [n for stretch in cut for n in stretch]
        if removed:
            part = self.scanner.without(trie, part, removed)
            exits = self._leave_out(exits, highest)
        return Scan(part, exits, tuple(sorted(turns)))

    def _highest(self, nodes: Iterable[int]) -> list[int]:
        """Return those of some nodes that are below no other one of them, by their texts."""
        trie, found, end = self.index.tokens, list[int](), 0
        for node in sorted(nodes, key=lambda node: (trie.low[node], -trie.high[node], node)):
            if trie.low[node] >= end:
                found.append(node)
                end = trie.high[node]
        return found

    def _leave_out(self, exits: Ints, nodes: list[int]) -> Ints:
        """Return exits without those at and below some nodes, none below another one."""
        first, removed = self.index.tokens.first, list[tuple[int, int]]()
        for node in nodes:
            # What is below a node is consecutive on each level.
            low, high = node, node + 1
            while low < high:
                removed.append((low, high))
                low, high = first[low], first[high]
        removed.sort()
        # With numbers of another type, NumPy would copy all exits first.
        starts, stops = np.searchsorted(exits, np.array(removed, dtype=np.int32)).T.tolist()
        kept = zip([0, *stops], [*starts, len(exits)], strict=True)
        return np.concatenate([exits[start:stop] for start, stop in kept])

    def _reads(self, node: int, left: int) -> bool:
        state: int | None = left
        for byte in self.index.tokens.path(node):
            if state is not None:
                state = CHARACTERS[state].get(byte)
        return state == 0
