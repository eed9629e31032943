"""Which of some words does the text go on with? Words of bytes and of atoms, each with a label.

A word is a sequence of *symbols*: bytes, and tokens that are written as atoms, each as
``ATOM`` + its id. A text ends a word by turning to what the word's label stands for.

Example: of ``get_time"`` and ``get_weather"``, after ``get_`` the symbols ``t`` and ``w`` are left.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from maskc.runtime.link.automata.automaton import NO_LABEL
from maskc.runtime.link.joining.switching import SwitchAutomaton

ATOM = 256

Word = tuple[int, ...]
# Of sorted words: the first, one past the last, and the symbols that were read of each.
_Left = tuple[int, int, int]


class Markers(SwitchAutomaton[_Left]):
    """Reads one of some words; nothing else follows, so it accepts nowhere.

    Args:
        words: at least one, none empty, sorted, each once.
        labels: of each word.

    Attributes:
        words: these.
    """

    is_sparse = True

    def __init__(self, words: Sequence[Word], labels: Sequence[int]) -> None:
        self.words, self._labels = words, labels
        super().__init__((0, len(words), 0))

    def _find(self, name: _Left) -> dict[int, _Left]:
        low, high, depth = name
        words, found = self.words, dict[int, _Left]()
        if len(words[low]) == depth:
            low += 1
        while low < high:
            symbol = words[low][depth]
            end = low + 1
            # Mostly few words are left: look at the next one before searching for the last.
            if end < high and words[end][depth] == symbol:
                end = bisect_right(words, symbol, end, high, key=lambda word: word[depth])
            found[symbol] = (low, end, depth + 1)
            low = end
        return found

    def only_text(self, state: int) -> bytes:
        """Return what is left of the word up to its first atom, if there is one word only."""
        low, high, depth = self._names[state]
        if high - low != 1:
            return b""
        left = self.words[low][depth:]
        if left and max(left) >= ATOM:
            left = left[: next(n for n, symbol in enumerate(left) if symbol >= ATOM)]
        return bytes(left)

    def after_only(self, state: int, text: bytes) -> int:
        """Return the state after the text; see the base class."""
        low, high, depth = self._names[state]
        return self.state_of((low, high, depth + len(text)))

    def find_moves(self, name: _Left) -> dict[int, _Left]:
        """Return a move for each byte that some word goes on with; see the base class."""
        return {symbol: left for symbol, left in self._find(name).items() if symbol < ATOM}

    def find_atoms(self, name: _Left) -> dict[int, _Left]:
        """Return a move for each atom that some word goes on with; see the base class."""
        found = self._find(name).items()
        return {symbol - ATOM: left for symbol, left in found if symbol >= ATOM}

    def is_accepting(self, name: _Left) -> bool:  # noqa: ARG002  # what follows is a target
        """Return False."""
        return False

    def label_of(self, name: _Left) -> int:
        """Return the label of a word that ends here."""
        low, _, depth = name
        return self._labels[low] if len(self.words[low]) == depth else NO_LABEL
