"""After which tokens can a text be finished within so many tokens?

A text is finished by tokens that lead to where it may end, and an end of sequence. Of each place
(:mod:`maskc.runtime.ending.places`) a number of tokens is remembered that finish it, and a number
that do not suffice. With ``n`` tokens left, a token is legal iff ``n - 1`` finish the place that it
leads to:

- *known to suffice*: the way out, written in as few tokens as write it, has no more;
- *known not to*: a search over all tokens, breadth first, that did not come to an end in so many;
- between the two, the search is made now. What it may look at is bounded. If that is not enough,
  the token is left out, and the mask says that it may lack tokens.

So there is no dead end, whatever is left out: the first token of what is known to suffice leads to
where the rest is known to suffice.

Example: JSON after ``[[1`` with 2 tokens left allows ``]]`` and not ``]``, which would leave one
more bracket for the place of the end.

Source: TruncProof (arXiv 2605.13076) bounds the tokens to the end from above; what is searched for
here is their least number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.errors import TokensLeftError
from maskc.runtime.ending.bounds import Bounds
from maskc.runtime.ending.paths import TokenPaths
from maskc.runtime.ending.picking import Picking
from maskc.runtime.ending.places import (
    FAR,
    MOST_SEARCHED,
    Place,
    Places,
    TooMuchError,
    depth_of,
)
from maskc.runtime.ending.reach import Reach, find_reach
from maskc.runtime.ending.searching import Search
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.machine import Hypotheses, Machine

MOST_LOOKED_AT = 300_000  # nodes of the trie, for one mask
MOST_NODES = 2_000_000  # the same where they are followed together
_MOST_MOVES = 300_000  # of searches for ways out, for one mask
_PLACE_NODES = 150  # nodes of the trie that take as long as a new place
ENDING_BYTES = 64 * 1024 * 1024  # that may be remembered, where nothing else is asked for
_MOST_MASKS = 1_000
_MOST_SINGLY = 2_000  # tokens that are looked at one by one
# Estimated sizes of CPython objects.
_PLACE_BYTES = 1_500
_LETTER_BYTES = 6  # of a place, for each letter: its row of the table, which grows by doubling
_REACH_BYTES = 1_000
_TOKEN_BYTES = 8  # of a reach


class BudgetMask(NamedTuple):
    """The tokens that leave enough.

    Attributes:
        words: int32[ceil(vocab_size / 32)], not to be written to.
        is_exact: whether all such tokens are in it; else some may be missing.
    """

    words: NDArray[np.int32]
    is_exact: bool


class Completion(NamedTuple):
    """Tokens that finish a text.

    Attributes:
        tokens: their ids, the end of sequence last.
        is_shortest: whether it is proven that fewer tokens do not.
    """

    tokens: list[int]
    is_shortest: bool


class Endings:
    """What is known of the ends of one machine's texts. Safe to use from any thread.

    Args:
        machine: the machine.
        text_of: token id → its bytes, ``None`` for one without any.
        vocab_size: number of tokens.
        ends: end-of-sequence ids.
        most_bytes: that may be remembered, about.
    """

    def __init__(
        self,
        machine: Machine[Any],
        text_of: Callable[[int], bytes | None],
        vocab_size: int,
        ends: frozenset[int],
        most_bytes: int = ENDING_BYTES,
    ) -> None:
        self._most_bytes = most_bytes
        self._machine, self._ends = machine, ends
        self._paths = TokenPaths(text_of, vocab_size, machine.byte_groups, ends)
        self._bounds: Bounds | None = None
        self._searching: Search | None = None
        if isinstance(machine, LalrMachine):
            self._bounds = Bounds(machine, self._paths)
            self._searching = Search(self._bounds)
        self._places = Places(machine, self._paths, self._bounds)
        self._text_of, self._vocab_size = text_of, vocab_size
        self._picking: Picking | None = None
        self._masks: dict[tuple[int, int], BudgetMask | None] = {}
        self._undecided: dict[tuple[int, int], None] = {}
        self._n_reached = 0
        self._left = self._moves_left = 0
        self._lock = threading.RLock()

    def place(self, hypotheses: Hypotheses, before: Place | None) -> Place:
        """Return the place of some hypotheses.

        Args:
            hypotheses: of the machine.
            before: where the text was when it was last asked about: what was known to suffice
                then is not forgotten.
        """
        # Most places were found before: they are looked up without the lock.
        known = self._places.known(hypotheses)
        if known is not None and (known.n_tokens < FAR or known.plain_from < FAR):
            return known
        with self._lock:
            self._make_room()
            found = self._places.find(hypotheses)
            if before is not None and before.reach is not None and found.n_tokens == FAR:
                for after in before.reach.places:
                    if after.key == found.key and after.n_tokens < FAR:
                        return self._places.keep(after)
            return found

    def mask(self, place: Place, tokens_left: int) -> BudgetMask | None:
        """Return the tokens that leave enough of a budget; ``None``: all that are legal.

        Raises:
            TokensLeftError: no way is known to finish the text in so many tokens.
        """
        if tokens_left >= place.plain_from:
            return None
        with self._lock:
            place = self._places.current(place)
            key = (place.number, tokens_left)
            found = self._masks.get(key)
            if found is None:
                self._measure(place)
                if tokens_left < place.plain_from:
                    found = self._masks[key] = self._find(place, tokens_left)
            return found

    def completion(self, place: Place) -> Completion:
        """Return as few tokens as are known to finish the text.

        Raises:
            TokensLeftError: none are known.
        """
        with self._lock:
            place = self._places.current(place)
            self._survey(place)
            while place.n_tokens > self._places.at_least(place):
                before = place.n_tokens
                if not self._settle_all([place], before - 1) or place.n_tokens == before:
                    break
            is_shortest = place.n_tokens == self._places.at_least(place)
            if place.n_tokens == FAR:
                raise TokensLeftError(None, 0)
            tokens: list[int] = []
            here: Place | None = place
            while here is not None:
                tokens.append(self._end_of(here) if here.token is None else here.token)
                here = here.after
            return Completion(tokens, is_shortest)

    def _end_of(self, place: Place) -> int:
        """Return the smallest end-of-sequence token that is legal in a place."""
        words = self._plain(place)
        return min(e for e in self._ends if words[e >> 5] >> (e & 31) & 1)

    def _find(self, place: Place, tokens_left: int) -> BudgetMask | None:
        """Return the tokens that leave enough; ``None``: all that are legal."""
        if self._places.n_closing(place) is not None:
            self._moves_left = _MOST_MOVES
            self._settle(place, b"")
        if tokens_left < self._places.enough(place, 0):
            self._survey(place)
            if tokens_left >= place.plain_from:
                return None
            if not place.is_vast:
                return self._find_around(place, self._reach(place), tokens_left)
        return self._find_singly(place, tokens_left)

    def _find_around(self, place: Place, reach: Reach, tokens_left: int) -> BudgetMask:
        """Return the same by the places that the tokens lead to."""
        is_exact = self._settle_all(reach.places, tokens_left - 1)
        fits = np.array([after.n_tokens < tokens_left for after in reach.places], dtype=np.bool_)
        words = reach.pack(fits, self._machine.pool.n_words)
        if place.may_end and tokens_left:
            words |= self._plain(place) & self._machine.pool.end_only.words
        return _finish(words, place, tokens_left, is_exact=is_exact)

    def _find_singly(self, place: Place, tokens_left: int) -> BudgetMask | None:
        """Return the same, token by token where it is not known of all."""
        if self._picking is None:
            self._picking = Picking(self._text_of, self._vocab_size, self._ends)
        self._moves_left = _MOST_MOVES
        self._settle(place, b"")
        plain, n_openings = self._plain(place), -1
        while self._places.enough(place, n_openings + 1) <= tokens_left:
            n_openings += 1
        legal = plain & ~self._machine.pool.end_only.words
        n_closing = self._places.n_closing(place)
        words, others = self._picking.split(legal, n_openings, n_closing)
        is_all = n_openings >= 0 and len(others) <= _MOST_SINGLY
        asked = others if is_all else self._picking.list_closing(plain)
        after = {}
        for token_id in asked:
            taken = self._machine.take(place.hypotheses, token_id)
            if taken:
                after[token_id] = self._places.find(taken)
                self._settle(after[token_id], b"")
        is_known = self._settle_all(list(dict.fromkeys(after.values())), tokens_left - 1)
        fitting = [t for t, place_after in after.items() if place_after.n_tokens < tokens_left]
        if place.token is not None and place.n_tokens <= tokens_left:
            fitting.append(place.token)
        for token_id in fitting:
            words[token_id >> 5] |= np.array(1 << (token_id & 31), dtype=np.uint32).view(np.int32)
        if place.may_end and tokens_left:
            words |= plain & self._machine.pool.end_only.words
        if is_all and is_known and np.array_equal(words, plain):
            place.plain_from = min(place.plain_from, tokens_left)
            return None
        return _finish(words, place, tokens_left, is_exact=is_all and is_known)

    def _plain(self, place: Place) -> NDArray[np.int32]:
        """Return the tokens that are legal in a place."""
        return self._machine.pool.unite(map(self._machine.mask, place.hypotheses)).words

    def _measure(self, place: Place) -> None:
        """Find with how many tokens left all tokens leave enough, as far as that is said."""
        if not place.is_measured:
            place.is_measured = True
            if self._places.n_closing(place) is None:
                place.plain_from = min(place.plain_from, self._places.enough(place))

    def _survey(self, place: Place) -> None:
        """Look where the tokens of a place lead, and find ways to finish each of these places."""
        if place.is_surveyed:
            return
        place.is_surveyed = True
        self._moves_left = _MOST_MOVES
        self._settle(place, b"")
        try:
            reach = self._reach(place)
        except TooMuchError:
            place.is_vast = True
            return
        nearby = self._places.text_out(place)
        # What little is open teaches how more is closed.
        for after in sorted(reach.places, key=lambda other: depth_of(other.hypotheses)):
            self._settle(after, nearby)
        self._improve(place, reach)
        most = max((after.n_tokens for after in reach.places), default=0)
        if most < FAR:
            place.plain_from = min(place.plain_from, 1 + most)

    def _improve(self, place: Place, reach: Reach) -> None:
        """Take the best of what is known after one token, if it is better than what is known."""
        if reach.places:
            number = min(range(len(reach.places)), key=lambda n: reach.places[n].n_tokens)
            after = reach.places[number]
            if after.n_tokens + 1 < place.n_tokens:
                place.n_tokens = after.n_tokens + 1
                place.token, place.after = reach.token_to(number), after

    def _settle(self, place: Place, nearby: bytes) -> None:
        """Write the way out of a place in tokens, if that was not done."""
        if place.is_settled or not place.has_exit and self._moves_left <= 0:
            return
        most = min(self._moves_left, MOST_SEARCHED)
        n_moves = self._places.way_out(place, nearby, most)
        self._moves_left -= n_moves
        # A search that was cut short may be made again, for another mask.
        place.is_settled = place.has_exit or n_moves >= MOST_SEARCHED
        if not place.has_exit:
            return
        tokens = self._places.tokens_out(place)
        if tokens is None:
            return
        chain = [place]
        for token_id in tokens:
            after = self._machine.take(chain[-1].hypotheses, token_id)
            if not after:
                return
            chain.append(self._places.find(after))
        if not chain[-1].may_end:
            return
        for n_after, here in enumerate(reversed(chain[:-1]), start=2):
            if n_after < here.n_tokens:
                here.n_tokens = n_after
                here.token, here.after = tokens[-(n_after - 1)], chain[len(chain) - n_after + 1]

    def _settle_all(self, places: list[Place], n_tokens: int) -> bool:
        """Find out whether so many tokens finish some places; return whether that is known now."""
        if self._searching is not None:
            try:
                known = [place for place in places if place.n_tokens < FAR]
                self._searching.settle(self._places, known, n_tokens, MOST_NODES)
            except TooMuchError:
                return False
            # It may be that no tokens finish the others: those are followed until all are known.
            places = [place for place in places if place.n_tokens == FAR]
        self._left = MOST_LOOKED_AT
        is_known = True
        for place in sorted(places, key=lambda other: other.n_tokens):
            try:
                self._suffice(place, n_tokens)
            except TooMuchError:
                is_known = False
        return is_known

    def _suffice(self, place: Place, n_tokens: int) -> bool:
        """Return whether so many tokens finish a place.

        Raises:
            TooMuchError: it takes too long to know.
        """
        if place.n_tokens <= n_tokens:
            return True
        if self._places.at_least(place) > n_tokens:
            return False
        key = (place.number, n_tokens)
        if key in self._undecided:
            raise TooMuchError
        if self._left < 0:
            raise TooMuchError
        try:
            return self._search(place, n_tokens)
        except TooMuchError:
            self._undecided[key] = None
            raise

    def _search(self, place: Place, n_tokens: int) -> bool:
        """Return the same, by following all tokens, breadth first."""
        came: dict[int, tuple[Place, int, Reach] | None] = {place.number: None}
        level, n_taken = [place], 0
        is_whole = True
        while level:
            following: list[Place] = []
            for here in level:
                # The end of sequence is a token, too.
                if n_taken + self._places.at_least(here) > n_tokens:
                    is_whole = False
                    continue
                if self._left < 0:
                    raise TooMuchError
                n_places = len(self._places)
                reach = self._reach(here)
                self._left -= reach.n_nodes + _PLACE_NODES * (1 + len(self._places) - n_places)
                for number, after in enumerate(reach.places):
                    if after.number in came:
                        continue
                    came[after.number] = (here, number, reach)
                    if n_taken + 1 + after.n_tokens <= n_tokens:
                        self._remember(came, after)
                        return True
                    following.append(after)
            level = following
            n_taken += 1
        place.at_least = FAR if is_whole else max(place.at_least, n_tokens + 1)
        return False

    def _remember(self, came: dict[int, tuple[Place, int, Reach] | None], place: Place) -> None:
        """Note what finishes the places that a search came through."""
        step = came[place.number]
        while step is not None:
            before, number, reach = step
            if place.n_tokens + 1 < before.n_tokens:
                before.n_tokens = place.n_tokens + 1
                before.token, before.after = reach.token_to(number), place
            place, step = before, came[before.number]

    def _reach(self, place: Place) -> Reach:
        if place.reach is None:
            place.reach = find_reach(self._places, place)
            self._n_reached += _REACH_BYTES + _TOKEN_BYTES * len(place.reach.ids)
        return place.reach

    def _make_room(self) -> None:
        """Forget all masks if they take too much, and all places if they do.

        A matcher keeps the place where it was, and where its tokens lead.
        """
        n_masks = min(_MOST_MASKS, self._most_bytes // 4 // (4 * self._machine.pool.n_words))
        if len(self._masks) > n_masks:
            self._masks = {}
        if self.n_bytes > self._most_bytes:
            self._places = Places(self._machine, self._paths, self._bounds)
            self._masks, self._undecided, self._n_reached = {}, {}, 0
            if self._bounds is not None:
                self._searching = Search(self._bounds)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        place_bytes = _PLACE_BYTES + _LETTER_BYTES * len(self._machine.byte_groups)
        n_bytes = place_bytes * len(self._places) + self._n_reached
        n_bytes += 4 * self._machine.pool.n_words * len(self._masks)
        return n_bytes + (self._searching.n_bytes if self._searching else 0)


def _finish(
    words: NDArray[np.int32], place: Place, tokens_left: int, *, is_exact: bool
) -> BudgetMask:
    """Return a mask.

    Raises:
        TokensLeftError: it has no token.
    """
    if not words.any():
        raise TokensLeftError(None if place.n_tokens == FAR else place.n_tokens, tokens_left)
    words.setflags(write=False)
    return BudgetMask(words, is_exact)
