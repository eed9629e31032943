r"""A pattern with counters as an automaton over bytes that is made when it is needed.

A state is a set of control states, each with the counts of the loops around it, see
:mod:`maskc.runtime.link.counts`.

Every control state leads to the end of a text: a loop may go on until it has passed often enough,
and each character of the pattern can be written. So there are no states from which nothing leads
on.

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
from maskc.runtime.link.automata.loops import LEFT, Loop
from maskc.runtime.link.counts import (
    FREE,
    START,
    Bounds,
    Box,
    Boxes,
    ControlState,
    CountedPattern,
    Interval,
    Round,
    cap,
    enter,
    find_round,
    join,
    leave,
    repeat,
)
from maskc.runtime.link.joining.counting import CountingAutomaton
from maskc.runtime.schema.tries import TokenIndex
from maskc.runtime.step_budget import charge_steps

_CONTROL, _BOX = 4, 3  # steps
_CONTROL_BYTES, _BOX_BYTES = 150, 250  # of memory, about; a test compares
MAX_BOXES = 4_000
MAX_NESTED = 60  # of them, those in loops inside loops: they are compared in pairs
# Boxes of which what is joined is kept, and how many of these: the states of a mask share some.
_MOST_BOXES, _MOST_JOINED = 8, 500

State = tuple[tuple[ControlState, Boxes], ...]


class PatternCounter(CountingAutomaton[State]):
    """Reads the texts of a pattern; ``passes``: of each loop, the most that a token can make."""

    def __init__(self, pattern: CountedPattern, passes: Sequence[int]) -> None:
        self.pattern, self.mark = pattern, object()
        self._bounds = [[pattern.bounds[n] for n in around] for around in pattern.loops]
        self._passes = [[passes[n] for n in around] for around in pattern.loops]
        self._class_of = byte_classes(pattern.nodes).tolist()
        self._bytes_of: list[list[int]] = [[] for _ in range(max(self._class_of) + 1)]
        for byte, byte_class in enumerate(self._class_of):
            self._bytes_of[byte_class].append(byte)
        self._rows_of: dict[int, list[int | None]] = {}
        self._reached: dict[tuple[int, int, int], list[tuple[ControlState, ...]]] = {}
        self._groups: dict[tuple[ControlState, ...], list[tuple[int, list[int]]]] = {}
        self._rounds: dict[ControlState, Round | None] = {}
        self._tangled: set[tuple[int, ...]] = set()  # loops that do not go round so
        self._joined: dict[tuple[int, Boxes], tuple[Boxes, Boxes]] = {}  # by position
        super().__init__((((START, DONE), FREE),))

    def loop_of(self, state: int) -> Loop | None:
        name = self.name_of(state)
        (control, boxes), *others = name
        if others or len(boxes) != 1 or not boxes[0]:
            return None
        (*outer, (low, high)) = boxes[0]
        if low != high:
            return None
        loops, bounds = self.pattern.loops[control[0]], self._bounds[control[0]]
        if control not in self._rounds and loops not in self._tangled:
            made = self._rounds[control] = find_round(self.pattern, control)
            if made is not None:
                self.grow(3 * 256 * len(made.states))  # its arrays have a byte for each byte
            else:
                # The control states of a loop lead to each other: it is alike from all of them.
                self._tangled.add(loops)
        found = self._rounds.get(control)
        return None if found is None else _CountedLoop(self, found, outer, low, bounds)

    def find_moves(self, name: State) -> dict[int, State]:
        found = dict[int, State]()
        for byte_class, bytes_ in self._group_bytes(tuple([control for control, _ in name])):
            after = self._step(name, byte_class, caps=True)
            if after is not None:
                found.update(dict.fromkeys(bytes_, after))
        return found

    def _group_bytes(self, controls: tuple[ControlState, ...]) -> list[tuple[int, list[int]]]:
        """Return the bytes that lead to the same control states, each group with a byte class."""
        known = self._groups.get(controls)
        if known is None:
            groups = dict[tuple[tuple[ControlState, ...], ...], tuple[int, list[int]]]()
            rows = [
                self._reach(*control, n)
                for control in controls
                # Inside a character there is one edge.
                for n in range(len(self.pattern.edges[control[0]]) if control[1] == DONE else 1)
            ]
            for byte_class, reached in enumerate(zip(*rows, strict=True)):
                if any(reached):
                    bytes_ = self._bytes_of[byte_class]
                    groups.setdefault(reached, (byte_class, []))[1].extend(bytes_)
            known = self._groups[controls] = list(groups.values())
        return known

    def is_accepting(self, name: State) -> bool:
        ends = self.pattern.ends
        return any(
            node == DONE and position in ends and bool(leave(boxes, self._bounds[position]))
            for (position, node), boxes in name
        )

    def read(self, name: State, byte: int) -> State | None:
        return self._step(name, self._class_of[byte])

    def leave(self, name: State, byte: int) -> State | None:
        """Return the state after a byte with which the innermost loop is left, or another entered.

        Counts are exact. From inside of a character one edge leads on, as in :meth:`read`.
        """
        return self._step(name, self._class_of[byte], is_left=True)

    def cap(self, name: State) -> State:
        return tuple(
            (control, cap(boxes, bounds, self._passes[control[0]]))
            if (bounds := self._bounds[control[0]])
            else (control, boxes)
            for control, boxes in name
        )

    def measure(self, name: State) -> int:
        # Control states mostly have the same counts.
        return len(name) * (_CONTROL_BYTES + _BOX_BYTES * len(name[0][1]))

    def _step(
        self, name: State, byte_class: int, *, is_left: bool = False, caps: bool = False
    ) -> State | None:
        pattern, found = self.pattern, dict[ControlState, list[Box]]()
        for (position, node), boxes in name:
            if node != DONE:
                for control in self._reach(position, node, 0)[byte_class]:
                    found.setdefault(control, []).extend(boxes)
                continue
            for edge_number, edge in enumerate(pattern.edges[position]):
                controls = self._reach(position, node, edge_number)[byte_class]
                if is_left and edge.n_open == len(loops := pattern.loops[position]):
                    controls = tuple(
                        control for control in controls if pattern.loops[control[0]] != loops
                    )
                after = self._take(position, edge_number, boxes) if controls else ()
                for control in controls if after else ():
                    n_entered = len(pattern.loops[control[0]]) - edge.n_open
                    found.setdefault(control, []).extend(enter(after, n_entered))
        if not found:
            return None
        return self._join(found, caps=caps)

    def _take(self, position: int, edge_number: int, boxes: Boxes) -> Boxes:
        """Return the counts of the loops that an edge does not leave; none if it is closed."""
        edge, bounds = self.pattern.edges[position][edge_number], self._bounds[position]
        after = leave(boxes, bounds[edge.n_open :])
        return repeat(after, bounds[edge.n_open - 1][1]) if edge.repeats else after

    def _join(self, found: dict[ControlState, list[Box]], *, caps: bool) -> State:
        state, n_boxes, n_nested = [], 0, 0
        charge_steps(_CONTROL * len(found))
        for control in sorted(found):
            position, boxes = control[0], tuple(found[control])
            known = self._joined.get((position, boxes))
            joined, capped = known or self._join_at(position, boxes, caps=caps)
            n_boxes += len(joined)
            n_nested += len(joined) if len(self._bounds[position]) > 1 else 0
            state.append((control, capped if caps else joined))
        if n_boxes > MAX_BOXES or n_nested > MAX_NESTED:
            raise LimitError(
                "counts of the repetitions in the text so far",
                MAX_BOXES if n_boxes > MAX_BOXES else MAX_NESTED,
                "write the repetition so that a text has fewer ways to be split into passes",
            )
        return tuple(state)

    def _join_at(self, position: int, boxes: Boxes, *, caps: bool) -> tuple[Boxes, Boxes]:
        """Return what is left of some boxes, and the same capped if that is asked for or kept."""
        bounds = self._bounds[position]
        if not bounds:
            return FREE, FREE
        n_pairs = len(boxes) ** 2 if len(bounds) > 1 else 0
        charge_steps(_BOX * len(boxes) + n_pairs // 2)
        joined = join(boxes, bounds)
        is_kept = len(boxes) <= _MOST_BOXES
        capped = cap(joined, bounds, self._passes[position]) if caps or is_kept else joined
        found = joined, capped
        if is_kept:
            if len(self._joined) >= _MOST_JOINED:
                self._joined.clear()
            self._joined[position, boxes] = found
        return found

    def _reach(self, position: int, node: int, edge_number: int) -> list[tuple[ControlState, ...]]:
        """Return by byte class the control states that one edge from a control state leads to."""
        key = (position, node, edge_number)
        found = self._reached.get(key)
        if found is None:
            targets = {position: node}
            if node == DONE:
                edge = self.pattern.edges[position][edge_number]
                targets = {target: self.pattern.roots[target] for target in edge.targets}
            rows = [(target, self._row(root)) for target, root in targets.items()]
            found = self._reached[key] = [
                tuple((target, after) for target, row in rows if (after := row[n]) is not None)
                for n in range(len(self._bytes_of))
            ]
        return found

    def _row(self, node: int) -> list[int | None]:
        """Return by byte class the node of a character after it, ``DONE`` at its end."""
        found = self._rows_of.get(node)
        if found is None:
            found = self._rows_of[node] = [None] * len(self._bytes_of)
            for first, last, target in self.pattern.nodes[node]:
                for byte_class in set(self._class_of[first : last + 1]):
                    found[byte_class] = target
        return found


class _CountedLoop(Loop):
    """The innermost loop around one control state, with fixed counts of the outer ones."""

    def __init__(
        self,
        automaton: PatternCounter,
        found: Round,
        outer: list[Interval],
        count: int,
        bounds: list[Bounds],
    ) -> None:
        self._automaton, self._outer, self._bounds = automaton, outer, bounds
        self.component, self._states, self.out = found
        self.count = count
        self.least, self.most = bounds[-1]
        self.key = (automaton.mark, self._states[0], tuple(outer))

    def _name(self, number: int, count: int) -> State:
        boxes = join([(*self._outer, (count, count))], self._bounds)
        return ((self._states[number], boxes),)

    def state_at(self, number: int, count: int) -> int:
        return self._automaton.state_of(self._automaton.cap(self._name(number, count)))

    def after(self, number: int, count: int, byte: int) -> int:
        stays = self.component.table[number, byte] != LEFT
        read = self._automaton.leave if stays else self._automaton.read
        after = read(self._name(number, count), byte)
        return -1 if after is None else self._automaton.state_of(self._automaton.cap(after))

    def may_end(self, number: int) -> bool:
        return self._automaton.is_accepting(self._name(number, self.least))


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
