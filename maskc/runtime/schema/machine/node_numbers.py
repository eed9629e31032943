"""Are two nodes of a schema's stack equal, however much is open below them?

As with an LALR grammar's stacks (:mod:`maskc.runtime.lalr.stack_numbers`), each node has a number:
that of its state and of its parents' numbers. Only what is new is looked at.
"""

from __future__ import annotations

from itertools import count

from maskc.runtime.cache.budget import EDGE_BYTES, ENTRY_BYTES, Budget, Cache
from maskc.runtime.schema.machine.nodes import PARENTS, SERIAL, STATE, Node


class NodeNumbers:
    """Numbers the nodes of one machine, in whatever threads it is used.

    Args:
        budget: what is remembered is charged to.
    """

    def __init__(self, budget: Budget) -> None:
        self._numbers = count(1)
        self._by_serial = Cache(budget, lambda _: EDGE_BYTES)  # of a node → its number
        # A state and the numbers of the parents → a number.
        self._by_content = Cache(budget, lambda _: ENTRY_BYTES)

    def number(self, node: Node) -> int:
        """Return the number of a node: only equal ones have it."""
        known: int | None = self._by_serial.get(node[SERIAL])
        if known is not None:
            return known
        # Of the nodes that are asked about; what is evicted meanwhile stays here.
        found: dict[int, int] = {}
        pending = [node]
        while pending:
            here = pending[-1]
            serial: int = here[SERIAL]
            if serial not in found:
                known = self._by_serial.get(serial)
                if known is None:
                    new = [above for above in here[PARENTS] if above[SERIAL] not in found]
                    if new:
                        pending += new
                        continue
                    numbers = sorted({found[above[SERIAL]] for above in here[PARENTS]})
                    known = self._find(here, tuple(numbers))
                found[serial] = known
            pending.pop()
        return found[node[SERIAL]]

    def _find(self, node: Node, parents: tuple[int, ...]) -> int:
        key = (node[STATE], *parents)
        known: int | None = self._by_content.get(key)
        if known is None:
            # Two threads may give two numbers: then each is that of this node alone.
            known = next(self._numbers)
            self._by_content.put(key, known)
        self._by_serial.put(node[SERIAL], known)
        return known
