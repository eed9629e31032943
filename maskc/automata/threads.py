"""Ordered threads: ``re``'s leftmost-first choice, followed byte by byte.

A *thread* is a position in the NFA with the look-arounds it still owes. ``re`` tries paths in
order and takes the first that succeeds; so we keep the alive paths in that order, and as soon
as one of them has matched for certain, everything behind it is dropped.

- A *position* is a character being read (which set, how far into its bytes, what follows) or,
  below 0, an accepted pattern: ``accepted(label)``.
- An *obligation* is a look-ahead on its way: ``(positive, threads)``, where any of the threads
  may fulfil it. A thread with open obligations has not matched yet, but may.
- Look-behinds read a *history*: the state of an automaton that runs over the whole text and
  knows which look-behinds match right here (:mod:`maskc.automata.history`).

Example: ``/"(?!"").*?"/`` behind its first quote holds one thread that owes ``not ""``; after
a second quote it has accepted, and still owes ``not "`` until one more byte is seen.

Source: Pike's VM (Cox 2009); look-aheads as in alternating automata (Chandra, Kozen,
Stockmeyer 1981, doi:10.1145/322234.322243), one set of obligations a thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maskc.automata.nfa import Accept, Char, Look, Nfa, Split
from maskc.automata.utf8 import DONE

ACCEPTED = -1  # any accepted pattern, where the label no longer matters

Obligation = tuple[bool, frozenset["Thread"]]
Obligations = frozenset[Obligation]
Thread = tuple[int, Obligations]
Threads = tuple[Thread, ...]
Matched = frozenset[int]  # numbers of the look-behinds that match here

FREE: Obligations = frozenset()


def accepted(label: int) -> int:
    """Return the position of a thread whose pattern ``label`` has matched."""
    return -2 - label


def label_of(position: int) -> int:
    """Return the label of an accepted position."""
    return -2 - position


class ThreadStepper:
    """Steps threads of one NFA over byte classes. Pure: it only remembers its results."""

    def __init__(self, nfa: Nfa) -> None:
        self.nfa = nfa
        self._number: dict[tuple[int, int], int] = {}
        self._place: list[tuple[int, int]] = []  # position → (UTF-8 node, following NFA node)
        self._moves: dict[int, dict[int, tuple[int, int]]] = {}
        self._entered: dict[tuple[int, Matched], Threads] = {}

    @cached_property
    def byte_class(self) -> NDArray[np.uint8]:
        """uint8[256]: bytes that no node of the NFA tells apart share a class."""
        columns: list[list[int]] = [[] for _ in range(256)]
        for edges in self.nfa.utf8.edges:
            row = [-2] * 256
            for first, last, target in edges:
                row[first : last + 1] = [target] * (last - first + 1)
            for byte, target in enumerate(row):
                columns[byte].append(target)
        number: dict[tuple[int, ...], int] = {}
        classes = [number.setdefault(tuple(column), len(number)) for column in columns]
        return np.array(classes, dtype=np.uint8)

    @cached_property
    def n_classes(self) -> int:
        """How many byte classes there are."""
        return int(self.byte_class.max()) + 1

    def follows(self, position: int) -> int:
        """Return the NFA node behind the character that a position reads."""
        return self._place[position][1]

    def moves(self, position: int) -> dict[int, tuple[int, int]]:
        """Return byte class → (position or ``DONE``, following NFA node)."""
        found = self._moves.get(position)
        if found is None:
            utf8_node, following = self._place[position]
            found = {}
            for first, last, target in self.nfa.utf8.edges[utf8_node]:
                for byte_class in np.unique(self.byte_class[first : last + 1]).tolist():
                    inner = DONE if target == DONE else self._position(target, following)
                    found[byte_class] = (inner, following)
            self._moves[position] = found
        return found

    def _position(self, utf8_node: int, following: int) -> int:
        key = (utf8_node, following)
        if key not in self._number:
            self._number[key] = len(self._place)
            self._place.append(key)
        return self._number[key]

    def enter(self, node: int, matched: Matched) -> Threads:
        """Return the threads that stand at a node between two characters, in order."""
        key = (node, matched)
        found = self._entered.get(key)
        if found is None:
            collected = ThreadList()
            self._collect(node, FREE, matched, collected, set())
            found = self._entered[key] = collected.done()
        return found

    def _collect(
        self,
        start: int,
        start_owed: Obligations,
        matched: Matched,
        collected: ThreadList,
        seen: set[tuple[int, Obligations]],
    ) -> None:
        """Walk the empty moves depth first, in order, without recursion."""
        stack = [(start, start_owed)]
        while stack and not collected.decided:
            number, owed = stack.pop()
            node = self.nfa.nodes[number]
            if (number, owed) in seen:
                # Back at a loop's head through its own body: `leave` is not seen yet.
                if isinstance(node, Split) and node.leave is not None:
                    stack.append((node.leave, owed))
                continue
            seen.add((number, owed))
            if isinstance(node, Accept):
                collected.append(accepted(node.label), owed)
            elif isinstance(node, Char):
                collected.append(self._position(node.root, node.next), owed)
            elif isinstance(node, Split):
                stack.extend((target, owed) for target in reversed(node.targets))
            elif not node.ahead:
                if (node.start in matched) == node.positive:
                    stack.append((node.next, owed))
            else:
                added = self._look_ahead(node, matched)
                if added is not None:
                    stack.append((node.next, owed | added))

    def _look_ahead(self, node: Look, matched: Matched) -> Obligations | None:
        threads = frozenset(
            (position if position >= 0 else ACCEPTED, owed)
            for position, owed in self.enter(node.start, matched)
        )
        return settle(frozenset([(node.positive, threads)]))

    def step_obligations(
        self, owed: Obligations, byte_class: int, matched: Matched
    ) -> Obligations | None:
        """Return what is still owed one byte later, ``None`` if an obligation is broken."""
        if not owed:
            return owed
        stepped = []
        for positive, threads in owed:
            moved: set[Thread] = set()
            for thread in threads:
                for position, left in self.step_thread(thread, byte_class, matched):
                    moved.add((position if position >= 0 else ACCEPTED, left))
            stepped.append((positive, frozenset(moved)))
        return settle(frozenset(stepped))

    def step_thread(self, thread: Thread, byte_class: int, matched: Matched) -> Threads:
        """Return the threads that one thread becomes; ``matched`` holds behind the byte."""
        position, owed = thread
        left = self.step_obligations(owed, byte_class, matched)
        if left is None:
            return ()
        if position < 0:
            # An accepted pattern stays so while its look-aheads are read on.
            return ((position, left),)
        move = self.moves(position).get(byte_class)
        if move is None:
            return ()
        inner, following = move
        if inner != DONE:
            return ((inner, left),)
        entered = self.enter(following, matched)
        if not left:
            return entered
        return tuple((p, left | more) for p, more in entered)


class ThreadList:
    """Threads in order, without those that can never be the first to match."""

    def __init__(self) -> None:
        self._threads: list[Thread] = []
        self._owed_at: dict[int, list[Obligations]] = {}
        self.decided = False

    def append(self, position: int, owed: Obligations) -> None:
        """Add a thread unless an earlier one at its place matches whenever it does."""
        if self.decided:
            return
        earlier = self._owed_at.setdefault(position, [])
        if any(other <= owed for other in earlier):
            return
        earlier.append(owed)
        self._threads.append((position, owed))
        self.decided = position < 0 and not owed

    def done(self) -> Threads:
        """Return the threads."""
        return tuple(self._threads)


def settle(owed: Iterable[Obligation]) -> Obligations | None:
    """Return the obligations that are open, ``None`` if one is broken.

    All negative ones join into one, since none of their threads may match.
    """
    positives: set[Obligation] = set()
    forbidden: set[Thread] = set()
    for positive, threads in owed:
        if positive:
            if (ACCEPTED, FREE) in threads:
                continue
            if not threads:
                return None
            positives.add((True, threads))
        else:
            forbidden |= threads
    if (ACCEPTED, FREE) in forbidden:
        return None
    if forbidden:
        positives.add((False, frozenset(forbidden)))
    return frozenset(positives)


def hold_at_end(owed: Obligations) -> bool:
    """Return whether the obligations hold if the text ends here."""
    return all(
        positive == any(p == ACCEPTED and hold_at_end(left) for p, left in threads)
        for positive, threads in owed
    )
