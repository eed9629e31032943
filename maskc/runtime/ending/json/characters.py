r"""What do strings of any characters cost in tokens?

All tokens are legal inside of one, so they are not followed: it is counted once which of them close
a string, and how many characters they have at most. An escape counts as the characters that write
it, so nothing costs more than is said.

Example: of 1,000 characters most are written in tokens of 80 blanks with llama3, thirteen of them,
and the quote is one more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from maskc.runtime.ending.json.joints import NEVER, JsonJoints, Prices, Space
from maskc.runtime.ending.json.short_strings import INSIDE
from maskc.runtime.ending.tokens.paths import Ints
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import ROOT

QUOTE, _BACKSLASH, _FIRST_CHARACTER = 0x22, 0x5C, 0x20
_FIRST_INSIDE, _LAST_INSIDE = 0x80, 0xBF  # bytes of UTF-8 that begin no character
_MOST_REMEMBERED = 5_000

# Nodes of the trie in ascending order: the token is at one of them.
_Nodes = tuple[int, ...]


class _Closing(NamedTuple):
    """What tokens do to an open string.

    Attributes:
        quotes: node of its quote → characters before it, at most.
        most: characters of a token that ends inside, at most, and of one that ends after a
            backslash; -1: none does.
    """

    quotes: dict[int, int]
    most: tuple[int, int]


class Characters:
    """The costs of strings of any characters.

    Args:
        joints: of the texts.
    """

    def __init__(self, joints: JsonJoints) -> None:
        self._joints, self._trie = joints, joints.paths.trie
        letters = np.frombuffer(joints.paths.letters, dtype=np.uint8)
        self._quote, self._backslash = letters[QUOTE], letters[_BACKSLASH]
        self._is_control = np.zeros(256, dtype=np.bool_)
        self._is_control[letters[:_FIRST_CHARACTER]] = True
        self._begins_none = np.zeros(256, dtype=np.bool_)
        self._begins_none[letters[_FIRST_INSIDE : _LAST_INSIDE + 1]] = True
        self._whole: dict[tuple[Body, int, int], tuple[dict[int, list[int]], int]] = {}
        self._closings: dict[tuple[_Nodes, bool], _Closing] = {}
        self._prices: dict[tuple[bool, _Nodes, int], Prices] = {}
        self._ends: dict[tuple[bool, bool, bool, int], Prices] = {}
        # Where the token that closes a string begins: after a backslash or not.
        self._usual, self._escaped = (self._close((ROOT,), is_escaped=e) for e in (False, True))
        self._longest = max(*self._usual.most, *self._escaped.most)

    def rest(self, space: Space, body: Body, at: int, node: int, low: int) -> Prices:
        """Return int32[n], the price of what ends an open string, its quote included.

        Args:
            space: of the nodes after its quote.
            body: an automaton that tells where a character is whole.
            at: its state.
            node: where the token is.
            low: the least number of characters that are yet to end.
        """
        if body.characters[at] >= 0:
            return self.price(space, (node,), low)

        ends, frontier = self._end_character(body, at, node)
        found = np.full(len(space), frontier, dtype=np.int32)
        for n_tokens, places in ends.items():
            inside = tuple(sorted(place for place in places if place != ROOT))
            for nodes in ((ROOT,) if ROOT in places else (), inside):
                if nodes:
                    found = np.minimum(found, self.price(space, nodes, low - 1) + n_tokens)
        return found

    def _end_character(self, body: Body, at: int, node: int) -> tuple[dict[int, list[int]], int]:
        """Return where the token may be when a character is whole, by how many tokens that takes.

        With it comes how many all else takes at least.
        """
        known = self._whole.get((body, at, node))
        if known is None:
            if len(self._whole) > _MOST_REMEMBERED:
                self._whole.clear()

            def list_moves(state: int) -> Mapping[int, int]:
                is_inside = body.characters[state] < 0
                steps = ((byte, body.step(state, byte)) for byte in INSIDE if is_inside)
                return {byte: after for byte, after in steps if after}

            moves: dict[int, Mapping[int, int]] = {}

            def remember(state: int) -> Mapping[int, int]:
                found = moves.get(state)
                if found is None:
                    found = moves[state] = list_moves(state)
                return found

            walked = self._joints.walk(
                {node: 0}, remember, at, lambda state: body.characters[state] >= 0
            )
            ends: dict[int, list[int]] = {}
            for place, n_tokens in walked.ends[0].items():
                ends.setdefault(n_tokens, []).append(place)
            known = self._whole[body, at, node] = ends, walked.frontier
        return known

    def price(self, space: Space, nodes: _Nodes, low: int) -> Prices:
        """Return int32[n], the price of some characters and a quote.

        Args:
            space: of the nodes after the quote.
            nodes: the token is at one of them; the root is alone.
            low: the least number of characters.
        """
        low = max(low, 0)
        if nodes == (ROOT,):
            return self._price_whole(space, low, is_plain=True, is_escaped=False)
        key = (space is self._joints.ends, nodes, low)
        known = self._prices.get(key)
        if known is None:
            if len(self._prices) > _MOST_REMEMBERED:
                self._prices.clear()
            here = self._close(nodes, is_escaped=False)
            quotes = [quote for quote, n in here.quotes.items() if n >= low]
            known = space.row(dict.fromkeys(quotes, 0))
            left = max(0, low - max(*here.most, 0))
            is_plain, is_escaped = (n >= 0 for n in here.most)
            if is_plain or is_escaped:
                more = self._price_whole(space, left, is_plain=is_plain, is_escaped=is_escaped)
                known = np.minimum(known, more)
            self._prices[key] = known
        return known

    def _price_whole(self, space: Space, low: int, *, is_plain: bool, is_escaped: bool) -> Prices:
        """Return the same where a token begins.

        Args:
            space: of the nodes after the quote.
            low: the least number of characters.
            is_plain: whether it may begin where none is open.
            is_escaped: whether it may begin after a backslash.
        """
        key = (space is self._joints.ends, is_plain, is_escaped, low)
        known = self._ends.get(key)
        if known is None:
            if len(self._ends) > _MOST_REMEMBERED:
                self._ends.clear()
            ends: dict[int, int] = {}
            for closing, is_given in ((self._usual, is_plain), (self._escaped, is_escaped)):
                for quote, n_characters in closing.quotes.items():
                    left = max(0, low - n_characters)
                    if self._longest < 1 and (left or not is_given):
                        continue
                    n_inside = max(int(not is_given), -(-left // self._longest) if left else 0)
                    ends[quote] = min(n_inside + 1, ends.get(quote, NEVER))
            known = self._ends[key] = space.row(ends)
        return known

    def _close(self, nodes: _Nodes, *, is_escaped: bool) -> _Closing:
        """Return what closes an open string below some nodes."""
        known = self._closings.get((nodes, is_escaped))
        if known is None:
            if len(self._closings) > _MOST_REMEMBERED:
                self._closings.clear()
            known = self._find_closing(np.array(nodes, dtype=np.int32), is_escaped=is_escaped)
            self._closings[nodes, is_escaped] = known
        return known

    def _find_closing(self, nodes: Ints, *, is_escaped: bool) -> _Closing:
        trie = self._trie
        counts = np.zeros(len(nodes), dtype=np.int64)
        escaped = np.full(len(nodes), is_escaped)
        quotes: dict[int, int] = {}
        most = [-1, -1]
        while len(nodes):
            is_end = (trie.ending_array[nodes] > 0) & (nodes != ROOT)
            for which, ends in enumerate((is_end & ~escaped, is_end & escaped)):
                most[which] = max(most[which], int(counts[ends].max(initial=-1)))
            nodes, n_children = self._joints.paths.children(nodes)
            counts, escaped = np.repeat(counts, n_children), np.repeat(escaped, n_children)
            last = trie.byte_array[nodes]
            is_quote = (last == self._quote) & ~escaped
            for at in np.flatnonzero(is_quote).tolist():
                place = int(nodes[at])
                quotes[place] = max(quotes.get(place, 0), int(counts[at]))
            on = ~is_quote & ~self._is_control[last]
            nodes, last = nodes[on], last[on]
            counts = counts[on] + ~self._begins_none[last]
            escaped = (last == self._backslash) & ~escaped[on]
        return _Closing(quotes, (most[0], most[1]))
