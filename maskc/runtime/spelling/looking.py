"""Is there a text after a token of which no single byte settles it? One token more is tried.

A token may end inside of a character, or where the next byte is merged with it. Then a text is
found mostly one token further: one that may follow, or that begins a chunk, and after which a byte
settles that its chunk ends. And if no token may follow at all, there is no text: that is known for
sure as well.

Example: in JSON without blanks, ``"`` leads to where only ``:`` may come, and no token that begins
with it follows ``"`` in llama3, so there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from maskc.ids import RefinedStateId, ScannerStateId
from maskc.runtime.cache.budget import Cache
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.spelling.chunks import DEAD
from maskc.runtime.spelling.merges import Ints
from maskc.runtime.spelling.opened import Opened

_MOST_TRIED = 24  # tokens after one token
_MOST_DEEPER = 150  # tokens of one search, after which one token more is tried
_DEEPEST = 2  # tokens
_FEW = 400  # tokens that are compared one by one
_ANY = -1  # token
_UNTOLD = "untold"  # in the place of a verdict

# Whether legal bytes settle that chunks end at nodes.
Settle = Callable[[Hypothesis, NDArray[np.int64], ReadSet], NDArray[np.bool_]]

# A scanner state, the state on top of the stack, a node, a token, and where it led.
_Key = tuple[ScannerStateId, RefinedStateId, int, int, int]


class Looking:
    """Looks one token further.

    Args:
        machine: of the grammar.
        spelling: how the tokenizer writes, opened for the machine's vocabulary.
        settle: see above.
        can_settle: bool[n_nodes], whether a byte, or the end of the text, can do so at all.
    """

    def __init__(
        self,
        machine: LalrMachine,
        spelling: Opened,
        settle: Settle,
        can_settle: NDArray[np.bool_],
    ) -> None:
        self._machine, self._spelling, self._settle = machine, spelling, settle
        self._can_settle = can_settle
        self._whole, self._beginnings = (
            spelling.pack(np.flatnonzero(written).astype(np.int32))
            for written in (spelling.is_whole, spelling.is_beginning)
        )
        # Token or ``_ANY``, node → the token after which a text was found before.
        self._hints = Cache(machine.budget)
        # What was found without reading more than the top of the stack: whether there is a text,
        # or ``_UNTOLD``.
        self._known = Cache(machine.budget)
        self._n_left = _MOST_DEEPER

    def is_live(
        self, h: Hypothesis, node: int, token: int, alone: int, reads: ReadSet, depth: int = 0
    ) -> bool | None:
        """Return whether a text goes on after a token; ``None`` if that is not known.

        Args:
            h: after the token.
            node: of the chunks, after it.
            token: the last one.
            alone: where it led.
            reads: notes what was read.
            depth: how many tokens the search has come.
        """
        key = (h.state, h.stack.state, node, token, alone)
        known = self._known.get(key)
        if known is not None:
            return None if known is _UNTOLD else bool(known)
        own = ReadSet(h.stack.depth)
        if depth == 0:
            self._n_left = _MOST_DEEPER
        found = self._look(h, node, token, alone, own, depth)
        if found is None:
            # That is right on all stacks: whoever asks looks further, and nothing was read for it.
            if depth == 0:
                self._known.put(key, _UNTOLD)
            return None
        if own.lowest == h.stack.depth and not own.layout:
            self._known.put(key, found)
        _add(reads, own)
        return found

    def _look(
        self, h: Hypothesis, node: int, token: int, alone: int, reads: ReadSet, depth: int
    ) -> bool | None:
        """Return the same; a text that was found depends on what was read of it only."""
        every = ReadSet(h.stack.depth)

        def shows(following: int, at: int, led: int) -> bool:
            own = ReadSet(h.stack.depth)
            is_settled = self._is_settled(h, at, following, led, own)
            _add(reads if is_settled else every, own)
            return is_settled

        hint = self._hint(token, node)
        is_closed = alone == self._spelling.alone.CLOSED
        if hint >= 0 and not is_closed and shows(hint, node, alone):
            return True
        marks = self._spelling.chunks.marks[node]
        if self._spelling.alone.may_end(alone):
            # After a mark the last token does not matter.
            for marked in marks:
                begun = self._hint(_ANY, marked)
                if begun >= 0 and shows(begun, marked, 0):
                    return True
        words = self._machine.compose(h, every).words
        tried: list[int] = []
        for following in islice(self._followers(words, node, token, alone), 2 * _MOST_TRIED):
            tried.append(following)
            if following != hint and shows(following, node, alone):
                self._keep_hint(token, node, following)
                return True
        may_be_cut = False
        spelling = self._spelling
        if spelling.alone.may_end(alone):
            own = ReadSet(h.stack.depth)
            if spelling.chunks.may_end[node] and self._machine.lexemes.may_end(h, own):
                _add(reads, own)
                return True
            _add(every, own)
            for marked in marks:
                legal = _ids(words & self._beginnings)
                after = spelling.after(marked, legal)
                for following in legal[self._first(after, _MOST_TRIED)].tolist():
                    may_be_cut = True
                    if shows(following, marked, 0):
                        self._keep_hint(_ANY, marked, following)
                        return True
        is_dead: bool = not may_be_cut and len(tried) < _MOST_TRIED
        if depth < _DEEPEST:
            # Those that no byte can settle are at the end, and were not tried yet.
            for following in reversed(tried):
                self._n_left -= 1
                if self._n_left < 0:
                    is_dead = False
                    break
                verdict = self._lead_on(h, node, following, alone, every, depth)
                if verdict:
                    _add(reads, every)
                    return True
                is_dead = is_dead and verdict is False
        elif tried:
            is_dead = False
        _add(reads, every)
        return False if is_dead else None

    def _keep_hint(self, token: int, node: int, following: int) -> None:
        self._hints.put((token, node), following)

    def _hint(self, token: int, node: int) -> int:
        """Return the token after which a text was found before, -1 if there is none."""
        found: int | None = self._hints.get((token, node))
        return -1 if found is None else found

    def _followers(
        self, words: NDArray[np.int32], node: int, token: int, alone: int
    ) -> Iterator[int]:
        """Yield tokens that may follow in the chunk, those first that a byte can settle."""
        spelling = self._spelling
        if alone == spelling.alone.CLOSED:
            return
        legal = _ids(words & self._whole)
        if len(legal) > _FEW:
            legal = _ids(words & self._whole & spelling.followers(token))
            yield from legal[self._first(spelling.after(node, legal), _MOST_TRIED)].tolist()
            return
        listed = legal.tolist()
        after = np.array([spelling.node_after(node, other) for other in listed], dtype=np.int32)
        for place in self._first(after, len(listed)).tolist():
            if spelling.are_neighbours(token, listed[place]):
                yield listed[place]

    def _first(self, after: Ints, most: int) -> NDArray[np.intp]:
        """Return the places of tokens that lead on, those first that a byte can settle.

        Args:
            after: the node after each token.
            most: so many of each kind.
        """
        can_settle = self._can_settle[after]
        others = np.flatnonzero((after != DEAD) & ~can_settle)
        return np.concatenate([np.flatnonzero(can_settle)[:most], others[:most]])

    def _is_settled(self, h: Hypothesis, node: int, token: int, alone: int, reads: ReadSet) -> bool:
        """Return whether it is settled that a text goes on after one more token."""
        spelling = self._spelling
        after, text = spelling.node_after(node, token), spelling.text_of(token)
        if not self._can_settle[after] or not text:
            return False
        if not spelling.alone.may_end(spelling.alone.after(alone, token)):
            return False
        nodes = np.array([after])
        return any(
            bool(self._settle(to, nodes, reads)[0])
            for to in self._machine.stepper.step((h,), text, reads)
        )

    def _lead_on(
        self, h: Hypothesis, node: int, token: int, alone: int, reads: ReadSet, depth: int
    ) -> bool | None:
        """Return whether a text goes on after one more token; ``None`` if that is not known."""
        spelling = self._spelling
        after, led = spelling.node_after(node, token), spelling.alone.after(alone, token)
        found: bool | None = False
        for to in self._machine.stepper.step((h,), spelling.text_of(token) or b"", reads):
            verdict = self.is_live(to, after, token, led, reads, depth + 1)
            if verdict:
                return True
            found = None if verdict is None else found
        return found


def _add(reads: ReadSet, more: ReadSet) -> None:
    """Note what somebody else has read."""
    reads.lowest = min(reads.lowest, more.lowest)
    reads.layout |= more.layout


def _ids(words: NDArray[np.int32]) -> Ints:
    """Return the tokens of a mask."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).astype(np.int32)
