"""A short completion of each hypothesis, found once, and written in as few tokens as write it.

The machine reads the words that are proposed, so a completion is what it accepts, and each point
between two words remembers its own. Where all proposals are refused, bytes are searched for,
closing first.

A completion is a chain of cells, one for each byte, and ends in :data:`END`. Chains share their
ends: what finishes an array is written once for all its items.

Example: after ``{"a": [1`` the words are ``]`` and ``}``; the first one leads to where the second
one is known already if ``{"a": []`` was completed before. Of the tokens ``]`` and ``]]``, the chain
``]]]`` needs three: two for the brackets, and the end of sequence.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.cache import Budget
from maskc.runtime.link.joining import LinkMachine
from maskc.runtime.machine import Hypotheses, Machine, StepTable, key_of
from maskc.runtime.schema.tries import ROOT, TokenIndex, Words
from maskc.runtime.step_budget import charge_steps

FAR: Final = 1 << 30  # tokens: no end is known
_END: Final = -1
_ATOM: Final = -2  # minus the id of a token that is taken whole, whatever it writes
_CELL_BYTES: Final = 90


class Cell:
    """The rest of a completion. Never changes.

    Attributes:
        symbol: its first byte; below 0: a token that is taken whole, or the end.
        after: what follows the symbol.
        n_tokens: how many tokens write it at least, the end of sequence included; ``FAR``: some
            byte of it is in no token.
        token: the first of these, -1 at the end.
        then: what follows that token.
    """

    __slots__ = ("after", "n_tokens", "symbol", "then", "token")

    def __init__(self, symbol: int, after: Cell | None) -> None:
        self.symbol, self.after = symbol, after
        self.n_tokens = FAR
        self.token = -1
        self.then: Cell | None = None


END: Final = Cell(_END, None)
END.n_tokens = 1
LOST: Final = Cell(_END, None)  # no completion is known

Known = dict[Hashable, Cell]  # by the key of hypotheses, what finishes them
Word = bytes | int  # an integer: a token that is taken whole
Proposal = tuple[int, Word]  # a word that may come next, after about how many bytes with it


class Needs:
    """How many tokens finish the text after each token, for hypotheses that stand for others."""

    __slots__ = ("by_atom", "by_token", "here", "keys", "known", "most", "reached")

    def __init__(self, here: Hypotheses, known: Known, states: StepTable) -> None:
        self.here, self.most = here, FAR  # most: after any legal token; FAR: not known of all
        self.remember(known, states)
        # uint16, after each in the order of the index; None: not remembered
        self.by_token: NDArray[np.uint16] | None = None
        self.by_atom: dict[int, int] = {}  # after tokens that are taken whole, by id

    def remember(self, known: Known, states: StepTable) -> None:
        """Keep the completions that are known when tokens are followed, and where these lead."""
        self.known, self.keys, self.reached = known, states.keys, states.hypotheses

    def recall(self, machine: Machine[Any], here: Hypotheses, tokens_left: int) -> Known:
        """Return what was known of hypotheses after a token whose numbers were evicted since."""
        describe, found = machine.describe, dict[Hashable, Cell]()
        described = {*map(describe, here)}
        for key, others in zip(self.keys, self.reached, strict=False):
            cell = self.known.get(key, LOST)
            if cell.n_tokens <= tokens_left and {*map(describe, others)} == described:
                found[key_of(machine, here)] = cell
        return found


class Point:
    """A point of a text, and what is known to finish it."""

    __slots__ = (
        *("cell", "generation", "hypotheses", "key", "leads", "masks", "needs", "plain_from"),
    )

    def __init__(
        self, hypotheses: Hypotheses, key: Hashable, generation: int, needs: Needs
    ) -> None:
        # key: only with the same future two points of one generation of the caches have the same
        self.hypotheses, self.key, self.generation = hypotheses, key, generation
        self.needs = needs
        self.cell = LOST  # a completion
        # The completion that was followed last, and where its first token leads.
        self.leads: tuple[Cell, Hypotheses] = (LOST, ())
        self.plain_from = min(FAR, needs.most + 1)  # with so many tokens left, the plain mask
        self.masks: dict[int, Words] = {}  # by the tokens that are left

    def of_text(self, hypotheses: Hypotheses, generation: int) -> Point:
        """Return this point with the hypotheses of one text, from which its tokens go on.

        Equal hypotheses of another text can have other numbers, even if nothing was evicted.
        """
        if self.hypotheses is hypotheses:
            return self
        found = Point(hypotheses, self.key, generation, self.needs)
        found.cell, found.masks, found.plain_from = self.cell, self.masks, self.plain_from
        return found

    def keeps(self, promised: Cell | None) -> bool:
        """Return whether the completion has no more tokens than a promised one."""
        return promised is None or self.cell.n_tokens <= promised.n_tokens


class CompletionWriting:
    """Writes completions in the tokens of a vocabulary; the bytes of ``ends`` are never written."""

    def __init__(self, index: TokenIndex, ends: frozenset[int]) -> None:
        self.index, self._ends, self._trie = index, ends, index.tokens
        # the bytes that tokens write
        self.written = np.unique(index.tokens.byte_array[1:]).tobytes()
        self.clear()

    def clear(self) -> None:
        self.n_cells = 0
        self._cells: dict[int, Cell] = {}

    def prepend(self, word: bytes | int, after: Cell) -> Cell:
        """Return the chain of some bytes, or of a token that is taken whole, and what follows."""
        if isinstance(word, int):
            self.n_cells += 1
            cell = Cell(_ATOM - word, after)
            cell.token, cell.then = word, after
            cell.n_tokens = min(FAR, after.n_tokens + 1)
            return cell
        for byte in reversed(word):
            after = self._write(byte, after)
        return after

    def _write(self, byte: int, after: Cell) -> Cell:
        # What follows is kept by the cell, so its id stays its own.
        key = id(after) << 8 | byte
        known = self._cells.get(key)
        if known is not None:
            return known
        self.n_cells += 1
        cell = self._cells[key] = Cell(byte, after)
        trie, here = self._trie, after
        node = trie.child(ROOT, byte)
        while node >= 0:
            if trie.n_ending[node] and here.n_tokens + 1 < cell.n_tokens:
                token = self._token_at(node)
                if token >= 0:
                    cell.n_tokens, cell.token, cell.then = here.n_tokens + 1, token, here
            following = here.after
            if here.symbol < 0 or following is None:
                break
            node, here = trie.child(node, here.symbol), following
        return cell

    def _token_at(self, node: int) -> int:
        """Return a token that ends in a node of the trie, -1 if there is none."""
        low = self._trie.low[node]
        tokens = (self.index.ids[at] for at in range(low, low + self._trie.n_ending[node]))
        return next((token for token in tokens if token not in self._ends), -1)

    @property
    def n_bytes(self) -> int:
        return _CELL_BYTES * self.n_cells


def list_tokens(cell: Cell) -> list[int]:
    """Return the tokens of a completion, without the end of sequence."""
    found: list[int] = []
    here: Cell | None = cell
    while here is not None and here.token >= 0:
        found.append(here.token)
        here = here.then
    return found


def text_of(cell: Cell, most: int) -> bytes:
    """Return the first bytes of a completion, up to a token that is taken whole."""
    found = bytearray()
    here: Cell | None = cell
    while here is not None and here.symbol >= 0 and len(found) < most:
        found.append(here.symbol)
        here = here.after
    return bytes(found)


NO_KEY, OPEN_KEY, COMING_KEY = range(3)
MOST_CHECKED: Final = 64  # bytes that finish an open key
_MOST_WORDS: Final = 200_000  # of one completion
_MOST_PROPOSED: Final = 12  # words that are tried at one point
_SEARCH_STEPS: Final = 30  # that one move of it takes
_MOST_MOVES: Final = 10_000  # of one search
_STEP_BYTES: Final = 2  # that a machine reads in one step
_ENTRY_BYTES: Final = 400
_USUAL: Final = b"\t\n\r" + bytes(range(0x20, 0x7F))


class Texts(ABC):
    """What a kind of machine knows of its short texts.

    Attributes:
        budgets: what numbers of hypotheses are charged to, beside the machine's own budget.
    """

    budgets: Sequence[Budget] = ()

    @abstractmethod
    def propose(self, hypotheses: Hypotheses) -> Iterable[Proposal]:
        """Return words that may come next, the best first, each with what is left in bytes."""

    def stand_in(self, hypotheses: Hypotheses) -> Hypotheses:
        """Return hypotheses of which more are alike: they allow more, and end in the same ways."""
        return hypotheses

    def key_at(self, hypotheses: Hypotheses) -> int:  # noqa: ARG002  # most have no keys
        """Return which key may be one that was there, where keys are left out of stand-ins."""
        return NO_KEY

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return 0

    def clear(self) -> None:  # noqa: B027  # some remember nothing else
        """Forget what is remembered, but not what is the same for all texts."""


class _Reached(NamedTuple):
    """A point that a search has come to: from which one, and by which word."""

    here: Hypotheses
    key: Hashable
    number: int
    word: Word


class Completions:
    """The completions of one machine's texts."""

    def __init__(self, machine: Machine[Any], texts: Texts, writing: CompletionWriting) -> None:
        self._machine, self._texts, self._writing = machine, texts, writing
        self._link = machine if isinstance(machine, LinkMachine) else None
        groups = [bytes(sorted({*group} & {*writing.written})) for group in machine.byte_groups]
        moves = [(not {*group} & {*_USUAL}, group[:1]) for group in groups if group]
        self._moves = sorted(moves, key=itemgetter(0))  # whether no usual byte is in it, a byte
        self.known: Known = {}

    def find(self, here: Hypotheses, key: Hashable, before: Known | None = None) -> Cell:
        """Return a completion of live hypotheses that stand for others; ``LOST``: none is found.

        ``key`` is one of theirs, whenever it was made; ``before`` is what was known when a matcher
        was promised that there is a completion.
        """
        known = self.known.get(key)
        promised = before.get(key) if before else None
        if promised is not None and (known is None or promised.n_tokens < known.n_tokens):
            known = promised
        if known is None:
            known = self._search(here, before or {}, only_bytes=False)
            if known.n_tokens >= FAR:
                # Some byte of it is in no token.
                known = self._search(here, {}, only_bytes=True)
            self.known[key] = known
        return known

    def count(self, here: Hypotheses, key: Hashable) -> int:
        """Return how many tokens finish whatever hypotheses stand for, with a key of theirs."""
        cell = self.find(here, key)
        if self._texts.key_at(here) == NO_KEY:
            return cell.n_tokens
        # Should the key be one that was there: each byte is a token where keys are left out.
        before, rest = self.cut_key(here, cell)
        return min(FAR, max(cell.n_tokens, len(before) + 1 + rest.n_tokens))

    def cut_key(self, here: Hypotheses, cell: Cell) -> tuple[bytes, Cell]:
        """Return a completion in two parts, between which a character makes another key of one."""
        text = text_of(cell, MOST_CHECKED)
        at = max(0, text.find(b'"') + (self._texts.key_at(here) == COMING_KEY))
        for _ in range(at):
            cell = cell.after or cell
        return text[:at], cell

    def _search(self, start: Hypotheses, before: Known, *, only_bytes: bool) -> Cell:
        """Return the completion that a best-first search finds.

        Of each point the first word that is proposed and read is taken; bytes if there is none.
        """
        reached = [_Reached(start, key_of(self._machine, start), -1, b"")]
        waiting, seen, n_moves = [(0, 0)], {reached[0].key}, 0
        cell = self._find_end(reached[0], before, only_bytes=only_bytes)
        if cell is not None:
            return self._remember(reached, 0, cell)
        while waiting and len(reached) < _MOST_WORDS and n_moves < _MOST_MOVES:
            number = heapq.heappop(waiting)[1]
            here = reached[number].here
            words = [] if only_bytes else self._list_words(here, number, seen)
            for each in words or self._list_bytes(here, number):
                n_moves += not words
                if each.key in seen:
                    continue
                seen.add(each.key)
                reached.append(each)
                cell = self._find_end(each, before, only_bytes=only_bytes)
                if cell is not None:
                    return self._remember(reached, len(reached) - 1, cell)
                n_left = 0  # of what is alone
                if waiting or not words:
                    n_left = next((n for n, _ in self._texts.propose(each.here)), FAR)
                heapq.heappush(waiting, (n_left, len(reached) - 1))
        return LOST

    def _find_end(self, point: _Reached, before: Known, *, only_bytes: bool) -> Cell | None:
        cell = self.known.get(point.key) or before.get(point.key)
        if cell is None and any(map(self._machine.may_end, point.here)):
            cell = END
        return None if cell is not None and only_bytes and cell.n_tokens >= FAR else cell

    def _remember(self, reached: list[_Reached], number: int, cell: Cell) -> Cell:
        """Return the completion of the first of some points, and remember those on the way."""
        known = self.known
        if cell.n_tokens < FAR:
            known[reached[number].key] = cell
        while number > 0:
            _, _, number, word = reached[number]
            key, cell = reached[number].key, self._writing.prepend(word, cell)
            if cell.n_tokens < known.get(key, LOST).n_tokens:
                known[key] = cell
        return cell

    def _list_words(self, here: Hypotheses, number: int, seen: set[Hashable]) -> list[_Reached]:
        """Return where the first word leads that is proposed and read, and leads on."""
        for _, word in islice(self._texts.propose(here), max(0, _MOST_PROPOSED)):
            after = self.follow(here, word) if word != b"" else ()
            if after:
                found = self._reach(after, number, word)
                if found.key not in seen:
                    return [found]
        return []

    def _reach(self, here: Hypotheses, number: int, word: Word) -> _Reached:
        here = self._texts.stand_in(here)
        return _Reached(here, key_of(self._machine, here), number, word)

    def follow(self, here: Hypotheses, word: Word) -> Hypotheses:
        """Return the live hypotheses after a word; none: it is refused."""
        if isinstance(word, int):
            charge_steps(2)
            return self._machine.take(here, word)
        charge_steps(2 + len(word) // _STEP_BYTES)
        if self._link is None or not any(h.piece.counts_tokens for h in here):
            return self._machine.step(here, word)
        # Each byte counts as a token.
        for at in range(len(word)):
            here = self._machine.step(here, word[at : at + 1])
            if not here:
                break
        return here

    def _list_bytes(self, here: Hypotheses, number: int) -> Iterator[_Reached]:
        """Yield where what is legal next leads: tokens taken whole, and a byte of each group.

        Bytes that no text has usually are tried where no other one is legal.
        """
        if self._link is not None and any(h.piece.has_atoms for h in here):
            for atom in self._link.list_atoms(here):
                yield self._reach(self.follow(here, atom), number, atom)
        has_usual = False
        for is_rare, byte in self._moves:
            if is_rare and has_usual:
                break
            after = self.follow(here, byte)
            if after:
                charge_steps(_SEARCH_STEPS)
                has_usual = not is_rare
                yield self._reach(after, number, byte)

    @property
    def n_bytes(self) -> int:
        return _ENTRY_BYTES * len(self.known) + self._writing.n_bytes + self._texts.n_bytes
