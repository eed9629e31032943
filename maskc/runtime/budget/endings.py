"""After which tokens can a text be finished within so many tokens? See the package.

What is known of one machine's texts is shared by all of its matchers, in whatever threads they run.
A matcher remembers the place where it was when it was last asked for a mask, with what was known
then: so what it was promised holds, though all else may be forgotten meanwhile.

Example: JSON after ``[[1`` with 2 tokens left allows ``]]``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError, TokensLeftError
from maskc.runtime.budget.cells import FAR, Cell, Writing, list_tokens, text_of
from maskc.runtime.budget.completions import Completions, Known, Texts
from maskc.runtime.budget.links import open_texts
from maskc.runtime.budget.reach import NOWHERE, Reach
from maskc.runtime.effort import one_mask
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.schema.tries.tokens import TokenIndex

_MOST_STEPS: Final = 2_000_000  # to find a completion, where the machine may take as many or more
_MASK_STEPS: Final = 60_000  # to find after which tokens one is short enough
_TIGHT_STEPS: Final = 8_000  # the same where few tokens are left beside those of a completion
_ROOMY: Final = 200  # tokens that are more than a few
_MOST_CHECKED: Final = 64  # bytes that finish an open key
_EXTENSIONS: Final = b"a0_" + bytes(range(0x21, 0x7F)).translate(None, b'"\\')
_PLACE_BYTES: Final = 700
_MOST_SEEN: Final = 10_000
_MOST_WALKS: Final = 16  # whose tokens are remembered one by one
_MANY: Final = (1 << 16) - 1  # tokens: as good as none
_REMEDY: Final = "leave tokens_left out, or ask for less of numbers, required keys and items"


class Completion(NamedTuple):
    """Tokens that finish a text.

    Attributes:
        tokens: their ids, the end of sequence last.
    """

    tokens: list[int]


class Walk:
    """What is known of all tokens after hypotheses with what is forgotten forgotten.

    Attributes:
        here: the hypotheses.
        most: how many tokens finish a text after any legal one; ``FAR``: not known of all.
        needs: uint16, of each token, in the order of the index, how many finish the text after it;
            ``None``: not remembered.
        atoms: the same of tokens that are taken whole, by id.
    """

    __slots__ = ("atoms", "here", "most", "needs")

    def __init__(self, here: Hypotheses) -> None:
        self.here, self.most = here, FAR
        self.needs: NDArray[np.uint16] | None = None
        self.atoms: dict[int, int] = {}


class Place:
    """Where a text is, and what is known to finish it.

    Attributes:
        key: equal for two places only if they have the same future.
        cell: a completion, ``None`` if none is found.
        plain_from: with so many tokens left the mask is the plain one.
        known: all completions that were known when the last mask was made.
        key_after: the key of where the first token of the completion leads.
        masks: by the tokens that are left.
    """

    __slots__ = ("cell", "hypotheses", "key", "key_after", "known", "masks", "plain_from", "walk")

    def __init__(self, hypotheses: Hypotheses, key: Hashable, walk: Walk, known: Known) -> None:
        self.hypotheses, self.key, self.walk, self.known = hypotheses, key, walk, known
        self.cell: Cell | None = None
        self.plain_from = min(FAR, walk.most + 1)
        self.key_after: Hashable = None
        self.masks: dict[int, NDArray[np.int32]] = {}

    def is_within(self, promised: Cell) -> bool:
        """Return whether the completion has no more tokens than another one."""
        return self.cell is not None and self.cell.n_tokens <= promised.n_tokens


class Endings:
    """What is known of the ends of one machine's texts. Safe to use from any thread.

    ``make_room`` is told before more is remembered, and has some endings forget.
    """

    def __init__(
        self,
        machine: Machine[Any],
        index: TokenIndex,
        ends: frozenset[int],
        make_room: Callable[[Endings], None],
    ) -> None:
        self._machine, self._index, self._ends = machine, index, ends
        self._make_room, self._is_link = make_room, isinstance(machine, LinkMachine)
        steps = machine.pool.steps
        self._most_steps = _MOST_STEPS if steps is None else min(steps, _MOST_STEPS)
        self._mask_steps = min(_MASK_STEPS, self._most_steps)
        self._lock = threading.RLock()
        self._writing = Writing(index, ends)
        self._texts: Texts = open_texts(machine, self._writing)
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Know nothing."""
        self._writing.clear()
        self._texts.clear()
        self._completions = Completions(self._machine, self._texts, self._writing)
        self._reach = Reach(self._machine, self._completions, self._index)
        # By the number of hypotheses, how many tokens finish them; 0: that is not known.
        self._needs = np.zeros(64, dtype=np.int32)
        self._places: dict[Hashable, Place] = {}
        self._seen: dict[int, Place] = {}  # by the identity of hypotheses
        self._walks: dict[Hashable, Walk] = {}
        self._remembered: list[Walk] = []  # with their tokens, the latest last
        self._n_mask_bytes = 0

    def forget(self) -> bool:
        """Forget everything, if nobody is just adding to it; return whether that is done."""
        is_free = self._lock.acquire(blocking=False)
        if is_free:
            try:
                self._begin_anew()
            finally:
                self._lock.release()
        return is_free

    def place(self, hypotheses: Hypotheses, before: Place | None) -> Place:
        """Return the place of some hypotheses; ``before`` is that where the text was last asked of.

        Raises:
            LimitError: it takes too long to find a completion.
        """
        # Most places were found before: they are looked up without the lock.
        found = self._seen.get(id(hypotheses))
        if found is not None and found.hypotheses is hypotheses:
            key = found.key
        else:
            key = self._completions.key_of(hypotheses)
            found = self._places.get(key)
            if found is not None and self._is_link and len(self._seen) < _MOST_SEEN:
                # A link's tokens lead to the same object each time, and keys are long.
                found.hypotheses = hypotheses
                self._seen[id(hypotheses)] = found
        promised = None
        if before is not None and before.cell is not None and before.key_after == key:
            promised = before.cell.then
        if found is not None and (promised is None or found.is_within(promised)):
            return found
        with self._lock, one_mask(self._most_steps, _REMEDY):
            self._make_room(self)
            return self._find_place(hypotheses, key, before, promised)

    def _find_place(
        self, hypotheses: Hypotheses, key: Hashable, before: Place | None, promised: Cell | None
    ) -> Place:
        found = self._places.get(key)
        if found is None or found.cell is None:
            forgotten = self._texts.forget(hypotheses)
            key_of_walk = key if forgotten is hypotheses else self._completions.key_of(forgotten)
            walk = self._walks.setdefault(key_of_walk, Walk(forgotten))
            found = self._places[key] = Place(hypotheses, key, walk, self._completions.known)
            found.cell = self._find_cell(hypotheses, forgotten, before.known if before else None)
        if promised is not None and not found.is_within(promised):
            found.cell, found.masks = promised, {}
        return found

    def _find_cell(
        self, hypotheses: Hypotheses, forgotten: Hypotheses, known: Known | None
    ) -> Cell | None:
        """Return a completion that the machine reads."""
        cell = self._completions.find(forgotten, known)
        if cell is None or not self._texts.margin(forgotten):
            return cell
        text, follow = text_of(cell, _MOST_CHECKED), self._completions.follow
        if follow(hypotheses, text):
            return cell
        # The open key would be one that was there: one more character makes another of it.
        quote = max(0, text.find(b'"'))
        for byte, at in product(_EXTENSIONS, (quote, quote + 1)):
            if follow(hypotheses, text[:at] + bytes([byte]) + text[at:]):
                rest = cell
                for _ in range(at):
                    rest = rest.after or rest
                return self._writing.prepend(text[:at] + bytes([byte]), rest)
        return None

    def mask(self, place: Place, tokens_left: int) -> NDArray[np.int32] | None:
        """Return the tokens that leave enough of a budget; ``None``: all that are legal.

        Raises:
            TokensLeftError: the known completion has more tokens, or there is none.
        """
        if tokens_left >= place.plain_from:
            return None
        found = place.masks.get(tokens_left)
        if found is not None:
            return found
        cell = place.cell
        if cell is None or cell.n_tokens > tokens_left:
            needed = None if cell is None or cell.n_tokens >= FAR else cell.n_tokens
            raise TokensLeftError(needed, tokens_left)
        with self._lock:
            words = self._find_mask(place, cell, tokens_left)
            if words is not None:
                words.setflags(write=False)
                place.masks[tokens_left] = words
                self._n_mask_bytes += words.nbytes
            return words

    def _find_mask(self, place: Place, cell: Cell, tokens_left: int) -> NDArray[np.int32] | None:
        """Return the tokens that leave enough; ``None``: all that are legal."""
        machine, here, walk = self._machine, place.hypotheses, place.walk
        place.known = self._completions.known
        if cell.token >= 0:
            place.key_after = self._completions.key_of(machine.take(here, cell.token))
        needs = walk.needs
        if needs is None and walk.most >= tokens_left:
            is_tight = tokens_left < cell.n_tokens + _ROOMY
            needs = self._walk(walk, min(self._mask_steps, _TIGHT_STEPS if is_tight else FAR))
        place.plain_from = min(place.plain_from, walk.most + 1)
        if needs is None or tokens_left >= place.plain_from:
            return None
        ids = [token for token, n_tokens in walk.atoms.items() if n_tokens < tokens_left]
        ids += [cell.token] if cell.token >= 0 else []
        words = self._index.pack(self._index.order[needs < min(tokens_left, _MANY)])
        # Some tokens are both text and the end of it.
        plain, ends = self._plain(here), machine.pool.end_only.words
        words = self._index.set_bits(words, ids) & plain & ~ends | plain & ends
        if np.array_equal(words, plain):
            place.plain_from = min(place.plain_from, tokens_left)
            return None
        return words

    def _plain(self, here: Hypotheses) -> NDArray[np.int32]:
        """Return the tokens that are legal without a budget."""
        words: NDArray[np.int32] = self._machine.pool.unite(map(self._machine.mask, here)).words
        return words

    def _walk(self, walk: Walk, most_steps: int) -> NDArray[np.uint16]:
        """Return of each token how many finish the text after it, ``_MANY``: not known."""
        text = self._plain(walk.here) & ~self._machine.pool.end_only.words
        walk.atoms = self._measure_atoms(walk.here)
        bits = np.unpackbits(text.view(np.uint8), bitorder="little").view(np.bool_)
        is_text: NDArray[np.bool_] = bits[self._index.order]
        if walk.atoms:
            is_text[np.isin(self._index.order, list(walk.atoms))] = False
        with one_mask(most_steps, _REMEDY):
            numbers = self._reach.follow(walk.here, is_text)
        counts = np.bincount(numbers, minlength=1)
        counts[NOWHERE] = 0
        by_number = self._measure(counts, most_steps)
        is_known = by_number > 0
        needs = np.where(is_known, np.minimum(by_number, _MANY), _MANY).astype(np.uint16)[numbers]
        if numbers[is_text].all() and is_known[counts > 0].all():
            most = int(by_number[counts > 0].max(initial=0))
            walk.most = max(most, *walk.atoms.values(), 0)
            walk.needs = needs
            self._remembered.append(walk)
            if len(self._remembered) > _MOST_WALKS:
                self._remembered.pop(0).needs = None
        return needs

    def _measure_atoms(self, here: Hypotheses) -> dict[int, int]:
        """Return the tokens that are taken whole, each with how many finish the text after it."""
        link = self._machine
        if not isinstance(link, LinkMachine) or not any(h.piece.has_atoms for h in here):
            return {}
        found = {}
        with one_mask(self._most_steps, _REMEDY):
            for token_id in link.list_atoms(here):
                after = link.take(here, token_id)
                if after:
                    found[token_id] = self._count(self._texts.forget(after))
        return found

    def _measure(self, counts: NDArray[np.intp], most_steps: int) -> NDArray[np.int32]:
        """Return by number of hypotheses how many tokens finish them; 0: that is not known.

        Those that the most tokens lead to, of which ``counts`` says how many, are found first.
        """
        if len(counts) > len(self._needs):
            more = np.zeros(2 * len(counts), dtype=np.int32)
            self._needs = np.concatenate([self._needs, more])
        needs = self._needs[: len(counts)]
        asked = np.flatnonzero((counts > 0) & (needs == 0))
        with suppress(LimitError), one_mask(most_steps, _REMEDY):
            for number in asked[np.argsort(-counts[asked], kind="stable")].tolist():
                needs[number] = self._count(self._reach.hypotheses[number])
        return needs

    def _count(self, here: Hypotheses) -> int:
        """Return how many tokens finish hypotheses, with what is forgotten forgotten."""
        cell = self._completions.find(here)
        return FAR if cell is None else min(FAR, cell.n_tokens + self._texts.margin(here))

    def completion(self, place: Place) -> Completion:
        """Return the tokens of a known completion.

        Raises:
            TokensLeftError: there is none.
        """
        tokens = [] if place.cell is None else list_tokens(place.cell)
        here, machine = place.hypotheses, self._machine
        for token_id in tokens:
            here = machine.take(here, token_id) if here else here
        if place.cell is None or place.cell.n_tokens >= FAR or not here:
            raise TokensLeftError(None, None)
        words = self._plain(here)
        end = min(e for e in self._ends if words[e >> 5] >> (e & 31) & 1)
        return Completion([*tokens, end])

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_bytes = self._n_mask_bytes + _PLACE_BYTES * len(self._places)
        n_bytes += 2 * len(self._index.order) * len(self._remembered)
        return n_bytes + self._completions.n_bytes + self._reach.n_bytes
