"""A short completion of each hypothesis, found once and remembered.

The machine reads the words that are proposed, so a completion is what it accepts, and each point
between two words remembers its own. Where all proposals are refused, bytes are searched for,
closing first.

Example: after ``{"a": [1`` the words are ``]`` and ``}``; the first one leads to where the second
one is known already if ``{"a": []`` was completed before.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator
from itertools import count
from operator import itemgetter
from typing import Any, Final

from maskc.runtime.budget.cells import END, FAR, Cell, Writing
from maskc.runtime.effort import spend
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine

Known = dict[Hashable, Cell]
Word = bytes | int  # an integer: a token that is taken whole

_MOST_WORDS: Final = 200_000  # of one completion
_MOST_PROPOSED: Final = 12  # words that are tried at one point
_SEARCH_STEPS: Final = 30  # that one move of it takes
_MOST_MOVES: Final = 10_000  # of one search
_STEP_BYTES: Final = 2  # that a machine reads in one step
_ENTRY_BYTES: Final = 400
_USUAL: Final = b"\t\n\r" + bytes(range(0x20, 0x7F))


class Texts:
    """What a kind of machine knows of its short texts; where it knows nothing, bytes are searched.

    Attributes:
        n_bytes: about how much is remembered.
    """

    n_bytes = 0

    def clear(self) -> None:
        """Forget what is remembered, but not what is the same for all texts."""

    def propose(self, _hypotheses: Hypotheses) -> Iterator[Word]:
        """Yield words that may come next, the best first."""
        yield from ()

    def estimate(self, _hypotheses: Hypotheses) -> int:
        """Return about how many bytes are left."""
        return 0

    def forget(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses of which more are alike: they allow more, and end in the same ways."""
        return hypotheses

    def margin(self, _hypotheses: Hypotheses) -> int:
        """Return how many tokens more finish hypotheses than they do with some forgotten."""
        return 0


class Completions:
    """The completions of one machine's texts.

    Attributes:
        known: by the key of hypotheses, what finishes them.
        texts: what is known of the kind of machine.
    """

    def __init__(self, machine: Machine[Any], texts: Texts, writing: Writing) -> None:
        self._machine, self.texts, self._writing = machine, texts, writing
        self._link = machine if isinstance(machine, LinkMachine) else None
        groups = [bytes(sorted({*group} & {*writing.written})) for group in machine.byte_groups]
        moves = [(not {*group} & {*_USUAL}, group[:1]) for group in groups if group]
        self._moves = sorted(moves, key=itemgetter(0))  # whether no usual byte is in it, a byte
        self._searched: set[Hashable] = set()
        self.known: Known = {}

    def key_of(self, hypotheses: Hypotheses) -> Hashable:
        """Return a key that only hypotheses with the same future have."""
        identify = self._machine.identify
        if len(hypotheses) == 1:
            return identify(hypotheses[0])
        # In whatever order they are found, the future is the same.
        return frozenset(map(identify, hypotheses))

    def find(self, hypotheses: Hypotheses, before: Known | None = None) -> Cell | None:
        """Return a completion of live hypotheses, with what is forgotten forgotten.

        ``before`` is what was known when a matcher was promised that there is one. The result is
        ``None`` if none is found.
        """
        cell = self._find(hypotheses, before or {})
        if cell is None or cell.n_tokens < FAR:
            return cell
        # Some byte of it is in no token.
        key = self.key_of(hypotheses)
        if key not in self._searched:
            self._searched.add(key)
            self.known[key] = self._search(hypotheses) or cell
        return self.known[key]

    def _find(self, hypotheses: Hypotheses, before: Known) -> Cell | None:
        """Return a completion, whether or not there are tokens for it."""
        path: list[tuple[Hashable, Word]] = []
        seen: set[Hashable] = set()
        here, cell = hypotheses, None
        while cell is None:
            key = self.key_of(here)
            cell = self.known.get(key) or before.get(key)
            if cell is None and any(map(self._machine.may_end, here)):
                cell = END
            if cell is None and key not in seen and len(path) < _MOST_WORDS:
                seen.add(key)
                following = self._go_on(here)
                if following is not None:
                    path.append((key, following[0]))
                    here = following[1]
                    continue
            if cell is None:
                cell = self._search(here)
            if cell is None:
                return None
            self.known[key] = cell
        for key, word in reversed(path):
            cell = self._writing.prepend(word, cell)
            known = self.known.get(key)
            if known is None or cell.n_tokens < known.n_tokens:
                self.known[key] = cell
        return cell

    def _go_on(self, here: Hypotheses) -> tuple[Word, Hypotheses] | None:
        """Return the first word that is proposed and read, and where it leads."""
        for number, word in enumerate(self.texts.propose(here)):
            if number >= _MOST_PROPOSED:
                break
            after = self.follow(here, word)
            if after:
                return word, self.texts.forget(after)
        return None

    def follow(self, here: Hypotheses, word: Word) -> Hypotheses:
        """Return the live hypotheses after a word; none: it is refused."""
        if isinstance(word, int):
            spend(2)
            return self._machine.take(here, word)
        spend(2 + len(word) // _STEP_BYTES)
        if self._link is None or not any(h.piece.counts_tokens for h in here):
            return self._machine.step(here, word)
        # Each byte counts as a token.
        for at in range(len(word)):
            here = self._machine.step(here, word[at : at + 1])
            if not here:
                break
        return here

    def _search(self, start: Hypotheses) -> Cell | None:
        """Return the completion that a search by bytes finds, what is nearest an end first."""
        order, estimate = count(), self.texts.estimate
        open_: list[tuple[int, int, Hypotheses, tuple[Word, ...]]]
        open_ = [(estimate(start), next(order), start, ())]
        seen = {self.key_of(start)}
        n_moves = 0
        while open_ and n_moves < _MOST_MOVES:
            _, _, here, way = heapq.heappop(open_)
            for word, after in self._list_moves(here):
                n_moves += 1
                spend(_SEARCH_STEPS)
                after = self.texts.forget(after)
                key = self.key_of(after)
                if key in seen:
                    continue
                seen.add(key)
                cell = END if any(map(self._machine.may_end, after)) else self.known.get(key)
                if cell is not None and cell.n_tokens < FAR:
                    for each in reversed((*way, word)):
                        cell = self._writing.prepend(each, cell)
                    return cell
                heapq.heappush(open_, (estimate(after), next(order), after, (*way, word)))
        return None

    def _list_moves(self, here: Hypotheses) -> Iterator[tuple[Word, Hypotheses]]:
        """Yield what is legal next: tokens that are taken whole, and a byte of each group.

        Bytes that no text has usually are tried where no other one is legal.
        """
        if self._link is not None and any(h.piece.has_atoms for h in here):
            for token_id in self._link.list_atoms(here):
                yield token_id, self.follow(here, token_id)
        found = False
        for is_rare, byte in self._moves:
            if is_rare and found:
                break
            after = self.follow(here, byte)
            if after:
                found = not is_rare
                yield byte, after

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return _ENTRY_BYTES * len(self.known) + self._writing.n_bytes + self.texts.n_bytes
