"""The strongly connected components of a graph, without recursion.

Example: ``{0: [1], 1: [0], 2: [0]}`` has the components ``[0, 1]`` and ``[2]``.

Source: Tarjan 1972 (doi:10.1137/0201010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", int, str)


def find_components(edges: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Return the components, each in ascending order, those that others lead to first.

    >>> find_components({0: [1], 1: [0], 2: [0]})
    [[0, 1], [2]]
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    found: list[list[Node]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    place = stack.index(node)
                    found.append(sorted(stack[place:]))
                    on_stack.difference_update(stack[place:])
                    del stack[place:]
    return found
