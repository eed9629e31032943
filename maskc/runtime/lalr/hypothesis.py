"""One reading of the text so far: a scanner state, a parser stack, and the open blocks.

A stack is a linked list of nodes that never change. Stacks with a common lower part share its
nodes, so that a copy of a stack costs nothing, and rolling back a matcher is taking an earlier
stack again. It may be 100,000 deep, and each step of a text may want to go down all of it; so some
nodes know one far below.
"""

from __future__ import annotations

from itertools import count

from maskc.ids import RefinedStateId, ScannerStateId
from maskc.runtime.pool import PooledMask

_NEAR, _FAR = 64, 4096
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
            here.skip = _walk(here, stride)
        here = here.skip
    return here


def _walk(stack: Stack, n: int) -> Stack:
    for _ in range(n):
        stack = stack.below  # type: ignore[assignment]  # the caller has looked at the depth
    return stack


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


class Hypothesis:
    """A scanner state, a parser stack and, with indentation, a layout. Never changes."""

    __slots__ = ("column", "indents", "mask", "stack", "state")

    def __init__(
        self, state: ScannerStateId, stack: Stack, indents: tuple[int, ...], column: int
    ) -> None:
        self.state = state  # scanner state
        self.stack = stack  # parser stack, without the open lexeme
        self.indents = indents  # columns of the open blocks, outermost first
        # column reached in the open lexeme, NO_LINE before its first line break
        self.column = column
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
