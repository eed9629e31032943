"""One reading of the text so far, and results that are cached by what was read of it.

A reading is a scanner state, a parser stack, and the open blocks. A stack is a linked list of nodes
that never change. Stacks with a common lower part share its nodes, so that a copy of a stack costs
nothing, and rolling back a matcher is taking an earlier stack again. It may be 100,000 deep, and
each step of a text may want to go down all of it; so some nodes know one far below.

A result is kept in a tree whose edges are the states below the top, down to the lowest one that
was read while it was computed. A later stack with the same states so far gets the same result,
whatever is below; one that differs there takes another branch. How deep a result reads may
differ from stack to stack, but never for two stacks that are equal as far as they were read, so
the tree is always consistent.

All trees of a cache are in one dict. An inner node is a number, and the edge from it by a state is
the entry under their sum; numbers are multiples of how many states there are, so no two edges have
one sum. A chain of nodes with one child each is one tuple of states under a negative number, and
what follows them under the positive one: the result of a dedent depends on many states, and its
chain seldom branches. So Python's garbage collector, which looks at every dict, list and object of
a process each time it runs, finds nothing in a million results but tuples of numbers, and these it
does not look at twice.

A result that read more than ``DEEP`` states is cached by the stack itself, and the tree says so
where it ends: in ``1 if a else 1 if a else …`` each stack differs from the last in its top only,
and has the same states below as far as one likes to look.

Example, with ten states: ``{key: 10, 15: "a", 17: -20, -20: (4, 4, 2), 20: "b"}``. With 5 below the
top the result is "a"; with 7, 4, 4 and 2 below it, "b".
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final

from maskc.ids import RefinedStateId, ScannerStateId
from maskc.runtime.cache import EDGE_BYTES, ENTRY_BYTES, Budget, Cache, Interner
from maskc.runtime.pool import PooledMask

DEEP: Final = 64  # below the top: results that read more states are cached by the stack itself
# Instead of a result: it also depends on the layout, and is cached by that as well.
BY_LAYOUT = "by layout"
_STATE_BYTES: Final = 8  # of a chain
_STATE_BITS: Final = 32
_NEAR: Final = 64
_FAR: Final = 4096
_serials = count(1)


class Stack:
    """A parser stack: its top, a refined state, and what lies below. Never changes."""

    __slots__ = ("below", "depth", "serial", "skip", "state")

    def __init__(self, state: RefinedStateId, below: Stack | None) -> None:
        self.state = state  # the refined state on top
        self.below = below  # the rest of the stack, None at the bottom
        self.depth: int = below.depth + 1 if below is not None else 0  # how many states are below
        # where the depth is a multiple of 64, the stack 64 below, or 4,096 below if it is one of
        # 4,096; None until somebody has gone there
        self.skip: Stack | None = None
        self.serial = 0  # tells it from every other stack; 0 until somebody has asked


def serial_of(stack: Stack) -> int:
    """Return the number of a stack, by which results are cached that hold for it alone."""
    if not stack.serial:
        # Two threads may give two numbers: then what was cached by the first is not found again.
        stack.serial = next(_serials)
    return stack.serial


def lower(stack: Stack, depth: int) -> Stack:
    """Return what a stack is at a depth, in few steps however deep it is.

    Raises:
        ValueError: there is no such depth.
    """
    if not 0 <= depth <= stack.depth:
        raise ValueError("a stack effect pops below the bottom of the stack")
    here = stack
    while here.depth > depth:
        stride = 1
        if here.depth % _NEAR == 0:
            stride = _FAR if here.depth % _FAR == 0 else _NEAR
        if stride == 1 or here.depth - depth < stride:
            here = here.below  # type: ignore[assignment]  # it is not at the bottom
            continue
        if here.skip is None:
            found = here
            for _ in range(stride):
                found = found.below  # type: ignore[assignment]  # it is as deep as that
            here.skip = found
        here = here.skip
    return here


def pop_and_push(stack: Stack, n_popped: int, pushed: tuple[RefinedStateId, ...]) -> Stack:
    """Return the stack without its upper ``n_popped`` states and with others pushed, lowest first.

    Raises:
        ValueError: it has not so many states.
    """
    if n_popped > _NEAR:
        stack = lower(stack, stack.depth - n_popped)
        n_popped = 0
    for _ in range(n_popped):
        if stack.below is None:
            raise ValueError("a stack effect pops below the bottom of the stack")
        stack = stack.below
    for state in pushed:
        stack = Stack(state, stack)
    return stack


NO_SIDE: Final = 0  # the state of no side automaton


class Hypothesis:
    """A scanner state, a parser stack and, with indentation, a layout. Never changes."""

    __slots__ = ("column", "indents", "mask", "side", "stack", "state")

    def __init__(
        self,
        state: ScannerStateId,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        side: Any = NO_SIDE,
    ) -> None:
        self.state = state  # scanner state
        self.stack = stack  # parser stack, without the open lexeme
        self.indents = indents  # columns of the open blocks, outermost first
        # column reached in the open lexeme, NO_LINE before its first line break
        self.column = column
        self.side = side  # what a side automaton knows, see :mod:`maskc.runtime.lalr.stepping`
        # its legal tokens, once they were asked for, if their mask has a number: those without one
        # are evicted, and must not be kept alive by each matcher that went through here
        self.mask: PooledMask | None = None


class ReadSet:
    """What of a stack and a layout has been read while a result was computed.

    A mask, or what a token does, holds for every stack that is equal as far as it was read, and is
    cached under that. Example: after ``[1, [2`` the token ``]`` reads the stack down to the inner
    ``[``; what it does is cached for every stack that ends in an array's first number.
    """

    __slots__ = ("layout", "lowest")

    def __init__(self, depth: int) -> None:
        self.lowest = depth  # smallest depth of a stack node whose state was read
        self.layout = False  # whether a column or the open blocks were read


Hypotheses = tuple[Hypothesis, ...]


# What is left of a hypothesis when its open lexeme has become a terminal: the parser stack, with
# the terminal, and the columns of the open blocks. A plain tuple, as one is made at each lexeme's
# end.
Ended = tuple[Stack, tuple[int, ...]]


def measure_effects(_: object, effects: object) -> int:
    """Return the bytes of what a token does to a hypothesis, and of its key."""
    return ENTRY_BYTES * (1 + len(effects)) if isinstance(effects, tuple) else ENTRY_BYTES


class OnStack:
    """What a tree has instead of a result that is cached by the stack itself."""


ON_STACK: Final = OnStack()


class StackCache(Cache):
    """Results by a key, which includes the state on top, and by the states below it.

    Keys are tuples; results are neither integers nor ``None``.
    """

    def __init__(
        self, budget: Budget, n_states: int, measure: Callable[[Any, Any], int] | None = None
    ) -> None:
        super().__init__(budget, measure)
        self._n_states = n_states
        # Of inner nodes and chains. Each is used once: two threads may add to one tree.
        self._numbers = count(1)

    def find(self, key: tuple[Any, ...], stack: Stack) -> Any:
        """Return the result, ``None`` if there is none."""
        found, _ = _descend(self.generations.current, key, stack)
        if found is ON_STACK:
            return self.find_deep(key, stack)
        return self.recall(key, stack) if found is None else found

    def find_deep(self, key: tuple[Any, ...], stack: Stack) -> Any:
        """Return the result that is cached by the stack itself, ``None`` if there is none."""
        return self.get((key, stack.serial)) if stack.serial else None

    def recall(self, key: tuple[Any, ...], stack: Stack) -> Any:
        """Return a result of the previous generation, and copy it into the current one."""
        # Read once: another thread may start a new generation at any time.
        found, lowest = _descend(self.generations.previous, key, stack)
        if found is not None:
            self.keep(key, stack, lowest.depth, found)
        return self.find_deep(key, stack) if found is ON_STACK else found

    def keep(self, key: tuple[Any, ...], stack: Stack, lowest: int, result: object) -> None:
        """Add a result for which the stack was read down to a depth."""
        if stack.depth - lowest > DEEP:
            self.put((key, serial_of(stack)), result)
            lowest, result = stack.depth - DEEP, ON_STACK
        current: dict[Any, Any] = self.generations.current
        edge: object = key
        n_bytes = self.measure(key, result)
        n_below = stack.depth - lowest
        while n_below > 0:
            node = current.get(edge)
            if type(node) is not int:
                break
            if node < 0:
                # Another stack may share the chain's first states only.
                states, found = current.pop(node, None), current.pop(-node, None)
                if states is None:
                    break
                node = current[edge] = self._number()
                current[node + states[0]] = self._add(current, states[1:], found)
                n_bytes += EDGE_BYTES
            stack = stack.below  # type: ignore[assignment]  # it was read
            edge = node + stack.state
            n_below -= 1
        rest: list[RefinedStateId] = []
        for _ in range(n_below):
            stack = stack.below  # type: ignore[assignment]
            rest.append(stack.state)
        current[edge] = self._add(current, tuple(rest), result)
        self.budget.charge(n_bytes + EDGE_BYTES * bool(rest) + _STATE_BYTES * len(rest))

    def _number(self) -> int:
        return next(self._numbers) * self._n_states

    def _add(
        self, current: dict[Any, Any], states: tuple[RefinedStateId, ...], result: object
    ) -> object:
        """Add some states, one below the other, and a result; return what leads there."""
        if not states:
            return result
        number = self._number()
        if len(states) == 1:
            current[number + states[0]] = result
            return number
        current[number], current[-number] = result, states
        return -number


class HypothesisCache:
    """Results by a key and by what was read of a hypothesis: its stack, and perhaps its layout.

    Of stacks with one top, some may need the layout and others not: then all are found by it.

    Attributes:
        plain: the results that no layout decides; ``BY_LAYOUT`` instead of the others.
    """

    def __init__(
        self, budget: Budget, n_states: int, measure: Callable[[Any, Any], int] | None = None
    ) -> None:
        self.plain = StackCache(budget, n_states, measure)
        self.by_layout = StackCache(budget, n_states, measure)

    def find(self, key: tuple[Any, ...], h: Hypothesis) -> Any:
        """Return the result, ``None`` if there is none."""
        found = self.plain.find(key, h.stack)
        if found is BY_LAYOUT:
            return self.by_layout.find((*key, h.column, h.indents), h.stack)
        return found

    def keep(self, key: tuple[Any, ...], h: Hypothesis, reads: ReadSet, result: object) -> None:
        """Add a result by what was read for it."""
        if reads.layout or self.plain.find(key, h.stack) is BY_LAYOUT:
            self.plain.put(key, BY_LAYOUT)
            self.by_layout.keep((*key, h.column, h.indents), h.stack, reads.lowest, result)
        else:
            self.plain.keep(key, h.stack, reads.lowest, result)


def follow(current: dict[Any, Any], chain: int, stack: Stack) -> tuple[Any, Stack]:
    """Return a chain's result for the states below a stack's top, and the lowest one it read.

    The result is ``None`` if there is none, or if the chain is gone: another thread may have split
    it, and be between its states and its result.
    """
    states = current.get(chain)
    if states is None:
        return None, stack
    for state in states:
        stack = stack.below  # type: ignore[assignment]  # read before, so it is there
        if stack.state != state:
            return None, stack
    return current.get(-chain), stack


def _descend(current: dict[Any, Any], key: tuple[Any, ...], stack: Stack) -> tuple[Any, Stack]:
    """Return the result in a generation, and the lowest state that it depends on."""
    found = current.get(key)
    while type(found) is int:
        node: int = found
        if node < 0:
            return follow(current, node, stack)
        stack = stack.below  # type: ignore[assignment]  # read before, so it is there
        found = current.get(node + stack.state)
    return found, stack


class StackNumbers:
    """Numbers the stacks of one machine, in whatever threads it is used: equal ones have one."""

    def __init__(self, budget: Budget) -> None:
        self._by_serial = Cache(budget, n_bytes=EDGE_BYTES)  # of a stack → its number
        self._by_pair = Interner(budget, EDGE_BYTES)  # of the number below, and a state

    def number(self, stack: Stack) -> int:
        """Return the number of a stack: only equal ones have it."""
        new: list[Stack] = []
        here: Stack | None = stack
        below = 0  # of what lies below all that is new; 0: nothing
        while here is not None:
            found: int | None = self._by_serial.get(here.serial) if here.serial else None
            if found is not None:
                below = found
                break
            new.append(here)
            here = here.below
        for item in reversed(new):
            below = self._by_pair.number(below << _STATE_BITS | item.state)
            self._by_serial.put(serial_of(item), below)
        return below


# What a token makes of a hypothesis: how many states of the stack are popped; which are pushed,
# lowest first; the scanner state afterwards; the open blocks afterwards, ``None`` if they stay; and
# the column afterwards. A plain tuple: to unpack a named one would be a tenth of a token's time.
TokenEffect = tuple[int, tuple[RefinedStateId, ...], ScannerStateId, tuple[int, ...] | None, int]


def find_effect(before: Hypothesis, after: Hypothesis, lowest: int) -> TokenEffect:
    """Return what made one hypothesis of another.

    ``lowest`` is the smallest depth of a stack node that was read meanwhile.
    """
    stack, pushed = after.stack, []
    while stack.depth > lowest and stack is not before.stack:
        pushed.append(stack.state)
        if stack.below is None:
            raise ValueError("a stack ends above its lowest state")
        stack = stack.below
    return (
        before.stack.depth - stack.depth,
        tuple(reversed(pushed)),
        after.state,
        after.indents if after.indents is not before.indents else None,
        after.column,
    )
