"""Runs of the DFT pushdown automaton, as the appendix writes them: descriptions, step by step."""

from collections import deque
from typing import NamedTuple

from maskc.pushdown.dft import BOTTOM
from maskc.pushdown.nodes import END_NODE, Node, Side, format_node

MAX_DESCRIPTIONS = 100_000


class Description(NamedTuple):
    """An instantaneous description: the state, the terminals not yet read, the stack, top first."""

    state: Node
    rest: tuple
    stack: tuple


def format_description(dft, description):
    """Return an instantaneous description as a row of Figure 3."""
    rest = " ".join(dft.reduced.terminals[t] for t in description.rest) or "ε"
    stack = "".join("Z0" if s == BOTTOM else f"({dft.format_symbol(s)})" for s in description.stack)
    return f"{format_node(dft.reduced, description.state)}, {rest}, {stack or 'ε'}"


def step(dft, description):
    """Return the descriptions one step away."""
    found = []
    for transition in dft.leaving.get(description.state, ()):
        rest, stack = description.rest, description.stack
        if transition.reads is not None:
            if rest[:1] != (transition.reads,):
                continue
            rest = rest[1:]
        if transition.pops is not None:
            if stack[:1] != (transition.pops,):
                continue
            stack = stack[1:]
        if transition.pushes is not None:
            stack = (transition.pushes, *stack)
        found.append(Description(transition.target, rest, stack))
    return found


def trace(dft, sequence, *, max_stack=64):
    """Return a shortest path that accepts a terminal sequence, or ``None``.

    Exact up to the bounds: a sequence that is accepted only with more than ``max_stack`` stack
    symbols, or after ``MAX_DESCRIPTIONS`` descriptions, is not found.
    """
    first = Description(Node(Side.START, dft.reduced.start), tuple(sequence), (BOTTOM,))
    came_from = {first: None}
    queue = deque([first])
    while queue and len(came_from) < MAX_DESCRIPTIONS:
        here = queue.popleft()
        if here == Description(END_NODE, (), ()):
            path = []
            back = here
            while back is not None:
                path.append(back)
                back = came_from[back]
            return tuple(reversed(path))
        for description in step(dft, here):
            if len(description.stack) <= max_stack and description not in came_from:
                came_from[description] = here
                queue.append(description)
    return None
