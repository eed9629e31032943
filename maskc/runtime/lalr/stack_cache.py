"""Results that depend on the top of a stack, cached by exactly the states that were read.

A result is kept in a tree whose edges are the states below the top, down to the lowest one that
was read while it was computed. A later stack with the same states so far gets the same result,
whatever is below; one that differs there takes another branch. How deep a result reads may
differ from stack to stack, but never for two stacks that are equal as far as they were read, so
the tree is always consistent.

A node of the tree is a dict by the state below, or a result. A chain of nodes with one child each
is stored as one list, the states and then what follows them: the result of a dedent depends on
many states, and its chain seldom branches.

A result that read more than ``DEEP`` states is cached by the stack itself, and the tree says so
where it ends: in ``1 if a else 1 if a else …`` each stack differs from the last in its top only,
and has the same states below as far as one likes to look.

Example: ``key → {5: "a", 7: [4, 4, 2, "b"]}``: with 5 below the top the result is "a"; with 7, 4, 4
and 2 below it, "b".
"""

from __future__ import annotations

from typing import Any

from maskc.runtime.cache.budget import ENTRY_BYTES, LEVEL_BYTES, Cache
from maskc.runtime.lalr.stack import Stack, serial_of

DEEP = 64


class OnStack:
    """What a tree has in the place of a result that is cached by the stack itself."""


ON_STACK = OnStack()


class StackCache(Cache):
    """Results by a key, which includes the state on top, and by the states below it.

    Results are neither dicts nor lists, nor ``None``.
    """

    __slots__ = ()

    def find(self, key: object, stack: Stack) -> Any:
        """Return the result, ``None`` if there is none."""
        found, below = self.current.get(key), stack
        while type(found) is dict:
            below = below.below  # type: ignore[assignment]  # read before, so it is there
            found = found.get(below.state)
        if type(found) is list:
            found, _ = descend(found, below)
        if found is ON_STACK:
            return self.find_deep(key, stack)
        return self.recall(key, stack) if found is None else found

    def find_deep(self, key: object, stack: Stack) -> Any:
        """Return the result that is cached by the stack itself, ``None`` if there is none."""
        return self.get((key, stack.serial)) if stack.serial else None

    def recall(self, key: object, stack: Stack) -> Any:
        """Return a result of the previous generation, and copy it into the current one."""
        # Read once: another thread may start a new generation at any time.
        node = self._previous.get(key)
        if node is None:
            return None
        found, lowest = descend(node, stack)
        if found is not None:
            self.keep(key, stack, lowest.depth, found)
        return self.find_deep(key, stack) if found is ON_STACK else found

    def keep(self, key: object, stack: Stack, lowest: int, result: object) -> None:
        """Add a result for which the stack was read down to a depth."""
        if stack.depth - lowest > DEEP:
            self.put((key, serial_of(stack)), result)
            lowest, result = stack.depth - DEEP, ON_STACK
        n_bytes = ENTRY_BYTES
        place, edge = self.current, key
        n_below = stack.depth - lowest
        while n_below > 0:
            node = place.get(edge)
            if type(node) is list:
                # Another stack may share the chain's first states only.
                node = place[edge] = {node[0]: _make_chain(node[1:])}
                n_bytes += LEVEL_BYTES
            elif type(node) is not dict:
                break
            place, stack = node, stack.below  # type: ignore[assignment]  # it was read
            edge = stack.state
            n_below -= 1
        if n_below > 0:
            n_bytes += LEVEL_BYTES
            chain: list[Any] = []
            for _ in range(n_below):
                stack = stack.below  # type: ignore[assignment]
                chain.append(stack.state)
            chain.append(result)
            place[edge] = _make_chain(chain)
        else:
            place[edge] = result
        self.budget.charge(n_bytes)


def descend(node: Any, stack: Stack) -> tuple[Any, Stack]:
    """Return a node's result for the states below a stack's top, and the lowest one it read.

    The result is ``None`` if there is none.
    """
    while True:
        if type(node) is dict:
            stack = stack.below  # type: ignore[assignment]  # read before, so it is there
            node = node.get(stack.state)
        elif type(node) is list:
            for state in node[:-1]:
                stack = stack.below  # type: ignore[assignment]
                if stack.state != state:
                    return None, stack
            node = node[-1]
        else:
            return node, stack


def _make_chain(items: list[Any]) -> Any:
    """Return the node for some states, one below the other, and what follows the last of them."""
    if len(items) > 2:
        return items
    return {items[0]: items[1]} if len(items) == 2 else items[0]
