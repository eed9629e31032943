"""Free text: UTF-8, without some words, up to one of some triggers.

One automaton looks for all words at once. A word that is *barred* never stands in the text; a
*trigger* ends the text as soon as it is whole, and the text turns to what the trigger's label
stands for. Where triggers end at the same byte, the one that began first counts. A trigger that
has another one inside of it may still be written to its end: after the inner one, only the rest of
a longer one is read.

Triggers are words of symbols, see :mod:`maskc.runtime.link.text.markers`; an atom stands in free
text only as a part of a trigger.

Example: with the trigger ``<f>`` and ``</x>`` barred, ``a < b <f`` is a text, ``>`` turns it to the
call of ``f``, and after ``a </x`` the byte ``>`` is illegal.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855), as in TagDispatch of XGrammar 2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from maskc.runtime.link.automata.automaton import NO_LABEL
from maskc.runtime.link.joining.switching import SwitchAutomaton
from maskc.runtime.link.text.markers import ATOM, Word

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
_CHARACTERS = tuple(
    {
        byte: after
        for low, high, after in (_LEADS if state == 0 else (_AFTER_LEAD[state],))
        for byte in range(low, high + 1)
    }
    for state in range(8)
)

# Byte → the position after it where no word is begun; equal ones are the same object.
_AFTER_ROOT = tuple((_ROOT, left, 0) for left in range(8))
_FREE = tuple(
    {byte: _AFTER_ROOT[after] for byte, after in characters.items()} for characters in _CHARACTERS
)

# The longest beginning of a word that the text ends with; what is left of a character; and 0, or
# the length that a beginning must have to be gone on with: then only a trigger that began so long
# ago is read to its end, as another one has ended inside of it, or an atom of it was written.
Position = tuple[int, int, int]


class FreeText(SwitchAutomaton[Position]):
    """Reads free text.

    Args:
        triggers: words of symbols, none empty or the beginning of another → their labels;
            ``NO_LABEL``: it turns to nothing, and stands only inside of others.
        barred: words that do not stand in the text, none empty.

    Attributes:
        triggers, barred: these.
    """

    def __init__(self, triggers: Mapping[Word, int], barred: Iterable[bytes]) -> None:
        self.triggers, self.barred = triggers, tuple(barred)
        self._children: list[dict[int, int]] = [{}]
        self._depth = [0]
        self._labels: dict[int, int] = {}  # of nodes where a trigger ends
        for word, label in triggers.items():
            self._labels[self._add(word)] = label
        self._barred = bars = {self._add(tuple(text)) for text in self.barred}
        self._fail = [_ROOT] * len(self._children)
        self._bars = [node in bars for node in range(len(self._children))]
        self._complete()
        # Whether a trigger ends there or further on, with nothing barred before its end.
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
        """Return byte → the node that a word goes on to."""
        return {s: child for s, child in self._children[node].items() if s < ATOM}

    def begun(self, node: int) -> list[int]:
        """Return the nodes of words that a text has begun, the root not included."""
        return self._chain(node, 1)

    def is_whole(self, node: int) -> bool:
        """Return whether a word ends at a node."""
        return node in self._labels or node in self._barred

    def rank(self, node: int) -> tuple[int, int]:
        """Return what counts more where several words end, and the label that it has then."""
        if node in self._barred:
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
        """Return the length of what may be gone on with after a node, 0 if it is free."""
        trigger = self._trigger(node, least)
        return least if trigger == _ROOT else self._depth[trigger] + 1

    def find_moves(self, name: Position) -> dict[int, Position]:
        """Return what each byte leads to; see the base class."""
        node, left, least = name
        characters = _CHARACTERS[left]
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
        """Return what each atom leads to; see the base class."""
        node, left, least = name
        if left:
            return {}
        return {
            symbol - ATOM: (child, 0, self._depth[child])
            for symbol, child in self._goto(node, self._bound(node, least)).items()
            if symbol >= ATOM and self._leads_on[child]
        }

    def is_accepting(self, name: Position) -> bool:
        """Return whether the text may end here."""
        node, left, least = name
        return not left and not least and self._trigger(node, 0) == _ROOT

    def label_of(self, name: Position) -> int:
        """Return the label of the trigger that is whole here."""
        node, _, least = name
        return self._labels.get(self._trigger(node, least), NO_LABEL)


def step_character(left: int, byte: int) -> int | None:
    """Return what is left of a character after a byte, ``None`` if it is no UTF-8."""
    return _CHARACTERS[left].get(byte)
