"""A short completion of each hypothesis, found once and remembered.

A machine's *proposals* are words that may come next in a short text (`parsing`, `values`, `links`).
The machine reads them, so a completion is what it accepts, and each point between two words
remembers its own. Where all proposals are refused, bytes are searched for, closing first.

Example: after ``{"a": [1`` the words are ``]`` and ``}``; the first one leads to where the second
one is known already if ``{"a": []`` was completed before.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from maskc.runtime.budget.cells import END, FAR, Cell, Writing
from maskc.runtime.effort import spend
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine

if TYPE_CHECKING:
    from maskc.runtime.budget.texts import Texts

Known = dict[Hashable, Cell]
Way = tuple[bytes | int, ...]

_MOST_WORDS: Final = 200_000  # of one completion
_MOST_PROPOSED: Final = 12  # words that are tried at one point
_SEARCH_STEPS: Final = 30  # that one move of it takes
_MOST_MOVES: Final = 10_000  # of one search
_STEP_BYTES: Final = 2  # that a machine reads in one step
_ENTRY_BYTES: Final = 400
_CELL_BYTES: Final = 90
_USUAL: Final = b"\t\n\r" + bytes(range(0x20, 0x7F))


class Completions:
    """The completions of one machine's texts.

    Args:
        machine: the machine.
        proposals: what its texts go on with.
        writing: writes them in tokens.

    Attributes:
        known: by the key of hypotheses, what finishes them.
        proposals: as given.
    """

    def __init__(self, machine: Machine[Any], proposals: Texts, writing: Writing) -> None:
        self._machine, self.proposals, self._writing = machine, proposals, writing
        self._link = machine if isinstance(machine, LinkMachine) else None
        written = [bytes(sorted({*group} & {*writing.written})) for group in machine.byte_groups]
        usual = [group[:1] for group in written if set(group) & set(_USUAL)]
        self._bytes = usual + [group[:1] for group in written if not set(group) & set(_USUAL)]
        self._bytes = [byte for byte in self._bytes if byte]
        self._n_usual = len(usual)
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
        """Return a completion, ``None`` if none is found.

        Args:
            hypotheses: live ones, with what is forgotten forgotten.
            before: what was known when a matcher was promised that there is one.
        """
        cell = self._find(hypotheses, before)
        if cell is None or cell.n_tokens < FAR:
            return cell
        # Some byte of it is in no token.
        key = self.key_of(hypotheses)
        if key not in self._searched:
            self._searched.add(key)
            self.known[key] = self._look_for(hypotheses) or cell
        return self.known[key]

    def _find(self, hypotheses: Hypotheses, before: Known | None) -> Cell | None:
        """Return a completion, whether or not there are tokens for it."""
        path: list[tuple[Hashable, bytes | int]] = []
        seen: set[Hashable] = set()
        here, cell = hypotheses, None
        while cell is None:
            key = self.key_of(here)
            cell = self.known.get(key)
            if cell is None and before is not None:
                cell = before.get(key)
                if cell is not None:
                    self.known[key] = cell
            if cell is None and any(map(self._machine.may_end, here)):
                cell = self.known[key] = END
            if cell is None:
                following = None
                if key not in seen and len(path) < _MOST_WORDS:
                    seen.add(key)
                    following = self._go_on(here)
                if following is None:
                    cell = self._look_for(here)
                    if cell is None:
                        return None
                    self.known[key] = cell
                else:
                    path.append((key, following[0]))
                    here = following[1]
        for key, word in reversed(path):
            cell = self._writing.prepend(word, cell)
            known = self.known.get(key)
            if known is None or cell.n_tokens < known.n_tokens:
                self.known[key] = cell
        return cell

    def _go_on(self, here: Hypotheses) -> tuple[bytes | int, Hypotheses] | None:
        """Return the first word that is proposed and read, and where it leads."""
        leap = self.proposals.leap(here)
        if leap is not None:
            return leap
        for number, word in enumerate(self.proposals.propose(here)):
            if number >= _MOST_PROPOSED:
                break
            after = self.follow(here, word)
            if after:
                return word, self.proposals.forget(after)
        return None

    def follow(self, here: Hypotheses, word: bytes | int) -> Hypotheses:
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

    def _look_for(self, here: Hypotheses) -> Cell | None:
        """Return the completion that a search by bytes finds."""
        found = self._search(here)
        if found is None:
            return None
        way, cell = found
        for word in reversed(way):
            cell = self._writing.prepend(word, cell)
        return cell

    def _search(self, start: Hypotheses) -> tuple[Way, Cell] | None:
        """Return what a search by bytes comes to, of which a completion is known."""
        order = count()
        estimate = self.proposals.estimate
        open_: list[tuple[int, int, Hypotheses, Way]] = [(estimate(start), next(order), start, ())]
        seen = {self.key_of(start)}
        n_moves = 0
        while open_ and n_moves < _MOST_MOVES:
            _, _, here, way = heapq.heappop(open_)
            for word, after in self._list_moves(here):
                n_moves += 1
                spend(_SEARCH_STEPS)
                after = self.proposals.forget(after)
                key = self.key_of(after)
                if key in seen:
                    continue
                seen.add(key)
                cell = END if any(map(self._machine.may_end, after)) else self.known.get(key)
                if cell is not None and cell.n_tokens < FAR:
                    return (*way, word), cell
                heapq.heappush(open_, (estimate(after), next(order), after, (*way, word)))
        return None

    def _list_moves(self, here: Hypotheses) -> Iterator[tuple[bytes | int, Hypotheses]]:
        """Yield what is legal next, a byte of each group or a token that is taken whole."""
        if self._link is not None and any(h.piece.has_atoms for h in here):
            for token_id in self._link.list_atoms(here):
                yield token_id, self.follow(here, token_id)
        found = False
        for number, byte in enumerate(self._bytes):
            if number == self._n_usual and found:
                break
            after = self.follow(here, byte)
            if after:
                found = True
                yield byte, after

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        n_bytes = _ENTRY_BYTES * len(self.known) + _CELL_BYTES * self._writing.n_cells
        return n_bytes + self.proposals.n_bytes
