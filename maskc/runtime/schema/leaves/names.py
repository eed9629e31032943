"""Which tokens are legal inside a key of an object that takes any other key, too?

Whatever stays inside is legal, as it can become a key without a name. So all such objects have the
same row, but for the tokens that end the key: what may follow the quote is one bit set for all keys
without a name, and one for each name that a token can end here. The row with the tokens that end a
key without a name is made once for that bit set, and the names are its few exceptions.

Example: with ``id`` an integer, after ``{"i`` the token ``d":"`` is illegal, and ``t":"`` is not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.schema.leaves.rows import FreeRows
from maskc.runtime.schema.scans.searching import find_names
from maskc.runtime.schema.scans.spelled import Spelled
from maskc.runtime.schema.strings.characters import CharDfa
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import TokenIndex, Words
from maskc.runtime.schema.tries.trie import Ints, Nodes

_FEW = 100


class Quote(NamedTuple):
    """The tokens below a quote.

    Attributes:
        places: of the tokens.
        rests: of each, what comes after the quote.
        arrays: both as arrays, where they are many.
    """

    places: list[int]
    rests: list[int]
    arrays: tuple[Ints, Ints] | None


class Names:
    """Rows of keys between two characters, in objects that take any other key.

    Args:
        index: the vocabulary.
        budget: where results are remembered.
    """

    def __init__(self, index: TokenIndex, budget: Budget) -> None:
        self._index = index
        self._known = Cache(budget)

    def row(self, free: FreeRows, bits: int) -> Words:
        """Return the tokens that stay inside, or end a key without a name and have some rests.

        Args:
            free: rows of strings of any characters.
            bits: rests, as a bit set.
        """
        key = (Names, id(free), bits)
        found: tuple[FreeRows, Words] | None = self._index.shared.get(key)
        if found is None:
            places = free.closers.of_rests(self._index, bits)
            words = self._index.set_bits(free.words, self._index.order[places])
            # With the rows, so that no others get their number.
            found = (free, words)
            self._index.shared.put(key, found, 4 * self._index.n_words + 500)
        return found[1]

    def part(self, free: FreeRows, bits: int, ended: tuple[tuple[Nodes, int], ...]) -> Part:
        """Return the same with some names as well, the same part for the same.

        Args:
            free: rows of strings of any characters.
            bits: rests after a key without a name, as a bit set.
            ended: for each name that some token ends, the nodes after its quotes, and the rests
                after it.
        """
        kept = tuple(pair for pair in ended if pair[1] != bits)
        key = (Part, id(free), bits, kept)
        found: tuple[FreeRows, Part] | None = self._index.shared.get(key)
        if found is None:
            words, ids = self.row(free, bits), self._index.ids
            more = [p for q, own in kept for n in q for p in self._with(n, own & ~bits)]
            less = [p for q, own in kept for n in q for p in self._with(n, bits & ~own)]
            if more:
                words = self._index.set_bits(words, [ids[place] for place in more])
            if less:
                words = self._index.clear_bits(words, [ids[place] for place in less])
            found = (free, Part((words,)))
            self._index.shared.put(key, found, 4 * self._index.n_words + 500)
        return found[1]

    def _with(self, node: int, bits: int) -> list[int]:
        return self.with_rests(self.quote(node), bits)

    def quote(self, node: int) -> Quote:
        """Return the tokens below a quote."""
        key = (Quote, node)
        found: Quote | None = self._index.shared.get(key)
        if found is None:
            places, rests = self._index.quotes_of(node)
            arrays = None
            if len(places) > _FEW:
                arrays = (np.array(places, dtype=np.int32), np.array(rests, dtype=np.int32))
            found = Quote(places, rests, arrays)
            self._index.shared.put(key, found, 500 + 80 * len(places))
        return found

    def with_rests(self, quote: Quote, bits: int) -> list[int]:
        """Return the tokens below a quote whose rests are in a bit set, by place."""
        if not bits:
            return []
        if quote.arrays is None:
            pairs = zip(quote.places, quote.rests, strict=True)
            return [place for place, rest in pairs if bits >> rest & 1]
        places, rests = quote.arrays
        raw = bits.to_bytes(-(-self._index.n_rests // 8), "little")
        allowed = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
        found: list[int] = places[np.flatnonzero(allowed[rests])].tolist()
        return found

    def ended(
        self, spelled: Spelled, number: int, dfa: CharDfa, state: int
    ) -> tuple[tuple[int, Nodes], ...]:
        """Return the names that some token ends: the label, and the nodes after its quotes.

        Words that are no keys are among them, with no label.

        Args:
            spelled: what the vocabulary writes inside a string.
            number: of the object's rule.
            dfa: of its keys: names, and a sink for all else.
            state: of it.
        """
        key = (number, state)
        found: tuple[tuple[int, Nodes], ...] | None = self._known.get(key)
        if found is None:
            found = tuple(find_names(spelled, dfa, state, dfa.sink))
            self._known.put(key, found)
        return found
