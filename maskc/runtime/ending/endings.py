"""After which tokens can a text be finished within so many tokens?

A text is finished by tokens that lead to where it may end, and an end of sequence. Of each place
(:mod:`maskc.runtime.ending.places.places`) a number of tokens is remembered that finish it, and a
number that do not suffice. With ``n`` tokens left, a token is legal iff ``n - 1`` finish the place
that it leads to:

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError, TokensLeftError
from maskc.runtime.effort import one_mask
from maskc.runtime.ending.grammar.bounds import Bounds
from maskc.runtime.ending.json.picking import Picking
from maskc.runtime.ending.json.used_keys import TokenKinds
from maskc.runtime.ending.link.bounds import TextBounds
from maskc.runtime.ending.link.forgetting import Forgetting
from maskc.runtime.ending.places.alike import Alike, BudgetMask
from maskc.runtime.ending.places.place import FAR, Place
from maskc.runtime.ending.places.places import Places
from maskc.runtime.ending.places.reach import MOST_PLACES
from maskc.runtime.ending.places.settling import Settling
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.machine import Hypotheses, Machine

ENDING_BYTES = 64 * 1024 * 1024  # that may be remembered, where nothing else is asked for
_MOST_STEPS = 5_000_000  # for one mask, where the machine may take as many or more
_REMEDY = "leave tokens_left out, or ask for less of numbers, required keys and items"
_MOST_MASKS = 1_000
_FEW_PLACES = 50  # that are looked at where keys are forgotten as well
_MOST_SINGLY = 2_000  # tokens that are looked at one by one


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
        steps = machine.pool.steps
        self._most_steps = _MOST_STEPS if steps is None else min(steps, _MOST_STEPS)
        self._machine, self._ends = machine, ends
        self._paths = TokenPaths(text_of, vocab_size, machine.byte_groups, ends)
        self._bounds: Bounds | None = None
        if isinstance(machine, LalrMachine):
            self._bounds = Bounds(machine, self._paths)
        self._forgetting = Forgetting(machine)
        self._text_of, self._vocab_size = text_of, vocab_size
        self._picking: Picking | None = None
        self._kinds: TokenKinds | None = None
        self._masks: dict[tuple[int, int], BudgetMask | None] = {}
        self._begin_anew()
        self._lock = threading.RLock()

    def _begin_anew(self) -> None:
        """Forget all places and masks."""
        self._json = TextBounds(self._machine, self._paths)
        places = Places(self._machine, self._paths, self._bounds, self._json)
        self._settling = Settling(places, self._machine, self._paths, self._bounds, spares=True)
        self._places = places
        self._masks = {}
        self._alike = self._make_alike()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count what is looked at in the block, alone of all threads.

        Raises:
            LimitError: that is too much. All begins anew, as some of it may be found in part.
        """
        with self._lock:
            try:
                with one_mask(self._most_steps, _REMEDY):
                    yield
            except LimitError:
                self._begin_anew()
                raise

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
        with self._counted():
            self._make_room()
            found = self._places.find(hypotheses)
            if before is not None and before.reach is not None and found.n_tokens == FAR:
                for after in before.reach.places:
                    if after.key == found.key and after.suffices < FAR:
                        return self._places.keep(after)
            if before is not None and before.alike is not None:
                self._keep_alike(before.alike, hypotheses)
            return found

    def _keep_alike(self, before: Place, hypotheses: Hypotheses) -> None:
        """Keep what was known of a place with keys forgotten, if all has begun anew since."""
        if self._alike is None:
            return
        found = self._alike.place(hypotheses)
        if before.reach is not None and found.n_tokens == FAR:
            for after in before.reach.places:
                if after.key == found.key and after.suffices < FAR:
                    self._alike.settling.places.keep(after)

    def mask(self, place: Place, tokens_left: int) -> BudgetMask | None:
        """Return the tokens that leave enough of a budget; ``None``: all that are legal.

        Raises:
            TokensLeftError: no way is known to finish the text in so many tokens.
        """
        if tokens_left >= place.plain_from:
            return None
        with self._counted():
            place = self._places.current(place)
            key = (place.number, tokens_left)
            found = self._masks.get(key)
            if found is None:
                self._settling.measure(place)
                if tokens_left < place.plain_from:
                    found = self._masks[key] = self._find(place, tokens_left)
            return found

    def completion(self, place: Place) -> Completion:
        """Return as few tokens as are known to finish the text.

        Raises:
            TokensLeftError: none are known.
        """
        with self._counted():
            place = self._places.current(place)
            self._settling.begin(place)
            if place.n_tokens > self._places.at_least(place):
                self._settling.survey(place)
            while place.n_tokens > self._places.at_least(place):
                before = place.n_tokens
                if not self._settling.settle_all([place], before - 1) or place.n_tokens == before:
                    break
            is_shortest = place.n_tokens == self._places.at_least(place)
            if place.n_tokens == FAR:
                raise TokensLeftError(None, None, self._places.at_least(place))
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
        plain = self._plain(place)
        alike: BudgetMask | None = None
        if self._alike is not None and self._forgetting.is_useful(place.hypotheses):
            alike = self._alike.find(place, tokens_left, plain)
        if alike is None or not alike.is_exact:
            most = MOST_PLACES if alike is None else _FEW_PLACES
            around = self._find_around(place, tokens_left, most)
            if alike is None or around is not None and around.is_exact:
                alike = around
            elif around is not None:
                alike = BudgetMask(alike.words | around.words, is_exact=False)
        if alike is None:
            alike = self._find_singly(place, tokens_left, plain)
        words = alike.words
        if place.may_end and tokens_left:
            words |= plain & self._machine.pool.end_only.words
        if alike.is_exact and np.array_equal(words, plain):
            place.plain_from = min(place.plain_from, tokens_left)
            return None
        if not words.any():
            needed = None if place.n_tokens == FAR else place.n_tokens
            at_least = max(self._places.at_least(place), (tokens_left + 1) * alike.is_exact)
            raise TokensLeftError(needed, tokens_left, at_least)
        words.setflags(write=False)
        return alike

    def _make_alike(self) -> Alike | None:
        """Return what finds masks with keys forgotten; ``None``: there is nothing to forget."""
        forget, machine = self._forgetting.forget, self._machine
        if not self._forgetting.has_keys:
            return None
        places = Places(machine, self._paths, None, self._json, forget)
        settling = Settling(places, machine, self._paths, None, spares=False)
        if self._kinds is None:
            self._kinds = TokenKinds(self._paths, self._vocab_size, self._text_of)
        return Alike(
            machine, self._forgetting, settling, self._settling, self._kinds, self._text_of
        )

    def _find_around(self, place: Place, tokens_left: int, most: int) -> BudgetMask | None:
        """Return the same by the places that the tokens lead to; ``None`` if they are too many."""
        self._settling.survey(place, tokens_left - 1, most)
        if place.is_vast:
            return None
        reach = self._settling.reach(place)
        is_exact = self._settling.settle_all(reach.places, tokens_left - 1)
        fits = np.array([after.suffices < tokens_left for after in reach.places], dtype=np.bool_)
        return BudgetMask(reach.pack(fits, self._machine.pool.n_words), is_exact)

    def _find_singly(self, place: Place, tokens_left: int, plain: NDArray[np.int32]) -> BudgetMask:
        """Return the same, token by token where it is not known of all."""
        if self._picking is None:
            self._picking = Picking(self._text_of, self._vocab_size, self._ends)
        self._settling.begin(place)
        n_openings = -1
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
                self._settling.settle(after[token_id], b"")
        is_known = self._settling.settle_all(list(dict.fromkeys(after.values())), tokens_left - 1)
        fitting = [t for t, place_after in after.items() if place_after.n_tokens < tokens_left]
        if place.token is not None and place.n_tokens <= tokens_left:
            fitting.append(place.token)
        for token_id in fitting:
            words[token_id >> 5] |= np.array(1 << (token_id & 31), dtype=np.uint32).view(np.int32)
        return BudgetMask(words, is_all and is_known)

    def _plain(self, place: Place) -> NDArray[np.int32]:
        """Return the tokens that are legal in a place."""
        return self._machine.pool.unite(map(self._machine.mask, place.hypotheses)).words

    def _make_room(self) -> None:
        """Forget all masks if they take too much, and all places if they do.

        A matcher keeps the place where it was, and where its tokens lead.
        """
        n_masks = min(_MOST_MASKS, self._most_bytes // 4 // (4 * self._machine.pool.n_words))
        if len(self._masks) > n_masks:
            self._masks = {}
        if self.n_bytes > self._most_bytes:
            self._begin_anew()

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_bytes = 4 * self._machine.pool.n_words * len(self._masks) + self._settling.n_bytes
        return n_bytes + self._json.n_bytes + (self._alike.n_bytes if self._alike else 0)
