"""A parser stack as a linked list of nodes that never change.

Stacks with a common lower part share its nodes, so that a copy of a stack costs nothing, and
rolling back a matcher is taking an earlier stack again.
"""

from __future__ import annotations

from maskc.ids import RefinedStateId


class Stack:
    """A parser stack: its top, a refined state, and what lies below. Never changes.

    Attributes:
        state: the refined state on top.
        below: the rest of the stack, ``None`` at the bottom.
        depth: how many states are below.
    """

    __slots__ = ("below", "depth", "state")

    def __init__(self, state: RefinedStateId, below: Stack | None) -> None:
        self.state = state
        self.below = below
        self.depth: int = below.depth + 1 if below is not None else 0


def pop_and_push(stack: Stack, n_popped: int, pushed: tuple[RefinedStateId, ...]) -> Stack:
    """Return the stack without its upper ``n_popped`` states and with others pushed, lowest first.

    Raises:
        ValueError: it has not so many states.
    """
    for _ in range(n_popped):
        if stack.below is None:
            raise ValueError("a stack effect pops below the bottom of the stack")
        stack = stack.below
    for state in pushed:
        stack = Stack(state, stack)
    return stack
