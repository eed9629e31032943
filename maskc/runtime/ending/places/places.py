"""Where can a text stand, where does a byte lead from there, and how is it finished?

A *place* is what a machine knows of a beginning, whatever text led there: equal places have the
same future. Places are numbered, and what a letter (see :mod:`maskc.runtime.ending.tokens.paths`)
does in one is kept in a table, so that a whole vocabulary can be followed by arrays.

From a place a text that finishes is looked for, and each place on the way remembers its byte of it:
a *way out*. A search ends as soon as it meets a place that has one, and tries first what was the
way out of places that look alike on top. So most searches are a few bytes long.

Example: in JSON after ``[1`` the way out is ``]``. After ``[1,[`` a search reads ``]`` and is at a
place with the way out ``]``.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.ending.grammar.bounds import Bounds
from maskc.runtime.ending.link.bounds import TextBounds
from maskc.runtime.ending.link.texts import Written
from maskc.runtime.ending.places.place import FAR, Place, counts_tokens, depth_of, top_of
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine

UNKNOWN, NOWHERE = -1, 0
MOST_SEARCHED = 100_000  # moves of one search for a way out
_MOST_HINTS, _NEARBY_BYTES = 6, 256
# Where all bytes are told apart, these are tried before the others.
_USUAL = b"\t\n\r" + bytes(range(0x20, 0x7F))
_MOVE_STEPS = 5  # that a machine takes for one byte
_VALUE_MOVES = 50  # moves that take as long as what finishes a JSON text
_HINT_LEAD = 8  # bytes that a hint may be longer than what a search tries without it


class TooMuchError(Exception):
    """More was looked at than may be."""


class Places:
    """The places of one machine.

    Args:
        machine: the machine.
        paths: the tokens in its letters.
        bounds: of what finishes its texts, ``None``: none are known.
        json: of its JSON texts; ``None``: they are made.
        forget: what of hypotheses is forgotten, ``None``: nothing is.

    Attributes:
        machine, paths: as given.
        all: by number; the first one is nowhere.
    """

    def __init__(
        self,
        machine: Machine[Any],
        paths: TokenPaths,
        bounds: Bounds | None,
        json: TextBounds | None = None,
        forget: Callable[[Hypotheses], Hypotheses] | None = None,
    ) -> None:
        self.machine, self.paths, self._bounds = machine, paths, bounds
        self._forget = forget
        self.link = machine if isinstance(machine, LinkMachine) else None
        self._json = TextBounds(machine, paths) if json is None else json
        self._go_on = machine.step if self.link is None else self.link.go_on
        self._firsts = [group[:1] for group in machine.byte_groups]
        usual = {paths.letters[byte] for byte in _USUAL}
        self._usual = sorted(usual)
        self._others = sorted(set(range(len(self._firsts))) - usual)
        self._known: dict[Hashable, Place] = {}
        # What is on top → first bytes of ways out of places that have it there.
        self._hints: dict[Hashable, dict[bytes, None]] = {}
        self.all: list[Place | None] = [None]
        # int32[places, letters], of what a letter inside of a token does.
        self._table = np.full((64, len(self._firsts)), UNKNOWN, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._known)

    def known(self, hypotheses: Hypotheses) -> Place | None:
        """Return the place of some live hypotheses, if it was found before."""
        return self._known.get(self._key_of(hypotheses))

    def find(self, hypotheses: Hypotheses) -> Place:
        """Return the place of some live hypotheses."""
        if self._forget is not None:
            hypotheses = self._forget(hypotheses)
        key = self._key_of(hypotheses)
        found = self._known.get(key)
        return self._add(key, hypotheses) if found is None else found

    def _key_of(self, hypotheses: Hypotheses) -> Hashable:
        identify = self.machine.identify
        if len(hypotheses) == 1:
            return identify(hypotheses[0])
        # In whatever order they are found, the future is the same.
        return frozenset(map(identify, hypotheses))

    def current(self, place: Place) -> Place:
        """Return a place as it is here: another thread may have had all begin anew meanwhile."""
        number = place.number
        is_here = number < len(self.all) and self.all[number] is place
        return place if is_here else self.keep(place)

    def keep(self, place: Place) -> Place:
        """Return the place that is known for the same, with the ends that a place knows."""
        kept = self._kept(place)
        for older, newer in self._pair(place, kept, lambda here: here.after):
            if older.n_tokens < newer.n_tokens:
                newer.n_tokens, newer.token = older.n_tokens, older.token
                newer.after = None if older.after is None else self._kept(older.after)
        ways_out = self._pair(place, kept, lambda here: here.exit_to)
        for older, newer in reversed(list(ways_out)):
            is_better = not newer.has_exit or older.n_out < newer.n_out
            if is_better and older.exit is not None and older.exit_to is not None:
                self._lead_out(newer, older.exit, self._kept(older.exit_to))
        return kept

    def _kept(self, place: Place) -> Place:
        """Return the place that is known for the same."""
        return self._known.get(place.key) or self._add(place.key, place.hypotheses)

    def _pair(
        self, place: Place, kept: Place, follow: Callable[[Place], Place | None]
    ) -> Iterator[tuple[Place, Place]]:
        """Yield the places of a chain, each with the one that is known for the same."""
        here: Place | None = place
        while here is not None and kept is not here:
            yield here, kept
            here = follow(here)
            if here is not None:
                kept = self._kept(here)

    def _add(self, key: Hashable, hypotheses: Hypotheses) -> Place:
        may_end = any(map(self.machine.may_end, hypotheses))
        place = self._known[key] = Place(key, hypotheses, len(self.all), may_end=may_end)
        self.all.append(place)
        if len(self.all) > len(self._table):
            more = np.full_like(self._table, UNKNOWN)
            self._table = np.concatenate([self._table, more])
        return place

    def moves(self, numbers: Ints, letters: NDArray[np.uint8], most: int) -> Ints:
        """Return where letters inside of tokens lead: numbers of places, ``NOWHERE`` if illegal.

        Raises:
            TooMuchError: there are more places than ``most``.
        """
        found = self._table[numbers, letters]
        if (found == UNKNOWN).any():
            missing = np.unique(
                numbers[found == UNKNOWN].astype(np.int64) * len(self._firsts)
                + letters[found == UNKNOWN]
            )
            for key in missing.tolist():
                if len(self.all) > most:
                    raise TooMuchError
                self._move(*divmod(key, len(self._firsts)))
            found = self._table[numbers, letters]
        return found

    def _move(self, number: int, letter: int) -> int:
        """Return where a letter inside of a token leads."""
        found = int(self._table[number, letter])
        if found == UNKNOWN:
            spend(_MOVE_STEPS)
            place = self.all[number]
            after = self._go_on(place.hypotheses, self._firsts[letter]) if place else ()
            found = self.find(after).number if after else NOWHERE
            self._table[number, letter] = found
        return found

    def begin(self, place: Place, letters: Iterable[int]) -> list[int]:
        """Return where the first letters of tokens lead."""
        if self.link is None or not counts_tokens(place.hypotheses):
            return [self._move(place.number, letter) for letter in letters]
        found = []
        for letter in letters:
            after = self.link.begin(place.hypotheses, self._firsts[letter])
            found.append(self.find(after).number if after else NOWHERE)
        return found

    def end_token(self, number: int) -> int:
        """Return the place where a token ends, as it is between two tokens."""
        place = self.all[number]
        if place is None or self.link is None or not counts_tokens(place.hypotheses):
            return number
        after = self.link.end_token(place.hypotheses)
        return self.find(after).number if after else NOWHERE

    def way_out(self, place: Place, nearby: bytes, most: int, *, is_greedy: bool = False) -> int:
        """Find a way out of a place, if none is known; return how many moves it took.

        Args:
            place: the place.
            nearby: the way out of a place nearby, which is tried wherever the search comes to.
            most: moves, after which the search is given up.
            is_greedy: whether only what is left counts, and not what was read.
        """
        if place.has_exit:
            return 0
        order = count()
        cost = {place.number: 0}
        came: dict[int, tuple[Place, bytes | int]] = {}
        # A place comes up twice: first for hints, then for all that is legal.
        open_: list[tuple[int, int, Place, bool]] = [(0, next(order), place, True)]
        n_moves = 0
        while open_ and n_moves < most:
            estimate, _, here, has_hints = heapq.heappop(open_)
            if here.has_exit:
                self._note(place, here, came)
                break
            n_moves += 0 if self._json.depth(here.hypotheses) is None else _VALUE_MOVES
            if has_hints:
                heapq.heappush(open_, (estimate + _HINT_LEAD, next(order), here, False))
                edges = self._follow_hints(here, nearby)
            else:
                edges = ((here, edge, after) for edge, after in self.edges(here))
            for before, edge, after in edges:
                n_moves += 1
                spend(1)
                reached = cost[before.number] + 1
                if reached < cost.get(after.number, FAR):
                    cost[after.number], came[after.number] = reached, (before, edge)
                    n_left = 0 if after.has_exit else self._estimate(after)
                    estimate = n_left if is_greedy else reached + n_left
                    heapq.heappush(open_, (estimate, next(order), after, True))
        return n_moves

    def at_least(self, place: Place) -> int:
        """Return how many tokens finish a place at least, as far as that is known."""
        if not place.is_bounded:
            place.is_bounded = True
            if not place.may_end:
                bounds = self._json.least if self._bounds is None else self._bounds.tokens
                place.at_least = max(place.at_least, bounds(place.hypotheses))
        return place.at_least

    def _estimate(self, place: Place) -> int:
        """Return about how many bytes are left."""
        if self._bounds is not None:
            return self._bounds.bytes(place.hypotheses)
        n_bytes = self._json.length(place.hypotheses)
        if n_bytes is not None:
            return n_bytes
        # What is open counts more than a byte: a search closes rather than opens.
        return depth_of(place.hypotheses)

    def enough(self, place: Place, n_openings: int | None = None) -> int:
        """Return with how many tokens left no legal token is one too many; ``FAR``: unknown.

        Of a link that is said of tokens that do not end the JSON text, see :meth:`n_closing`.

        Args:
            place: before the token.
            n_openings: brackets that it opens at most; default: any number.
        """
        found = self._json.enough(place.hypotheses, n_openings)
        if found is None:
            return FAR
        return min(FAR, 1 + found + (0 if self.link is None else place.n_out))

    def n_closing(self, place: Place) -> int | None:
        """Return how many brackets a token closes at least that ends the JSON text of a link.

        ``None``: of no link, and no token needs to be looked at for that.
        """
        return None if self.link is None else self._json.depth(place.hypotheses)

    def _note(self, place: Place, here: Place, came: dict[int, tuple[Place, bytes | int]]) -> None:
        """Note the way out that a search found, and the hints that it gives."""
        while here is not place:
            before, edge = came[here.number]
            self._lead_out(before, edge, here)
            here = before
        after: Place | None = place
        while after is not None and after.exit is not None:
            hints = self._hints.setdefault(top_of(after.hypotheses), {})
            if isinstance(after.exit, bytes) and len(hints) < _MOST_HINTS:
                hints[after.exit] = None
            after = after.exit_to if after.number in came or after is place else None

    def _lead_out(self, place: Place, edge: bytes | int, after: Place) -> None:
        """Note that a byte, or a token, leads a place out, and to which other."""
        place.has_exit, place.exit, place.exit_to = True, edge, after
        is_token = isinstance(edge, int) or edge in self.paths.by_text
        place.n_out = min(FAR, after.n_out + 1) if is_token else FAR

    def _follow_hints(
        self, place: Place, nearby: bytes
    ) -> Iterator[tuple[Place, bytes | int, Place]]:
        """Yield the moves of what was the way out of places that look alike on top."""
        known = self._json.text(place.hypotheses)
        texts: list[Written] = [] if known is None else [known]
        texts += [(text,) for text in (nearby, *self._hints.get(top_of(place.hypotheses), ()))]
        for text in texts:
            here = place
            for edge in _list_edges(text):
                after = self._follow(here, edge)
                if after is None:
                    break
                yield here, edge, after
                if after.has_exit:
                    break
                here = after

    def _follow(self, place: Place, edge: bytes | int) -> Place | None:
        """Return where a byte, or a token that is an atom, leads; ``None``: it is illegal."""
        if isinstance(edge, int):
            taken = self.machine.take(place.hypotheses, edge)
            return self.find(taken) if taken else None
        return self.all[self.end_token(self.begin(place, (self.paths.letters[edge[0]],))[0])]

    def edges(self, place: Place) -> Iterator[tuple[bytes | int, Place]]:
        """Yield the bytes, one of each letter, that are legal in a place, and where they lead."""
        found = False
        for letters in (self._usual, self._others):
            for letter in letters:
                after = self.all[self.end_token(self.begin(place, (letter,))[0])]
                if after is not None:
                    found = True
                    yield self._firsts[letter], after
            if found:
                break
        for token_id, after in self.atoms(place):
            yield token_id, after

    def atoms(self, place: Place) -> Iterator[tuple[int, Place]]:
        """Yield the tokens that are taken as atoms, whatever they write, and where they lead."""
        if self.link is None or not any(h.piece.has_atoms for h in place.hypotheses):
            return
        for token_id in self.link.list_atoms(place.hypotheses):
            after = self.machine.take(place.hypotheses, token_id)
            if after:
                yield token_id, self.find(after)

    def text_out(self, place: Place) -> bytes:
        """Return the first bytes of a way out, up to a token that is an atom."""
        text = bytearray()
        here: Place | None = place
        while here is not None and isinstance(here.exit, bytes) and len(text) < _NEARBY_BYTES:
            text += here.exit
            here = here.exit_to
        return bytes(text)

    def tokens_out(self, place: Place) -> list[int] | None:
        """Return as few tokens as write the way out of a place; ``None`` if none do."""
        found: list[int] = []
        text = bytearray()
        here: Place | None = place
        while here is not None and here.exit is not None:
            if isinstance(here.exit, bytes):
                text += here.exit
            else:
                tokens = self.paths.fewest(bytes(text))
                if text and not tokens:
                    return None
                found += [*tokens, here.exit]
                text.clear()
            here = here.exit_to
        tokens = self.paths.fewest(bytes(text))
        return None if text and not tokens else found + tokens


def _list_edges(text: Written) -> Iterator[bytes | int]:
    """Yield the bytes of a text, and the tokens in it that are atoms."""
    for part in text:
        if isinstance(part, int):
            yield part
        else:
            yield from (part[at : at + 1] for at in range(len(part)))
