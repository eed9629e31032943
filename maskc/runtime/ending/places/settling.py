"""How few tokens finish the places of one machine?

Of each place a number of tokens is remembered that finish it, and a number that do not suffice; see
:mod:`maskc.runtime.ending.endings`.

- A *survey* of a place looks where its tokens lead, and writes for each of these places a way out
  in as few tokens as write it.
- To *settle* whether some places can be finished in so many tokens, all tokens are followed,
  breadth first, as far as the bounds from below let some be enough.

Example: after ``[[1`` of JSON a survey finds the places after ``]``, ``]]``, ``,`` and so on.
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.ending.grammar.bounds import Bounds
from maskc.runtime.ending.places.place import FAR, Place, depth_of
from maskc.runtime.ending.places.places import MOST_SEARCHED, Places, TooMuchError
from maskc.runtime.ending.places.reach import MOST_PLACES, Reach, find_reach
from maskc.runtime.ending.places.searching import Search
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.machine import Machine

MOST_LOOKED_AT = 300_000  # nodes of the trie, for one mask
MOST_NODES = 2_000_000  # the same where they are followed together
_MOST_MOVES = 300_000  # of searches for ways out, for one mask
_FEW_MOVES = 5_000  # before a search goes wherever least is left
_PLACE_NODES = 150  # nodes of the trie that take as long as a new place
# Estimated sizes of CPython objects.
PLACE_BYTES = 1_500
_LETTER_BYTES = 6  # of a place, for each letter: its row of the table, which grows by doubling
REACH_BYTES = 1_000
_TOKEN_BYTES = 8  # of a reach


class Settling:
    """Finds out how few tokens finish places.

    Args:
        places: of the machine.
        machine: the machine.
        paths: the tokens in its letters.
        bounds: of an LALR machine; ``None`` of others.
        spares: whether ways out need not be written in tokens where a token for each byte suffices:
            a stack may be deep.

    Attributes:
        places: as given.
    """

    def __init__(
        self,
        places: Places,
        machine: Machine[Any],
        paths: TokenPaths,
        bounds: Bounds | None,
        *,
        spares: bool,
    ) -> None:
        self.places, self._spares = places, spares
        self._machine, self._paths = machine, paths
        self._searching = None if bounds is None else Search(bounds)
        self._undecided: dict[tuple[int, int], None] = {}
        self._n_reached = 0
        self._left = self._moves_left = 0

    def begin(self, place: Place, n_tokens: int = 0) -> None:
        """Begin with a place of which a mask is asked: find a way out of it.

        Args:
            place: the place.
            n_tokens: as of :meth:`settle`.
        """
        self._moves_left = _MOST_MOVES
        self.settle(place, b"", n_tokens)

    def measure(self, place: Place) -> None:
        """Find with how many tokens left all tokens leave enough, as far as that is said."""
        if not place.is_measured:
            place.is_measured = True
            if self.places.n_closing(place) is None:
                place.plain_from = min(place.plain_from, self.places.enough(place))

    def survey(self, place: Place, n_tokens: int = FAR, most: int = MOST_PLACES) -> None:
        """Look where the tokens of a place lead, and find ways to finish these places.

        Args:
            place: the place.
            n_tokens: those that are known to need more are left alone, and of those of which the
                way out is so many tokens at most the fewest are not looked for, where that is
                spared; ``FAR``: of none.
            most: new places; where there are more, the place is vast.
        """
        spared = n_tokens if self._spares and n_tokens < FAR else 0
        if place.n_surveyed >= n_tokens and place.n_spared <= spared or place.is_vast:
            return
        self.begin(place, spared)
        try:
            reach = self.reach(place, most)
        except TooMuchError:
            place.is_vast = True
            return
        place.n_surveyed, place.n_spared = max(n_tokens, place.n_surveyed), spared
        nearby = self.places.text_out(place)
        asked = [p for p in reach.places if not p.is_settled and self._may_need(p, n_tokens)]
        # What little is open teaches how more is closed.
        for after in sorted(asked, key=lambda other: depth_of(other.hypotheses)):
            self.settle(after, nearby, spared)
        self._improve(place, reach)
        most_needed = max((after.suffices for after in reach.places), default=0)
        if most_needed < FAR:
            place.plain_from = min(place.plain_from, 1 + most_needed)

    def _may_need(self, place: Place, n_tokens: int) -> bool:
        return n_tokens == FAR or self.places.at_least(place) <= n_tokens

    def _improve(self, place: Place, reach: Reach) -> None:
        """Take the best of what is known after one token, if it is better than what is known."""
        if reach.places:
            number = min(range(len(reach.places)), key=lambda n: reach.places[n].n_tokens)
            after = reach.places[number]
            if after.n_tokens + 1 < place.n_tokens:
                place.n_tokens = after.n_tokens + 1
                place.token, place.after = reach.token_to(number), after

    def settle(self, place: Place, nearby: bytes, n_tokens: int = 0) -> None:
        """Write the way out of a place in as few tokens as write it, if that was not done.

        Args:
            place: the place.
            nearby: the way out of a place nearby.
            n_tokens: where so many suffice for its bytes and the end of sequence, that is enough.
        """
        if place.is_settled:
            return
        if not place.has_exit:
            self._find_exit(place, nearby)
        if not place.has_exit or place.suffices <= n_tokens:
            return
        place.is_settled = True
        tokens = self.places.tokens_out(place)
        if tokens is None:
            return
        chain = [place]
        for token_id in tokens:
            after = self._machine.take(chain[-1].hypotheses, token_id)
            if not after:
                return
            chain.append(self.places.find(after))
        if not chain[-1].may_end:
            return
        for n_after, here in enumerate(reversed(chain[:-1]), start=2):
            if n_after < here.n_tokens:
                here.n_tokens = n_after
                here.token, here.after = tokens[-(n_after - 1)], chain[len(chain) - n_after + 1]

    def _find_exit(self, place: Place, nearby: bytes) -> None:
        """Search a way out of a place."""
        if self._moves_left <= 0:
            return
        most = min(self._moves_left, MOST_SEARCHED)
        few = most if self._searching is not None else min(most, _FEW_MOVES)
        n_moves = self.places.way_out(place, nearby, few)
        if not place.has_exit and few < most:
            # Values and keys that may be any lead a search into ever new places.
            n_moves += self.places.way_out(place, nearby, few, is_greedy=True)
            n_moves += self.places.way_out(place, nearby, most)
        self._moves_left -= n_moves
        # A search that was cut short may be made again, for another mask.
        place.is_settled = not place.has_exit and n_moves >= MOST_SEARCHED

    def settle_all(self, places: list[Place], n_tokens: int, most: int = MOST_LOOKED_AT) -> bool:
        """Find out whether so many tokens finish some places; return whether that is known now.

        Args:
            places: the places.
            n_tokens: the end of sequence included.
            most: nodes of the trie that may be looked at.
        """
        if self._spares:
            places = [place for place in places if place.suffices > n_tokens]
        if self._searching is not None:
            try:
                known = [place for place in places if place.n_tokens < FAR]
                self._searching.settle(self.places, known, n_tokens, MOST_NODES)
            except TooMuchError:
                return False
            # It may be that no tokens finish the others: those are followed until all are known.
            places = [place for place in places if place.n_tokens == FAR]
        self._left = most
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
        if self.places.at_least(place) > n_tokens:
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
                if n_taken + self.places.at_least(here) > n_tokens:
                    is_whole = False
                    continue
                if self._left < 0:
                    raise TooMuchError
                n_places = len(self.places)
                reach = self.reach(here)
                self._left -= reach.n_nodes + _PLACE_NODES * (1 + len(self.places) - n_places)
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

    def reach(self, place: Place, most: int = MOST_PLACES) -> Reach:
        """Return where the tokens of a place lead.

        Args:
            place: the place.
            most: new places.

        Raises:
            TooMuchError: to too many places.
        """
        if place.reach is None:
            place.reach = find_reach(self.places, place, most)
            self._n_reached += REACH_BYTES + _TOKEN_BYTES * len(place.reach.ids)
        return place.reach

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        place_bytes = PLACE_BYTES + _LETTER_BYTES * len(self._machine.byte_groups)
        n_bytes = place_bytes * len(self.places) + self._n_reached
        return n_bytes + (self._searching.n_bytes if self._searching else 0)
