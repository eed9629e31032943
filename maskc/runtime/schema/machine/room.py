"""Which nodes of a stack have to be looked at, as items of an array below are compared?

A node inside an item that must differ is *roomy* if something below it lets the item become
endlessly many, whatever the node itself becomes. A node that is not, and cannot become endlessly
many by itself, is *tight*: it may be that nothing is left for it to become. Where two items must be
equal, and only the last one can still be, it is *bound*: to become one that was there.

Example: in ``[{"a": 1, "b": true`` both objects and their members are roomy if more keys may come.
"""

from __future__ import annotations

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    CAPTURES,
    IS_BOUND,
    IS_ROOMY,
    STATE,
    Node,
    State,
)
from maskc.runtime.schema.machine.variety import Variety
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import Place


def place_of(node: Node) -> Place:
    """Return how far an array was read."""
    state = node[STATE]
    return Place(state[2], state[3], state[5])


def is_compared(frame: Node) -> bool:
    """Return whether a node is an array whose item under way is compared where it ends."""
    return frame[STATE][0] == ARRAY and frame[STATE][5] is not None


class Room:
    """Says what room nodes have.

    Args:
        plan: what is asked.
        variety: of its positions.
    """

    def __init__(self, plan: Plan, variety: Variety) -> None:
        self._plan, self._variety = plan, variety

    def find(self, state: State, parents: tuple[Node, ...]) -> tuple[bool, bool, bool]:
        """Return what room a node has: whether it is roomy, bound and tight."""
        is_roomy = is_bound = False
        for parent in parents:
            if not parent[CAPTURES]:
                is_roomy = True
                break
            is_last = is_compared(parent) and self._is_last(parent)
            if is_last or parent[IS_BOUND]:
                is_bound = True
            elif not is_compared(parent) or self._plan.arrays[parent[STATE][1]].repeats:
                is_roomy = is_roomy or parent[IS_ROOMY] or self._variety.of_open(parent[STATE])
        is_tight = not is_roomy and (is_bound or not self._variety.of_open(state))
        return is_roomy, is_bound and not is_roomy, is_tight

    def _is_last(self, frame: Node) -> bool:
        """Return whether only an item that was there may be the one under way."""
        return self._plan.arrays[frame[STATE][1]].only(place_of(frame)) is not None

    def is_calm(self, node: Node) -> bool:
        """Return whether nothing that comes above a node has to be looked at."""
        if is_compared(node):
            return False
        return node[IS_ROOMY] or not node[IS_BOUND] and self._variety.is_always(node[STATE])
