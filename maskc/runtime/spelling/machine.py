"""The machine of a language whose texts are written in the tokenizer's own tokens only.

A *reading* is what the language's own machine knows, and where in its chunks the tokenizer may be:
a node of their automaton for each way to guess what follows, and the last token. A token is legal
if it is for the language's machine, if merging leads to it after the last token or a chunk may
begin with it, and if some text of the language is written so: that is decided by
:mod:`maskc.runtime.spelling.liveness`.

Example: in json with llama3's tokens, after ``{`` the token ``"`` is legal, and after ``{"name`` it
is not if ``":`` must come.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.ending.places.place import Place
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.spelling.chunks import DEAD
from maskc.runtime.spelling.liveness import Liveness
from maskc.runtime.spelling.opened import Opened
from maskc.runtime.spelling.pairs import Words
from maskc.runtime.spelling.prospects import NO_LAST

_MOST_MASKS = 100_000


class Guess(NamedTuple):
    """Where the tokenizer may be.

    Attributes:
        node: of the automaton of chunks.
        alone: see :class:`maskc.runtime.spelling.spelling.AloneTokens`.
    """

    node: int
    alone: int


class Reading(NamedTuple):
    """One reading of the text so far.

    Attributes:
        hypotheses: of the language's machine.
        last: the last token, ``NO_LAST`` if it was an atom, or there is none.
        guesses: where the tokenizer may be.
    """

    hypotheses: Hypotheses
    last: int
    guesses: tuple[Guess, ...]


Readings = tuple[Reading, ...]


class CanonicalMachine:
    """A :class:`maskc.runtime.machine.Machine` of the tokenizer's own tokens.

    Args:
        machine: of the language.
        spelling: how the tokenizer writes.
        ends: end-of-sequence ids.

    Attributes:
        pool, byte_groups: see the interface; masks are numbered with those of the language.
        liveness: decides which tokens may come.
    """

    def __init__(self, machine: Machine[Any], spelling: Opened, ends: frozenset[int]) -> None:
        self._machine, self._spelling, self._ends = machine, spelling, ends
        self.pool, self.byte_groups = machine.pool, machine.byte_groups
        self.liveness = Liveness(machine, spelling, ends)
        self._masks: dict[tuple[int, int, tuple[Guess, ...]], PooledMask] = {}
        self._lock = threading.RLock()

    def start(self) -> Readings:
        """Return the reading before the first token."""
        start = (Guess(self._spelling.chunks.start, 0),)
        return (Reading(self._machine.start(), NO_LAST, start),)

    def take(self, readings: Readings, token_id: int) -> Readings:
        """Return the live readings after a token; none: it is illegal."""
        found: list[Reading] = []
        for reading in readings:
            # What is legal is decided in one place.
            if _has(self.mask(reading).words, token_id) and token_id not in self._ends:
                after = self._machine.take(reading.hypotheses, token_id)
                guesses = self._after(reading, token_id)
                last = token_id if self._spelling.is_beginning[token_id] else NO_LAST
                found.append(Reading(after, last, guesses))
        return tuple(found)

    def _after(self, reading: Reading, token_id: int) -> tuple[Guess, ...]:
        """Return where the tokenizer may be after a legal token."""
        spelling = self._spelling
        if not spelling.is_beginning[token_id]:
            return (Guess(spelling.chunks.start, 0),)
        ids = np.array([token_id], dtype=np.int32)
        found: set[Guess] = set()
        for guess in self._open(reading):
            node = int(spelling.after(guess.node, ids)[0])
            is_begun = guess.alone == 0
            fits = spelling.is_beginning[token_id] if is_begun else spelling.is_whole[token_id]
            if node == DEAD or not fits:
                continue
            if not is_begun and not _has(spelling.followers(reading.last), token_id):
                continue
            found.add(Guess(node, spelling.alone.after(guess.alone, token_id)))
        return tuple(sorted(found))

    def _open(self, reading: Reading) -> Iterator[Guess]:
        """Yield from where the next token may be written; those before a chunk have 0 alone."""
        chunks, alone = self._spelling.chunks, self._spelling.alone
        for guess in reading.guesses:
            if guess.alone != alone.CLOSED:
                yield guess
            if guess.alone != 0 and alone.may_end(guess.alone):
                for node in chunks.marks[guess.node]:
                    yield Guess(node, 0)

    def step(self, readings: Readings, text: bytes) -> Readings:
        """Return the live readings after the tokens that the tokenizer writes for some bytes.

        The last of these tokens ends where the bytes end; none: the tokenizer does not cut there,
        or the bytes are illegal.
        """
        reached: dict[int, dict[Hashable, Reading]] = {
            0: {self.identify(reading): reading for reading in readings}
        }
        for at in range(len(text)):
            for reading in reached.pop(at, {}).values():
                words = self.mask(reading).words
                for end, token_id in self._spelling.tokens_at(text, at):
                    if _has(words, token_id):
                        for after in self.take((reading,), token_id):
                            reached.setdefault(end, {})[self.identify(after)] = after
        return tuple(reached.pop(len(text), {}).values())

    def may_end(self, reading: Reading) -> bool:
        """Return whether the text may end here."""
        return self._may_cut(reading) and any(map(self._machine.may_end, reading.hypotheses))

    def _may_cut(self, reading: Reading) -> bool:
        """Return whether the tokenizer's text may end here."""
        chunks, alone = self._spelling.chunks, self._spelling.alone
        return any(chunks.may_end[g.node] and alone.may_end(g.alone) for g in reading.guesses)

    def mask(self, reading: Reading) -> PooledMask:
        """Return the legal tokens."""
        with self._lock:
            if self.liveness.make_room() or len(self._masks) > _MOST_MASKS:
                self._masks = {}
            place = self.liveness.places.find(reading.hypotheses)
            key = (place.number, reading.last, reading.guesses)
            found = self._masks.get(key)
            if found is None:
                found = self._masks[key] = self.pool.share(self._compose(reading, place))
            return found

    def _compose(self, reading: Reading, place: Place) -> Words:
        spelling = self._spelling
        words = np.zeros(spelling.n_words, dtype=np.int32)
        for guess in self._open(reading):
            row = self.liveness.row(place, guess.node, guess.alone)
            words |= row if guess.alone == 0 else row & spelling.followers(reading.last)
        if self._may_cut(reading):
            # Atoms and the end of sequence are no part of what is cut.
            machine = self._machine
            plain = machine.pool.unite(map(machine.mask, reading.hypotheses)).words
            words |= plain & spelling.outside
        return words

    def mask_numbers(self, batch: Iterable[Readings]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return [self.pool.unite(map(self.mask, readings)).number for readings in batch]

    def describe(self, reading: Reading) -> Hashable:
        """Return all that the future depends on; more is told apart than has to be."""
        within = frozenset(map(self._machine.describe, reading.hypotheses))
        return (within, reading.last, reading.guesses)

    def identify(self, reading: Reading) -> Hashable:
        """Return a key of a reading."""
        within = frozenset(map(self._machine.identify, reading.hypotheses))
        return (within, reading.last, reading.guesses)


def _has(words: Words, token_id: int) -> bool:
    """Return whether a token is in a mask."""
    return 0 <= token_id < 32 * len(words) and bool(words[token_id >> 5] >> (token_id & 31) & 1)
