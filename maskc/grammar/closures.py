"""Closures over productions and graphs, each in time linear in what is given.

What can be derived: a nonterminal derives something once all nonterminals of one of its right
sides do; and the shortest that it derives. What can be reached: a set is united along edges,
components taken as one node. The strongly connected components of a graph, without recursion.

Source: Dowling, Gallier 1984 (doi:10.1016/0743-1066(84)90014-1), for Horn clauses; Tarjan 1972
(doi:10.1137/0201010), with a stack of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar


def find_derivable(rules: Iterable[tuple[int, Sequence[int]]]) -> set[int]:
    """Return the nonterminals that derive something.

    Args:
        rules: left and right sides; nonterminal n is -1 - n in a right side, and what is not
            negative is derived already.

    >>> sorted(find_derivable([(0, (-2, -3)), (1, (7,)), (2, (-1,))]))
    [1]
    """
    waiting: dict[int, list[int]] = {}  # symbol → rules that lack it, once for each time
    missing, heads, pending = list[int](), list[int](), list[int]()
    for rule, (head, right_side) in enumerate(rules):
        n_missing = 0
        for symbol in right_side:
            if symbol < 0:
                waiting.setdefault(symbol, []).append(rule)
                n_missing += 1
        missing.append(n_missing)
        heads.append(head)
        if not n_missing:
            pending.append(head)
    found = set[int]()
    while pending:
        nonterminal = pending.pop()
        if nonterminal in found:
            continue
        found.add(nonterminal)
        for rule in waiting.get(-1 - nonterminal, ()):
            missing[rule] -= 1
            if not missing[rule]:
                pending.append(heads[rule])
    return found


def find_shortest(rules: Iterable[tuple[int, Sequence[int]]]) -> dict[int, tuple[int, ...]]:
    """Return, for each nonterminal that derives one, a shortest sequence of terminals.

    >>> find_shortest([(0, (7, -2)), (1, (-1,)), (1, (5, 6)), (2, (-3,))])
    {1: (5, 6), 0: (7, 5, 6)}
    """
    rules, found, changed = list(rules), dict[int, tuple[int, ...]](), True
    while changed:
        changed = False
        for head, right_side in rules:
            if all(symbol >= 0 or -1 - symbol in found for symbol in right_side):
                whole = write_shortest(right_side, found)
                if head not in found or len(whole) < len(found[head]):
                    found[head], changed = whole, True
    return found


def write_shortest(
    symbols: Iterable[int], shortest: Mapping[int, tuple[int, ...]]
) -> tuple[int, ...]:
    """Return a shortest sequence of terminals that symbols derive; each must derive one."""
    return tuple(t for s in symbols for t in ((s,) if s >= 0 else shortest[-1 - s]))


Node = TypeVar("Node", int, str)


def find_reachable(
    starts: Iterable[int], list_following: Callable[[int], Iterable[int]]
) -> set[int]:
    """Return what some nodes lead to, and these.

    >>> sorted(find_reachable([0], {0: [3], 3: [4, 0], 4: [], 5: [0]}.__getitem__))
    [0, 3, 4]
    """
    found = set(starts)
    pending = list(found)
    while pending:
        for node in list_following(pending.pop()):
            if node not in found:
                found.add(node)
                pending.append(node)
    return found


def find_components(edges: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Return the components, each in ascending order, those that others lead to first.

    >>> find_components({0: [1], 1: [0], 2: [0]})
    [[0, 1], [2]]
    """
    nodes = list(edges)
    number = {node: i for i, node in enumerate(nodes)}
    found = _find_components([[number[target] for target in edges[node]] for node in nodes])
    return [sorted(nodes[i] for i in component) for component in found]


def unite_along(
    edges: Sequence[Sequence[int]], values: Sequence[int]
) -> tuple[list[int], list[list[int]]]:
    """Return, for each node, the union of the values of all nodes that it leads to, and its own.

    Returns:
        The unions, and the strongly connected components of several nodes.

    >>> unite_along([[1], [0], [1]], [1, 2, 4])
    ([3, 3, 7], [[0, 1]])
    """
    united, components = list(values), _find_components(edges)
    for component in components:  # those that others lead to first
        together = 0
        for node in component:
            together |= united[node]
            for target in edges[node]:
                together |= united[target]
        for node in component:
            united[node] = together
    return united, [component for component in components if len(component) > 1]


def _find_components(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    found: list[list[int]] = []
    depth = [0] * len(edges)  # 0: not entered; once a component is done, more than all others
    done = len(edges) + 1
    path: list[int] = []
    for root in range(len(edges)):
        if depth[root]:
            continue
        path.append(root)
        entered = depth[root] = len(path)
        calls = [(root, entered, iter(edges[root]))]
        while calls:
            node, entered, targets = calls[-1]
            for target in targets:
                if not depth[target]:
                    path.append(target)
                    depth[target] = len(path)
                    calls.append((target, len(path), iter(edges[target])))
                    break
                depth[node] = min(depth[node], depth[target])
            else:
                calls.pop()
                if calls:
                    above = calls[-1][0]
                    depth[above] = min(depth[above], depth[node])
                if depth[node] == entered:
                    found.append(path[entered - 1 :])
                    del path[entered - 1 :]
                    for member in found[-1]:
                        depth[member] = done
    return found
