"""What is known to come at a place of the grammar's machine and a node of the chunks?

Texts that the grammar can end with are tried one after the other, the shortest and one for each
byte that may come. What such a text shows, a *witness*, holds for all tokens that lead to the place
and the node: the chunk may end, so any of them; or it goes on with a token, so those that this one
may follow. :mod:`maskc.runtime.spelling.liveness` asks.

Example: in JSON after ``{"a`` and ``"`` comes ``:`` or a blank. With the text ``: 0}`` the chunk
goes on with a token that begins with ``:``, and with `` : 0}`` it ends.

Limits: a witness has 4,096 bytes at most, and the search for a text's end 20,000 moves; what is
found in neither is looked for with all tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from maskc.runtime.ending.places.place import Place, counts_tokens
from maskc.runtime.ending.places.places import NOWHERE, Places
from maskc.runtime.spelling.cuts import LetterCuts
from maskc.runtime.spelling.opened import Opened
from maskc.runtime.spelling.pairs import Words

NO_LAST = -1  # no token of the chunk was written
_MOST_MOVES = 20_000  # of one search for the end of a text
_MOST_WITNESS = 4_096  # bytes


class Position(NamedTuple):
    """Where a text stands between two tokens.

    Attributes:
        place: number of the place of the grammar's machine.
        node: of the automaton of chunks.
        last: the last token of the chunk, or ``NO_LAST``.
        alone: see :class:`maskc.runtime.spelling.spelling.AloneTokens`.
    """

    place: int
    node: int
    last: int
    alone: int


class Witness(NamedTuple):
    """What a text shows that may come at a place and a node.

    Attributes:
        rest: the tokens of the rest of the chunk; none: the chunk ends.
    """

    rest: tuple[int, ...]


class Prospect:
    """What is known to come at a place and a node.

    Attributes:
        witnesses: found so far.
        texts: those that are still to be tried.
        may_end: whether the chunk may end here.
        words: the tokens after which some witness's rest may come.
    """

    __slots__ = ("may_end", "texts", "witnesses", "words")

    def __init__(self, texts: Iterator[bytes], n_words: int) -> None:
        self.witnesses: list[Witness] = []
        self.texts: Iterator[bytes] | None = texts
        self.may_end = False
        self.words: Words = np.zeros(n_words, dtype=np.int32)


class Prospects:
    """Finds prospects, and keeps them.

    Args:
        places: of the machine.
        spelling: how the tokenizer writes.
        cuts: where chunks end.
    """

    def __init__(self, places: Places, spelling: Opened, cuts: LetterCuts) -> None:
        self._places, self._spelling, self._cuts = places, spelling, cuts
        self._found: dict[tuple[int, int], Prospect] = {}
        # Places without a known way out → how many places there are when it is looked for again.
        self._search_again: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._found)

    def find(self, place: Place, node: int) -> Prospect:
        """Return what is known; of what was not asked for before, one text is tried."""
        key = (place.number, node)
        found = self._found.get(key)
        if found is None:
            found = Prospect(self._texts(place), self._spelling.n_words)
            self._found[key] = found
            if self._is_cut(place, node):
                found.witnesses.append(Witness(()))
                found.may_end = True
            else:
                self.try_next(found, node)
        return found

    def _is_cut(self, place: Place, node: int) -> bool:
        """Return whether a legal byte settles that the chunk ends here."""
        if self._places.link is not None and counts_tokens(place.hypotheses):
            return False
        order, places = self._cuts.order, self._places
        letters = order[self._cuts.by_letter[node, order]].tolist()
        return any(places.begin(place, (letter,))[0] != NOWHERE for letter in letters)

    def try_next(self, prospect: Prospect, node: int) -> bool:
        """Try a text more; return whether there was one."""
        if prospect.texts is None:
            return False
        found = next(prospect.texts, None)
        if found is None:
            prospect.texts = None
            return False
        rest = self._spelling.rest_of(node, found)
        if rest is not None:
            prospect.witnesses.append(Witness(rest))
            if rest:
                prospect.words = prospect.words | self._spelling.predecessors(rest[0])
            else:
                prospect.may_end = True
        return True

    def _texts(self, place: Place) -> Iterator[bytes]:
        """Yield texts that may come at a place, to the end of the text or to an atom."""
        if place.may_end:
            yield b""
        if self._places.link is not None and counts_tokens(place.hypotheses):
            # How many tokens a text takes counts, too.
            return
        text = self._way_out(place)
        if text:
            yield text
        for edge, after in self._places.edges(place):
            if isinstance(edge, int):
                yield b""
            else:
                rest = self._way_out(after)
                if rest is not None:
                    yield edge + rest

    def _way_out(self, place: Place) -> bytes | None:
        """Return a text that ends the text, up to an atom; ``None`` if none is found."""
        # What gave up is tried again when there may be twice as many hints.
        if not place.has_exit and len(self._places) >= self._search_again.get(place.number, 0):
            self._places.way_out(place, b"", _MOST_MOVES)
            self._search_again[place.number] = 2 * len(self._places)
        if not place.has_exit:
            return None
        text = bytearray()
        here: Place | None = place
        while here is not None and isinstance(here.exit, bytes):
            text += here.exit
            here = here.exit_to
            if len(text) > _MOST_WITNESS:
                return None
        return bytes(text)

    def is_witnessed(self, place: Place, at: Position) -> bool:
        """Return whether a text is known that goes on at a position."""
        prospect = self.find(place, at.node)
        n_tried = 0
        while True:
            for witness in prospect.witnesses[n_tried:]:
                n_tried += 1
                if self._shows(witness, at):
                    return True
            if not self.try_next(prospect, at.node):
                return False

    def _shows(self, witness: Witness, at: Position) -> bool:
        alone = self._spelling.alone
        if not witness.rest:
            return alone.may_end(at.alone)
        if at.last == NO_LAST:
            return True
        if at.alone == alone.CLOSED:
            return False
        words = self._spelling.predecessors(witness.rest[0])
        if not words[at.last >> 5] >> (at.last & 31) & 1:
            return False
        node = at.alone
        for token in witness.rest:
            node = alone.after(node, token)
        return alone.may_end(node)
