"""Ordered threads: ``re``'s leftmost-first choice, followed byte by byte.

A *thread* is a position in the NFA with the look-arounds it still owes. ``re`` tries paths in
order and takes the first that succeeds; so we keep the alive paths in that order, and as soon
as one of them has matched for certain, everything after it is dropped.

- A *position* is a character being read (which set, how far into its bytes, what follows) or,
  below 0, an accepted pattern: ``accepted(label)``.
- An *obligation* is a look-ahead on its way: ``(positive, threads)``, where any of the threads
  may fulfil it. A thread with open obligations has not matched yet, but may.
- Look-behinds read the state of an automaton that runs over the whole text and knows which of
  them match right here (:mod:`maskc.regular.lookbehind`).
- In an atomic group, a choice owes that no earlier choice there leads to the group's end
  (:mod:`maskc.regular.nfa`).

Example: ``/"(?!"").*?"/`` after its first quote holds one thread that owes ``not ""``; after
a second quote it has accepted, and still owes ``not "`` until one more byte is seen.

Source: Pike's VM (Cox 2009); look-aheads as in alternating automata (Chandra, Kozen,
Stockmeyer 1981, doi:10.1145/322234.322243), one set of obligations a thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from maskc.byte_classes import DONE, byte_classes
from maskc.regular.nodes import Accept, Arena, Char, LookAround, SplitNode

ACCEPTED = -1  # any accepted pattern, where the label no longer matters

Obligation = tuple[bool, frozenset["Thread"]]
Obligations = frozenset[Obligation]
Thread = tuple[int, Obligations]
Threads = tuple[Thread, ...]
# Numbers of the look-behinds that match here, with what a look-ahead inside them still
# demands.
Matched = frozenset[tuple[int, Obligations]]

FREE: Obligations = frozenset()


def accepted(label: int) -> int:
    """Return the position of a thread whose pattern ``label`` has matched."""
    return -2 - label


def label_of(position: int) -> int:
    """Return the label of an accepted position."""
    return -2 - position


def _unlabelled(thread: Thread) -> Thread:
    position, obligations = thread
    return (position if position >= 0 else ACCEPTED, obligations)


class ThreadStepper:
    """Steps threads of one NFA over byte classes. Pure: it only remembers its results."""

    def __init__(self, nfa: Arena) -> None:
        self.nfa = nfa
        self._number: dict[tuple[int, int], int] = {}
        self._nodes: list[tuple[int, int]] = []  # position → (UTF-8 node, following NFA node)
        self._moves: dict[int, dict[int, tuple[int, int]]] = {}
        self._classes_of: dict[tuple[int, int], list[int]] = {}
        self._entered: dict[tuple[int, Matched], Threads] = {}
        self._stepped: dict[tuple[Obligations, int, Matched], Obligations | None] = {}
        self._same: dict[Obligations | None, Obligations | None] = {None: None}
        # What threads become that owe nothing, by position.
        self._freely: dict[tuple[int, int, Matched], frozenset[Thread]] = {}

    @cached_property
    def byte_class(self) -> NDArray[np.uint8]:
        """uint8[256]: bytes that no node of the NFA tells apart share a class."""
        return byte_classes(self.nfa.utf8.edges)

    @cached_property
    def n_classes(self) -> int:
        return int(self.byte_class.max()) + 1

    def follows(self, position: int) -> int:
        """Return the NFA node after the character that a position reads."""
        return self._nodes[position][1]

    def moves(self, position: int) -> dict[int, tuple[int, int]]:
        """Return byte class → (position or ``DONE``, following NFA node)."""
        found = self._moves.get(position)
        if found is None:
            utf8_node, following = self._nodes[position]
            found = {}
            for first, last, target in self.nfa.utf8.edges[utf8_node]:
                for byte_class in self._classes(first, last):
                    inner = DONE if target == DONE else self._position(target, following)
                    found[byte_class] = (inner, following)
            self._moves[position] = found
        return found

    def _classes(self, first: int, last: int) -> list[int]:
        found = self._classes_of.get((first, last))
        if found is None:
            found = sorted(set(self.byte_class[first : last + 1].tolist()))
            self._classes_of[first, last] = found
        return found

    def _position(self, utf8_node: int, following: int) -> int:
        key = (utf8_node, following)
        if key not in self._number:
            self._number[key] = len(self._nodes)
            self._nodes.append(key)
        return self._number[key]

    def enter(self, node: int, matched: Matched) -> Threads:
        """Return the threads that stand at a node between two characters, in order."""
        key = (node, matched)
        found = self._entered.get(key)
        if found is None:
            found = self._entered[key] = self._collect(node, frozenset(), matched)
        return found

    def _collect(self, start: int, open_loops: frozenset[int], matched: Matched) -> Threads:
        """Walk the empty moves depth first, in order.

        What the walk visits is a node, the obligations there, and the repetitions that have begun a
        pass since the last character: they are left when the walk comes back to them.
        """
        collected = ThreadList()
        seen: set[tuple[int, Obligations, frozenset[int]]] = set()
        stack = [(start, FREE, open_loops)]
        while stack and not collected.decided:
            visited = number, obligations, loops = stack.pop()
            if visited in seen:
                continue
            seen.add(visited)
            node = self.nfa.nodes[number]
            if isinstance(node, Accept):
                collected.append(accepted(node.label), obligations)
            elif isinstance(node, Char):
                collected.append(self._position(node.root, node.next), obligations)
            elif isinstance(node, SplitNode):
                stack += reversed(self._choose(node, obligations, loops, matched))
            elif isinstance(node, LookAround):
                added = self._look(node, matched)
                if added is not None:
                    stack.append((node.next, obligations | added, loops))
        return collected.done()

    def _choose(
        self, node: SplitNode, obligations: Obligations, loops: frozenset[int], matched: Matched
    ) -> list[tuple[int, Obligations, frozenset[int]]]:
        if node.loop in loops:
            return [(node.leave, obligations, loops - {node.loop})]
        chosen = []
        earlier: set[Thread] = set()
        for index, target in enumerate(node.targets):
            inside = loops if target == node.leave or node.loop < 0 else loops | {node.loop}
            added = settle([(False, frozenset(earlier))])
            if added is None:
                break
            chosen.append((target, obligations | added, inside))
            if index < len(node.rivals) - 1:
                threads = self._collect(node.rivals[index], inside, matched)
                earlier.update(map(_unlabelled, threads))
        return chosen

    def _look(self, node: LookAround, matched: Matched) -> Obligations | None:
        if node.ahead:
            threads = frozenset(map(_unlabelled, self.enter(node.start, matched)))
        else:
            threads = frozenset((ACCEPTED, left) for n, left in matched if n == node.start)
        return settle([(node.positive, threads)])

    def step_obligations(
        self, obligations: Obligations, byte_class: int, matched: Matched
    ) -> Obligations | None:
        """Return the obligations one byte later, ``None`` if an obligation is broken."""
        if not obligations:
            return obligations
        # Obligations nest, and share what they hold: without this memory, exponentially often.
        key = (obligations, byte_class, matched)
        if key not in self._stepped:
            stepped = []
            for positive, threads in obligations:
                moved: set[Thread] = set()
                for thread in threads:
                    moved |= self._step_unlabelled(thread, byte_class, matched)
                stepped.append((positive, frozenset(moved)))
            # Equal ones are one: many ways lead to the same, and some hold thousands of threads.
            settled = settle(stepped)
            self._stepped[key] = self._same.setdefault(settled, settled)
        return self._stepped[key]

    def _step_unlabelled(
        self, thread: Thread, byte_class: int, matched: Matched
    ) -> frozenset[Thread]:
        """Return what one thread of an obligation becomes; very many hold the same ones."""
        if thread[1]:
            return frozenset(map(_unlabelled, self.step_thread(thread, byte_class, matched)))
        key = (thread[0], byte_class, matched)
        found = self._freely.get(key)
        if found is None:
            moved = map(_unlabelled, self.step_thread(thread, byte_class, matched))
            found = self._freely[key] = frozenset(moved)
        return found

    def step_thread(self, thread: Thread, byte_class: int, matched: Matched) -> Threads:
        """Return the threads that one thread becomes; ``matched`` holds after the byte."""
        position, obligations = thread
        left = self.step_obligations(obligations, byte_class, matched)
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

    def step_all(self, threads: Iterable[Thread], byte_class: int, matched: Matched) -> Threads:
        """Return the threads that some in order become, without those that never match first.

        A thread that has matched is gone: what goes on may still match more.
        """
        collected = ThreadList()
        for thread in threads:
            if thread[0] >= 0:
                for position, obligations in self.step_thread(thread, byte_class, matched):
                    collected.append(position, obligations)
        return collected.done()


class ThreadList:
    """Threads in order, without those that can never be the first to match."""

    def __init__(self) -> None:
        self._threads: list[Thread] = []
        self._obligations_at: dict[int, list[Obligations]] = {}
        self.decided = False

    def append(self, position: int, obligations: Obligations) -> None:
        """Add a thread unless an earlier one at its position matches whenever it does."""
        if self.decided:
            return
        earlier = self._obligations_at.setdefault(position, [])
        if any(other <= obligations for other in earlier):
            return
        earlier.append(obligations)
        self._threads.append((position, obligations))
        self.decided = position < 0 and not obligations

    def done(self) -> Threads:
        return tuple(self._threads)


def settle(obligations: Iterable[Obligation]) -> Obligations | None:
    """Return the obligations that are open, ``None`` if one is broken.

    All negative ones join into one, since none of their threads may match. A pattern that has
    matched but for its obligations is these, so that what contradicts is seen: ``x`` and not ``x``
    break each other.
    """
    positives: set[frozenset[Thread]] = set()
    forbidden: set[Thread] = set()
    pending = list(obligations)
    while pending:
        positive, threads = pending.pop()
        if not positive:
            for thread in threads:
                position, left = thread
                if position != ACCEPTED or len(left) > 1:
                    forbidden.add(thread)
                elif left:
                    ((demanded, inner),) = left
                    pending.append((not demanded, inner))
                else:
                    return None
        elif (ACCEPTED, FREE) not in threads:
            if not threads:
                return None
            if len(threads) == 1 and (alone := next(iter(threads)))[0] == ACCEPTED:
                pending += alone[1]
            else:
                positives.add(threads)
    return _simplify(positives, frozenset(forbidden))


def _simplify(
    positives: set[frozenset[Thread]], forbidden: frozenset[Thread]
) -> Obligations | None:
    """Return obligations without what others of them imply, ``None`` if they contradict."""
    open_ones = {(True, threads) for threads in positives}
    if not forbidden:
        return frozenset(open_ones)
    whole: Obligation = (False, forbidden)
    if any(not forbidden.isdisjoint(threads) for threads in positives):
        return settle([*((True, threads - forbidden) for threads in positives), whole])
    for thread in forbidden:
        position, left = thread
        if position == ACCEPTED:
            rest = frozenset(
                (demanded, inner)
                for demanded, inner in left
                if not (inner in positives if demanded else inner <= forbidden)
            )
            if rest != left:
                others = (False, forbidden - {thread})
                return settle([*open_ones, others, (False, frozenset([(ACCEPTED, rest)]))])
    return frozenset([*open_ones, whole])


def hold_at_end(obligations: Obligations) -> bool:
    """Return whether the obligations hold if the text ends here."""
    return all(
        positive == any(p == ACCEPTED and hold_at_end(left) for p, left in threads)
        for positive, threads in obligations
    )


def list_positions(obligations: Obligations) -> set[int]:
    """Return the positions that the obligations read characters at, nested ones included."""
    found: set[int] = set()
    pending = [obligations]
    seen = {obligations}
    while pending:
        for _, threads in pending.pop():
            for position, left in threads:
                if position >= 0:
                    found.add(position)
                if left not in seen:
                    seen.add(left)
                    pending.append(left)
    return found
