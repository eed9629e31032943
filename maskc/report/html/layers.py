"""Which layer is a node of a directed graph in, and what is beside it there?

1. Edges that close a cycle, found depth first, are to be followed backward.
2. A node's rank is the length of the longest path to it, twice: between two nodes that an edge
   joins there is a layer for its label.
3. In each layer, nodes are put in order by the medians of their neighbours, downward and upward in
   turn; the order with the fewest crossings is kept.

Source: Sugiyama, Tagawa, Toda 1981, doi:10.1109/TSMC.1981.4308636; Gansner, Koutsofios, North, Vo
1993, doi:10.1109/32.221135 (medians).
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise

SWEEPS = 24

Edge = tuple[int, int]


def find_closing(n_nodes: int, edges: Iterable[Edge]) -> list[Edge]:
    """Return the edges that lead back to a node which the search has not left."""
    leaving: dict[int, list[int]] = {}
    for source, target in edges:
        leaving.setdefault(source, []).append(target)
    closing = []
    state = [0] * n_nodes
    for root in range(n_nodes):
        path = [(root, iter(leaving.get(root, ())))] if not state[root] else []
        state[root] = state[root] or 1
        while path:
            node, targets = path[-1]
            target = next(targets, -1)
            if target < 0:
                state[node] = 2
                path.pop()
            elif state[target] == 1:
                closing.append((node, target))
            elif state[target] == 0:
                state[target] = 1
                path.append((target, iter(leaving.get(target, ()))))
    return closing


def rank_nodes(n_nodes: int, edges: Iterable[Edge]) -> list[int]:
    """Return a rank for each node, even, by the longest path; then pull nodes to their targets."""
    edges = sorted(set(edges))
    rank = [0] * n_nodes
    for _ in range(n_nodes):
        before = list(rank)
        for upper, lower in edges:
            rank[lower] = max(rank[lower], rank[upper] + 2)
        if rank == before:
            break
    for node in sorted(range(1, n_nodes), key=lambda v: -rank[v]):
        below = [rank[lower] for upper, lower in edges if upper == node]
        n_above = sum(lower == node for _, lower in edges)
        if len(below) > n_above:
            rank[node] = min(below) - 2
    return rank


def order_layers(rank: Sequence[int], links: Sequence[Edge]) -> list[list[int]]:
    """Return the nodes of each rank in an order with few crossings; links join adjacent ranks."""
    above, below = list_neighbours(len(rank), links)
    layers: list[list[int]] = [[] for _ in range(max(rank) + 1)]
    for node in _depth_first(below):
        layers[rank[node]].append(node)
    best, fewest = [list(layer) for layer in layers], _count_crossings(layers, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for level in range(len(layers)) if down else reversed(range(len(layers))):
            _sort_by_medians(layers, level, near, -1 if down else 1)
        crossings = _count_crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def list_neighbours(n_nodes: int, links: Sequence[Edge]) -> tuple[list[list[int]], list[list[int]]]:
    """Return node → what is linked to it from above, and from below."""
    above: list[list[int]] = [[] for _ in range(n_nodes)]
    below: list[list[int]] = [[] for _ in range(n_nodes)]
    for upper, lower in links:
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def _sort_by_medians(
    layers: list[list[int]], level: int, near: Sequence[Sequence[int]], side: int
) -> None:
    """Sort a layer; what has no neighbour on that side stays where it is."""
    if not 0 <= level + side < len(layers):
        return
    position = {node: i for i, node in enumerate(layers[level + side])}
    layer = layers[level]
    median: dict[int, float] = {}
    for node in layer:
        places = sorted(position[other] for other in near[node])
        if places:
            half = len(places) // 2
            median[node] = (
                places[half] if len(places) % 2 else (places[half - 1] + places[half]) / 2
            )
    moving = iter(sorted(median, key=median.__getitem__))
    layers[level] = [next(moving) if node in median else node for node in layer]


def _count_crossings(layers: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    crossings = 0
    for upper, lower in pairwise(layers):
        position = {node: i for i, node in enumerate(lower)}
        seen: list[int] = []
        for node in upper:
            ends = sorted(position[other] for other in below[node])
            crossings += sum(len(seen) - bisect.bisect_right(seen, end) for end in ends)
            for end in ends:
                bisect.insort(seen, end)
    return crossings


def _depth_first(below: Sequence[Sequence[int]]) -> list[int]:
    found: dict[int, None] = {}
    for root in range(len(below)):
        pending = [root]
        while pending:
            node = pending.pop()
            if node not in found:
                found[node] = None
                pending.extend(reversed(below[node]))
    return list(found)
