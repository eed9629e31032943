r"""Loops of an automaton, whose passes may be counted, and the nodes of a trie that they read.

A *control state* is a state of the automaton without its counts. Most of a vocabulary lies where a
pattern repeats something: in ``[a-z]{1,80}`` one control state leads to itself on 26 bytes, and in
``.{1,80}`` a control state and those inside a character of several bytes lead to each other. Such
control states are a *component*. What a component reads of a vocabulary depends only on the moves
among its own control states, so all patterns that have the same component share it
(:mod:`maskc.runtime.link.automata.loop_reader`). What a control state leads to does not depend on
the count. Only whether the loop may go on or be left there does.

A loop without a count is a state that leads to itself, with the states that read the later bytes of
its characters. Larger cycles are walked: the loop of ``.*word`` has all characters but ``w``, as
other patterns' loops have, and the walk goes on after each ``w``.

What is read are sets of a trie's nodes, as ascending arrays. Where a piece may end, what follows it
mostly begins with one of few bytes: of 275,000 nodes, from 150 a ``<`` goes on. So only these nodes
are kept where that is known.

Example: in ``[^"]{2,9}"`` the control state that reads characters and seven of them inside of a
character are a component, and ``"`` leaves it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tries import Ints, Trie, Words
from maskc.runtime.step_budget import charge_steps

if TYPE_CHECKING:
    from maskc.runtime.link.automata import ByteAutomaton

MOST_STATES = 250  # their numbers are bytes
MOST_PASSES = (1 << 16) - 1
_MOST_STATES = 16  # of a loop without a count
_FIRST_LATER, _FIRST_LEAD = 0x80, 0xC0  # of UTF-8's bytes after the first, and of first ones
_FEW = 48  # nodes whose children are not looked at
LEFT = 0  # in a component's table: the byte leads out of it, or nowhere

N_ASCII, _MOST_LACKING = 0x80, 16

Passes = NDArray[np.uint16]
_NO_NODES: Ints = np.zeros(0, dtype=np.int32)

# The number of the control state, the byte, and whether it may stay in the loop when it leaves the
# component.
LoopExit = tuple[int, int, bool]


class Component(NamedTuple):
    """Control states that lead to each other inside one loop; the first is the one asked for."""

    # uint8[n_states, 256], one more than the number of the control state that a byte leads to; LEFT
    # for those that only leave the component, or lead nowhere
    table: NDArray[np.uint8]
    # uint8[n_states, 256], 1 where the byte begins one more pass that is counted
    passes: NDArray[np.uint8]
    # bool[n_states, 256], whether a byte leaves the component, in one of its ways
    leaves: NDArray[np.bool_]
    # the numbers of the control states where a text may end, or a character does
    whole: tuple[int, ...]
    # of each control state, how many more passes there are to the nearest end
    to_end: tuple[int, ...]
    key: bytes  # bytes that are equal for components that read the same; its end says of which kind


def fill_in(component: Component) -> Component | None:
    """Return the component that also reads the few characters of ASCII that one does not read.

    ``None`` unless all others of ASCII lead from the first control state back to it, and no other
    control state reads one of these few.
    """
    row, passes = component.table[0, :N_ASCII], component.passes[0, :N_ASCII]
    read, lacking = row.nonzero()[0], (row == LEFT).nonzero()[0]
    if not 0 < len(lacking) <= _MOST_LACKING or (row[read] != 1).any():
        return None
    if (passes[read] != passes[read[0]]).any() or component.table[1:, lacking].any():
        return None
    table, all_passes = component.table.copy(), component.passes.copy()
    leaves = component.leaves.copy()
    table[0, lacking], all_passes[0, lacking] = 1, passes[read[0]]
    leaves[0, lacking] = False
    ends = repr((component.whole, component.to_end)).encode()
    parts = (table, np.packbits(all_passes), np.packbits(leaves))
    key = b"".join([*(part.tobytes() for part in parts), ends, b"filled"])
    return component._replace(table=table, passes=all_passes, leaves=leaves, key=key)


class Loop(ABC):
    """A state of an automaton: the first control state of a component, with a count of its loop."""

    component: Component  # where it goes round
    out: tuple[LoopExit, ...]  # the ways that leave it
    count: int  # how often the innermost loop has passed
    least: int  # how often it has to, before it is left
    most: int | None  # how often it may; None: without a bound
    key: Hashable  # equal for states of one automaton that differ in the count alone

    @abstractmethod
    def state_at(self, number: int, count: int) -> int:
        """Return the automaton's state of a control state, by number, and another count."""

    @abstractmethod
    def after(self, number: int, count: int, byte: int) -> int:
        """Return the state after a byte that leaves the component there, -1 if there is none."""

    @abstractmethod
    def may_end(self, number: int) -> bool:
        """Return whether the text may end at a control state, after enough passes of the loop."""

    def bounds_after(self, base: int) -> tuple[int, int]:
        """Return how many more passes it demands, and how many it allows, after so many."""
        most = MOST_PASSES if self.most is None else min(self.most - base, MOST_PASSES)
        return max(self.least - base, 0), most

    def list_ends(self) -> tuple[int, ...]:
        """Return the numbers of the control states where the text may end after enough passes."""
        return tuple(number for number in self.component.whole if self.may_end(number))


