r"""A pattern with counters as an automaton over bytes that is made when it is needed.

A state says where the text may stand in the pattern, each place with the counts of the loops around
it. What is done with counts is told in :mod:`maskc.runtime.link.counts.counts`, what the places are
in :mod:`maskc.runtime.link.counts.positions`.

Every place leads to the end of a text: a loop may go on until it has passed often enough, and each
character of the pattern can be written. So there are no states from which nothing leads on.

Example: of ``[a-z]{1,1000};`` the state after ``abc`` is the letter with the count 3.

Limits: ``MAX_BOXES`` ways to count the text so far, of which ``MAX_NESTED`` in loops inside loops,
as in ``(?:(?:(?:a|aa){7,19}|a{5,60}){13,40}){2000}``; more are a
:class:`maskc.errors.LimitError`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maskc.byte_classes import DONE, byte_classes
from maskc.errors import LimitError
from maskc.runtime.cache.budget import Budget
from maskc.runtime.effort import spend
from maskc.runtime.link.automata.counted_state import CountedComponent, CountedState, Place
from maskc.runtime.link.automata.scanning import Scanner
from maskc.runtime.link.counts.counted_component import find_counted_component
from maskc.runtime.link.counts.counting import CountingAutomaton, CountingPiece, CountingScans
from maskc.runtime.link.counts.counts import (
    FREE,
    Bounds,
    Box,
    Boxes,
    Interval,
    cap,
    enter,
    join,
    leave,
    repeat,
)
from maskc.runtime.link.counts.positions import START, CountedPattern
from maskc.runtime.schema.tries.tokens import TokenIndex

_PLACE, _BOX = 4, 3  # steps
MAX_BOXES = 4_000
MAX_NESTED = 60  # of them, those in loops inside loops: they are compared in pairs

State = tuple[tuple[Place, Boxes], ...]


class PatternCounter(CountingAutomaton[State]):
    """Reads the texts of a pattern.

    Args:
        pattern: its positions.
        passes: of each loop, as many as a token can make at most; at least 1.

    Attributes:
        pattern: as given.
    """

    def __init__(self, pattern: CountedPattern, passes: Sequence[int]) -> None:
        self.pattern = pattern
        self._bounds = [[pattern.bounds[n] for n in around] for around in pattern.loops]
        self._passes = [[passes[n] for n in around] for around in pattern.loops]
        self._class_of = byte_classes(pattern.nodes).tolist()
        self._bytes_of: list[list[int]] = [[] for _ in range(max(self._class_of) + 1)]
        for byte, byte_class in enumerate(self._class_of):
            self._bytes_of[byte_class].append(byte)
        self._reached: dict[tuple[int, int, int], tuple[Place, ...]] = {}
        self._groups: dict[tuple[Place, ...], list[tuple[int, list[int]]]] = {}
        self._components: dict[Place, CountedComponent | None] = {}
        self._tangled: set[tuple[int, ...]] = set()  # loops that have no component
        super().__init__((((START, DONE), FREE),))

    def counted(self, state: int) -> CountedState | None:
        """Return a state that is one place with one count of its innermost loop."""
        name = self.name_of(state)
        (place, boxes), *others = name
        if others or len(boxes) != 1 or not boxes[0]:
            return None
        (*outer, (low, high)) = boxes[0]
        if low != high:
            return None
        loops, bounds = self.pattern.loops[place[0]], self._bounds[place[0]]
        if place not in self._components and loops not in self._tangled:
            self._components[place] = find_counted_component(self.pattern, place)
            if self._components[place] is None:
                # The places of a loop lead to each other: it is alike from all of them.
                self._tangled.add(loops)
        component = self._components.get(place)
        return None if component is None else _Counted(self, component, outer, low, bounds)

    def find_moves(self, name: State) -> dict[int, State]:
        """Return what each byte leads to, with capped counts; see the base class."""
        found = dict[int, State]()
        for byte_class, bytes_ in self._group_bytes(tuple(place for place, _ in name)):
            after = self._step(name, byte_class)
            if after is not None:
                found.update(dict.fromkeys(bytes_, self.cap(after)))
        return found

    def _group_bytes(self, places: tuple[Place, ...]) -> list[tuple[int, list[int]]]:
        """Return the bytes that some place reads: those that lead to the same places at once.

        Returns:
            A class of bytes, and all bytes that lead from each place to where it does.
        """
        known = self._groups.get(places)
        if known is None:
            groups = dict[tuple[tuple[Place, ...], ...], tuple[int, list[int]]]()
            for byte_class, bytes_ in enumerate(self._bytes_of):
                reached = tuple(
                    self._reach(*place, n, byte_class)
                    for place in places
                    for n in range(self._n_ways(place))
                )
                if any(reached):
                    groups.setdefault(reached, (byte_class, []))[1].extend(bytes_)
            known = self._groups[places] = list(groups.values())
        return known

    def is_accepting(self, name: State) -> bool:
        """Return whether the text so far matches."""
        ends = self.pattern.ends
        return any(
            node == DONE and position in ends and bool(leave(boxes, self._bounds[position]))
            for (position, node), boxes in name
        )

    def read(self, name: State, byte: int) -> State | None:
        """Return the state after a byte, with exact counts; see the base class."""
        return self._step(name, self._class_of[byte])

    def cap(self, name: State) -> State:
        """Return the state with counts that no token tells from these; see the base class."""
        return tuple(
            (place, cap(boxes, bounds, self._passes[place[0]]))
            if (bounds := self._bounds[place[0]])
            else (place, boxes)
            for place, boxes in name
        )

    def _n_ways(self, place: Place) -> int:
        """Return how many edges a place has; a place inside a character has one."""
        return len(self.pattern.edges[place[0]]) if place[1] == DONE else 1

    def _step(self, name: State, byte_class: int) -> State | None:
        pattern, found = self.pattern, dict[Place, list[Box]]()
        for (position, node), boxes in name:
            if node != DONE:
                for place in self._reach(position, node, 0, byte_class):
                    found.setdefault(place, []).extend(boxes)
                continue
            for number, edge in enumerate(pattern.edges[position]):
                places = self._reach(position, node, number, byte_class)
                if not places:
                    continue
                after = leave(boxes, self._bounds[position][edge.n_open :])
                if edge.repeats:
                    after = repeat(after, self._bounds[position][edge.n_open - 1][1])
                for place in places if after else ():
                    n_entered = len(pattern.loops[place[0]]) - edge.n_open
                    found.setdefault(place, []).extend(enter(after, n_entered))
        if not found:
            return None
        return self._join(found)

    def _join(self, found: dict[Place, list[Box]]) -> State:
        state, n_boxes, n_nested = [], 0, 0
        for place in sorted(found):
            boxes, bounds = found[place], self._bounds[place[0]]
            n_pairs = len(boxes) ** 2 if len(bounds) > 1 else 0
            spend(_PLACE + _BOX * len(boxes) + n_pairs // 2)
            joined = join(boxes, bounds) if bounds else FREE
            n_boxes += len(joined)
            n_nested += len(joined) if len(bounds) > 1 else 0
            state.append((place, joined))
        if n_boxes > MAX_BOXES or n_nested > MAX_NESTED:
            raise LimitError(
                "ways to count the text so far",
                MAX_BOXES if n_boxes > MAX_BOXES else MAX_NESTED,
                "write the repetition so that its passes can be told apart",
            )
        return tuple(state)

    def _reach(self, position: int, node: int, way: int, byte_class: int) -> tuple[Place, ...]:
        """Return the places to which a byte leads from a place, on one of its ways."""
        pattern = self.pattern
        if node != DONE:
            key = (-1 - position, node, byte_class)
            found = self._reached.get(key)
            if found is None:
                after = self._read_byte(node, byte_class)
                found = () if after is None else ((position, after),)
                self._reached[key] = found
            return found
        key = (position, way, byte_class)
        found = self._reached.get(key)
        if found is None:
            reached = []
            for target in pattern.edges[position][way].targets:
                after = self._read_byte(pattern.roots[target], byte_class)
                if after is not None:
                    reached.append((target, after))
            found = self._reached[key] = tuple(reached)
        return found

    def _read_byte(self, node: int, byte_class: int) -> int | None:
        """Return the node of a character after a byte, ``DONE`` at its end."""
        byte = self._bytes_of[byte_class][0]
        for first, last, target in self.pattern.nodes[node]:
            if first <= byte <= last:
                return target
        return None


class _Counted:
    """See :class:`maskc.runtime.link.automata.counted_state.CountedState`."""

    def __init__(
        self,
        automaton: PatternCounter,
        component: CountedComponent,
        outer: list[Interval],
        count: int,
        bounds: list[Bounds],
    ) -> None:
        self._automaton, self.component, self._outer = automaton, component, outer
        self.count, self._bounds = count, bounds
        self.least, self.most = bounds[-1]

    def _name(self, number: int, count: int) -> State:
        boxes = join([(*self._outer, (count, count))], self._bounds)
        return ((self.component.places[number], boxes),)

    def state_at(self, number: int, count: int) -> int:
        """Return the state at a place with another count."""
        return self._automaton.state_of(self._automaton.cap(self._name(number, count)))

    def after(self, number: int, count: int, byte: int) -> int:
        """Return the state after a byte from there, -1 if there is none."""
        after = self._automaton.read(self._name(number, count), byte)
        return -1 if after is None else self._automaton.state_of(self._automaton.cap(after))

    def may_end(self, number: int) -> bool:
        """Return whether the text may end at a place, once the loop has passed often enough."""
        return self._automaton.is_accepting(self._name(number, self.least))


def make_counting_piece(
    pattern: CountedPattern, scanner: Scanner, index: TokenIndex, budget: Budget
) -> CountingPiece:
    """Return the piece of the texts of a pattern.

    Args:
        pattern: its positions.
        scanner: of the vocabulary.
        index: the vocabulary.
        budget: what is cached is charged to it.
    """
    passes = find_passes(pattern, index)

    def make_scans() -> CountingScans:
        return CountingScans(PatternCounter(pattern, passes), scanner, index, budget)

    return CountingPiece(make_scans)


def find_passes(pattern: CountedPattern, index: TokenIndex) -> list[int]:
    """Return of each loop how many passes one token can make at most, at least 1.

    A pass reads a byte at least, so it is the longest run of bytes that its body reads.
    """
    found = []
    for body in pattern.bodies:
        is_read = np.zeros(256, dtype=np.bool_)
        open_ = list({pattern.roots[position] for position in body})
        seen = set(open_)
        while open_:
            for first, last, target in pattern.nodes[open_.pop()]:
                is_read[first : last + 1] = True
                if target != DONE and target not in seen:
                    seen.add(target)
                    open_.append(target)
        found.append(_longest_run(index, is_read))
    return found


def _longest_run(index: TokenIndex, is_read: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """Return the most bytes in a row that are of some, in any token; 1 if there are none."""
    key = ("longest run", is_read.tobytes())
    found: int | None = index.shared.get(key)
    if found is None:
        trie = index.tokens
        run = np.zeros(len(trie.byte_array), dtype=np.int32)
        for low, high in zip(trie.levels[1:], trie.levels[2:], strict=False):
            run[low:high] = run[trie.parent_array[low:high]] + 1
            run[low:high] *= is_read[trie.byte_array[low:high]]
        found = max(int(run.max(initial=0)), 1)
        index.shared.put(key, found, 400)
    return found
