"""After which tokens is there a text of the grammar that the tokenizer writes so?

A grammar may go on in ways in which the tokenizer writes none of the tokens so far: if ``:`` must
come after the ``"`` of a key, and ``":`` is a token, then ``"`` is no token of any such text. So
what is legal here and what is legal there is not enough: some text must be both.

Any text is written in exactly one way. So after tokens whose last one is ``t``, it is enough that
some text of the grammar goes on with a chunk's rest whose first token may follow ``t``, or with the
end of ``t``'s chunk; what is written after that takes care of itself. Whether there is one does
not depend on the tokens before ``t``: a *position* is a place of the grammar's machine
(:mod:`maskc.runtime.ending.places.places`), a node of the chunks' automaton, and ``t``.

To find one,

1. *witnesses* are tried: texts that the grammar can end with, the shortest and one for each byte
   that may come. What a witness tells holds for all tokens that lead to the same place and node:
   the chunk may end, so any of them; or a chunk goes on with a token, so those that this one may
   follow. This decides almost all, for many tokens at once.
2. For the rest, all tokens that may come next are followed, breadth first, until a position with a
   witness is found. If there is none, there is no text.

So no token is legal without a text that shows it. The search may be too long, then a token is left
out, and ``n_undecided`` counts that.

Example: in JSON after ``{"a`` the token ``"`` leads to where ``:`` or blanks must come. In llama3
no token that begins with ``:`` may follow it in the same chunk, but a blank begins a chunk, so
``"`` is legal; without blanks in the grammar it is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.places.place import Place
from maskc.runtime.ending.places.places import Places
from maskc.runtime.ending.places.reach import Reach, find_reach
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.machine import Machine
from maskc.runtime.spelling.chunks import DEAD
from maskc.runtime.spelling.cuts import LetterCuts, find_cuts
from maskc.runtime.spelling.merges import Ints
from maskc.runtime.spelling.opened import Opened
from maskc.runtime.spelling.pairs import Words
from maskc.runtime.spelling.prospects import NO_LAST, Position, Prospects
from maskc.runtime.spelling.rows import Rows, lead

_MOST_FOLLOWED = 200  # positions whose tokens are followed, of one search
_MOST_KNOWN = 200_000
_MOST_PLACES, _MOST_TOKENS = 40_000, 20_000_000
_ROW_BYTES = 96_000_000


class Liveness:
    """Decides which tokens may come. Not safe to use from several threads at once.

    Args:
        machine: of the grammar.
        spelling: how the tokenizer writes, opened for the machine's vocabulary.
        ends: end-of-sequence ids.

    Attributes:
        places: of the machine.
        n_undecided: how many tokens were left out since it takes too long to decide them.
    """

    def __init__(self, machine: Machine[Any], spelling: Opened, ends: frozenset[int]) -> None:
        self._machine, self._spelling = machine, spelling
        self._paths = TokenPaths(spelling.text_of, spelling.vocab_size, machine.byte_groups, ends)
        self._cuts = LetterCuts(find_cuts(spelling.chunks), machine.byte_groups)
        self._settled: Rows | None = None
        if isinstance(machine, LalrMachine):
            self._settled = Rows(machine, spelling, self._paths, self._cuts)
        self.n_undecided = 0
        self._begin()

    def _begin(self) -> None:
        self.places = Places(self._machine, self._paths, None)
        self._n_tokens = 0
        self._prospects = Prospects(self.places, self._spelling, self._cuts)
        self._live: dict[Position, bool] = {}
        self._rows: dict[tuple[int, int, int], Words] = {}

    def make_room(self) -> bool:
        """Forget everything if it takes too much; return whether it did: numbers have changed."""
        rows = len(self._rows) * self._spelling.n_words * 4
        n_known = len(self._live) + len(self._prospects)
        if (
            len(self.places) <= _MOST_PLACES
            and self._n_tokens <= _MOST_TOKENS
            and n_known <= _MOST_KNOWN
            and rows <= _ROW_BYTES
        ):
            return False
        self._begin()
        return True

    def row(self, place: Place, node: int, alone: int) -> Words:
        """Return int32[n_words], the tokens that may come, whatever the last one was.

        Args:
            place: of the machine.
            node: of the chunks, either after a token or after a mark.
            alone: as in a position.
        """
        key = (place.number, node, alone)
        found = self._rows.get(key)
        if found is None:
            if self._settled is None:
                found = self._find_row(place, node, alone)
            else:
                found = self._find_settled(self._settled, place, node, alone)
            self._rows[key] = found
        return found

    def _find_settled(self, rows: Rows, place: Place, node: int, alone: int) -> Words:
        """Return the same; only of tokens of which no byte settles it a text is looked for."""
        words = np.zeros(self._spelling.n_words, dtype=np.int32)
        for h in place.hypotheses:
            row = rows.find(h, node, alone)
            words |= row.words
            for tokens in row.unsettled:
                to = self.places.find((lead(h, tokens.effect),))
                live = self._live_after(to, tokens.node, tokens.ids, alone)
                words |= self._spelling.pack(tokens.ids[live])
        return words

    def _find_row(self, place: Place, node: int, alone: int) -> Words:
        spelling, reach = self._spelling, self._reach(place)
        written = spelling.is_beginning if alone == 0 else spelling.is_whole
        after = spelling.after(node, reach.ids)
        fits = np.flatnonzero((after != DEAD) & written[reach.ids])
        ids, after, which = reach.ids[fits], after[fits], reach.which[fits]
        live = np.zeros(len(ids), dtype=np.bool_)
        for members in _groups(which, after, spelling.n_nodes):
            to, to_node = reach.places[int(which[members[0]])], int(after[members[0]])
            if alone == 0 and self._prospects.find(to, to_node).may_end:
                # One token does not lead to where merging needs several.
                live[members] = True
                continue
            live[members] = self._live_after(to, to_node, ids[members], alone)
        return spelling.pack(ids[live])

    def _live_after(self, place: Place, node: int, ids: Ints, alone: int) -> NDArray[np.bool_]:
        """Return after which of some tokens, which all lead to one position, a text goes on.

        Args:
            place: of the machine, where they lead.
            node: of the chunks, where they lead.
            ids: the tokens.
            alone: before them.
        """
        # A few tokens lead to where a chunk must not end.
        special = self._spelling.special_from(alone)
        if special is None:
            return self._live_of(place, node, ids)
        live = np.zeros(len(ids), dtype=np.bool_)
        is_special = special[ids]
        live[~is_special] = self._live_of(place, node, ids[~is_special])
        for member in np.flatnonzero(is_special).tolist():
            token = int(ids[member])
            led = self._spelling.alone.after(alone, token)
            live[member] = self._is_live(place, Position(place.number, node, token, led))
        return live

    def _live_of(self, place: Place, node: int, ids: Ints) -> NDArray[np.bool_]:
        """Return after which of some tokens, which all lead to one position, a text goes on."""
        live = np.zeros(len(ids), dtype=np.bool_)
        if not len(ids):
            return live
        prospect = self._prospects.find(place, node)
        while True:
            if prospect.may_end:
                live[:] = True
                return live
            live = _are_in(prospect.words, ids)
            if live.all() or not self._prospects.try_next(prospect, node):
                break
        for member in np.flatnonzero(~live).tolist():
            position = Position(place.number, node, int(ids[member]), self._spelling.alone.OFF)
            live[member] = self._is_live(place, position)
        return live

    def _is_live(self, place: Place, position: Position) -> bool:
        """Return whether some text goes on at a position; False if it takes too long to know."""
        known = self._live.get(position)
        if known is not None:
            return known
        came: dict[Position, Position | None] = {position: None}
        pending = [(place, position)]
        for n_done, (here, at) in enumerate(pending):
            if self._live.get(at) or self._prospects.is_witnessed(here, at):
                self._remember(came, at)
                return True
            if self._live.get(at) is False:
                continue
            if n_done >= _MOST_FOLLOWED:
                self.n_undecided += 1
                return False
            for after, following in self._following(here, at):
                if following not in came:
                    came[following] = at
                    pending.append((after, following))
                    if self._live.get(following):
                        self._remember(came, following)
                        return True
        # All that can be reached has no witness.
        self._live.update(dict.fromkeys(came, False))
        return False

    def _remember(self, came: dict[Position, Position | None], position: Position) -> None:
        here: Position | None = position
        while here is not None:
            self._live[here] = True
            here = came[here]

    def _following(self, place: Place, at: Position) -> Iterator[tuple[Place, Position]]:
        """Yield the positions after one more token, or after the end of the chunk."""
        spelling = self._spelling
        if spelling.alone.may_end(at.alone):
            for node in spelling.chunks.marks[at.node]:
                yield place, Position(place.number, node, NO_LAST, 0)
        if at.alone == spelling.alone.CLOSED:
            return
        reach = self._reach(place)
        after = spelling.after(at.node, reach.ids)
        written = spelling.is_beginning if at.alone == 0 else spelling.is_whole
        fits = (after != DEAD) & written[reach.ids]
        if at.last != NO_LAST:
            fits &= _are_in(spelling.followers(at.last), reach.ids)
        members = np.flatnonzero(fits)
        # Those after which the chunk may end come first: they are likely to have a witness.
        for group in _groups(reach.which[members], after[members], spelling.n_nodes):
            first = members[group[0]]
            to, node = reach.places[int(reach.which[first])], int(after[first])
            if self._prospects.find(to, node).may_end:
                for token in reach.ids[members[group]].tolist():
                    alone = spelling.alone.after(at.alone, token)
                    if spelling.alone.may_end(alone):
                        position = Position(to.number, node, token, alone)
                        self._live[position] = True
                        yield to, position
        for member in members.tolist():
            token, to = int(reach.ids[member]), reach.places[int(reach.which[member])]
            alone = spelling.alone.after(at.alone, token)
            yield to, Position(to.number, int(after[member]), token, alone)

    def _reach(self, place: Place) -> Reach:
        if place.reach is None:
            place.reach = find_reach(self.places, place)
            self._n_tokens += 100 + len(place.reach.ids)
        return place.reach


def _groups(which: Ints, after: Ints, n_nodes: int) -> list[NDArray[np.intp]]:
    """Return the tokens that lead to the same place and node, as places in the lists."""
    keys = which.astype(np.int64) * n_nodes + after
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return np.split(order, starts[1:]) if len(order) else []


def _are_in(words: Words, ids: Ints) -> NDArray[np.bool_]:
    """Return which ids are in a mask."""
    found: NDArray[np.bool_] = (words[ids >> 5] >> (ids & 31) & 1).astype(np.bool_)
    return found