class PlainLoop(Loop):
    """A loop whose passes are not counted: some states of an automaton, the looping one first."""

    def __init__(self, automaton: ByteAutomaton[Any], states: list[int]) -> None:
        self._automaton, self._states = automaton, states
        self.count, self.least, self.most = 0, 0, None
        table, out = np.zeros((len(states), 256), dtype=np.uint8), list[LoopExit]()
        numbers = {state: number for number, state in enumerate(states, 1)}
        for number, state in enumerate(states):
            moves = automaton.moves(state)
            charge_steps(1 + len(moves) // 8)
            table[number, list(moves)] = [numbers.get(after, LEFT) for after in moves.values()]
            out += [(number, byte, False) for byte, after in moves.items() if after not in numbers]
        self.out, self.key = tuple(out), states[0]
        # What leaves it leads to other states in each automaton that shares the component.
        leaves, passes = table == LEFT, np.zeros(table.shape, dtype=np.uint8)
        whole, to_end = tuple(range(len(states))), (0,) * len(states)
        key = table.tobytes() + b"plain"
        self.component = Component(table, passes, leaves, whole, to_end, key)

    def state_at(self, number: int, count: int) -> int:  # noqa: ARG002  # nothing is counted
        return self._states[number]

    def after(self, number: int, count: int, byte: int) -> int:  # noqa: ARG002
        return self._automaton.moves(self._states[number])[byte]

    def may_end(self, number: int) -> bool:
        return self._automaton.accepts(self._states[number])


def find_plain_loop(automaton: ByteAutomaton[Any], state: int) -> PlainLoop | None:
    """Return the loop of a state that leads to itself; ``None`` if it does not."""
    if state not in automaton.moves(state).values():
        return None
    # In the order of the bytes that lead to them, so that equal components have equal tables.
    states = [state]
    for here in states:  # grows while we walk it
        following = automaton.moves(here)
        bytes_ = sorted(byte for byte in following if byte >= _FIRST_LATER)
        for after in dict.fromkeys(following[byte] for byte in bytes_):
            if after not in states and _is_inside_character(automaton, after):
                states.append(after)
        if len(states) > _MOST_STATES:
            # So large a class of characters has states that no token may come to.
            return PlainLoop(automaton, [state])
    return PlainLoop(automaton, states)


def _is_inside_character(automaton: ByteAutomaton[Any], state: int) -> bool:
    """Return whether a state reads bytes alone that only UTF-8's later bytes have."""
    moves = automaton.moves(state)
    return bool(moves) and min(moves) >= _FIRST_LATER and max(moves) < _FIRST_LEAD


class Onward:
    """The nodes of a trie from which texts go on by one of some bytes; ``None``: by any.

    ``parents`` remembers of each byte the nodes that have a child by it.
    """

    def __init__(self, trie: Trie, bytes_: frozenset[int] | None, parents: dict[int, Ints]) -> None:
        self._trie, self.bytes, self._parents = trie, bytes_, parents

    def of(self, nodes: Ints) -> Ints:
        """Return those of some nodes from which texts go on; few may be too many."""
        if len(nodes) > _FEW:
            return nodes[self.are(nodes)]
        first, listed = self._trie.first, nodes.tolist()
        inner = [node for node in listed if first[node] < first[node + 1]]
        return nodes if len(inner) == len(listed) else np.array(inner, dtype=np.int32)

    def are(self, nodes: Ints) -> NDArray[np.bool_]:
        """Return bool[n], whether a text goes on from each of some nodes; few may be too many."""
        if self.bytes is None or len(nodes) <= _FEW:
            return going_on(self._trie, nodes)
        goes_on = np.zeros(len(self._trie.bytes), dtype=np.bool_)
        for byte in self.bytes:
            goes_on[self._parents_by(byte)] = True
        return goes_on[nodes]

    def _parents_by(self, byte: int) -> Ints:
        found = self._parents.get(byte)
        if found is None:
            # The root is no child, and has byte 0.
            found = self._trie.parent_array[1:][self._trie.byte_array[1:] == byte]
            self._parents[byte] = found
        return found


def going_on(trie: Trie, nodes: Ints) -> NDArray[np.bool_]:
    first = trie.first_array
    is_inner: NDArray[np.bool_] = first.take(nodes) < first[1:].take(nodes)
    return is_inner


def list_ending(trie: Trie, nodes: Ints) -> tuple[Ints, Ints]:
    """Return the texts that end in some nodes, by text index, and the index of each one's node."""
    n_ending = trie.ending_array.take(nodes)
    text_indices, found = [_NO_NODES], [_NO_NODES]
    for n in range(int(n_ending.max(initial=0))):
        at = (n_ending > n).nonzero()[0]
        text_indices.append(trie.low_array.take(nodes.take(at)) + n)
        found.append(at.astype(np.int32))
    return np.concatenate(text_indices).astype(np.int32), np.concatenate(found)


def ascending(nodes: Ints) -> Ints:
    """Return the different ones of some nodes, ascending; NumPy's ``unique`` takes longer."""
    if (nodes[1:] > nodes[:-1]).all():
        return nodes
    # A stable sort joins arrays that are in order in one pass.
    found = np.sort(nodes, kind="stable")
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[1:] = found[1:] != found[:-1]
    distinct: Ints = found[is_new]
    return distinct


def united(left: Ints, right: Ints) -> Ints:
    """Return the nodes that are in either of two ascending arrays."""
    return ascending(np.concatenate([left, right]))


def without(left: Ints, right: Ints, n_nodes: int) -> Ints:
    """Return the nodes of a trie of so many that are in the first array and not in the second."""
    is_kept = np.ones(n_nodes, dtype=np.bool_)
    is_kept[right] = False
    return left[is_kept[left]]


class ComponentReading(NamedTuple):
    """What a component reads below a node, which is not itself among what is read."""

    # the mask of the tokens that end inside the component; None but for the root, as the others are
    # not asked for so often
    row: Words | None
    text_indices: Ints  # int32[n], the same tokens by text index, in the order of their passes
    text_passes: Passes  # uint16[n], of each of them, with those to the nearest end after it
    inside: Ints  # int32[n], the nodes inside it from which texts go on, ascending
    # uint8[n], of each of them the number of its control state, counted from 1
    inside_states: NDArray[np.uint8]
    inside_passes: Passes  # uint16[n], of each of them
    # int32[n], the nodes at which it is left in one of its ways, ordered by control state, byte and
    # passes
    left: Ints
    # uint16[n], of each of these 256 times the number of the control state, plus the byte
    left_by: NDArray[np.uint16]
    left_passes: Passes  # uint16[n], those before the byte

    def read_within(self, passes: int) -> tuple[Ints, Ints]:
        """Return the tokens that pass so often at most, and the others, by text index."""
        n_read = count_up_to(self.text_passes, passes)
        return self.text_indices[:n_read], self.text_indices[n_read:]

    def ends(self, loop: Loop, onward: Onward) -> tuple[Ints, Passes]:
        """Return the nodes where the text may end and go on after enough passes, and the passes."""
        is_chosen = np.zeros(1 + MOST_STATES, dtype=np.bool_)
        is_chosen[[number + 1 for number in loop.list_ends()]] = True
        chosen = np.flatnonzero(is_chosen[self.inside_states] & onward.are(self.inside))
        return self.inside[chosen], self.inside_passes[chosen]

    def leave_by(self, out: Sequence[LoopExit]) -> Iterator[tuple[LoopExit, Ints, Passes]]:
        """Return the exits that were taken, each with the nodes behind it and the passes before."""
        keys = np.array([(number << 8) + byte for number, byte, _ in out], dtype=np.uint16)
        first = np.searchsorted(self.left_by, keys).tolist()
        last = np.searchsorted(self.left_by, keys, side="right").tolist()
        for loop_exit, start, stop in zip(out, first, last, strict=True):
            if start < stop:
                yield loop_exit, self.left[start:stop], self.left_passes[start:stop]


def count_up_to(passes: Passes, most: int) -> int:
    """Return how many of ascending numbers are not greater than another one."""
    # With a number of another type, NumPy would copy all of them first.
    return int(np.searchsorted(passes, np.uint16(min(most, MOST_PASSES)), side="right"))
