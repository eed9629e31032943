"""Places for the nodes and edges of a small directed graph, from top to bottom in layers.

An edge has a bend in each layer that it passes, and one of them holds its label: so no label lies
on a node or on another label. Each layer is shifted to the means of its neighbours, with its
distances kept: an isotonic regression.

Loops have no place here: whoever draws a node makes it wide enough for them.

Source: :mod:`maskc.report.html.layers`; Ayer et al. 1955, doi:10.1214/aoms/1177728423 (pooling
adjacent violators).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from maskc.report.html.layers import (
    Edge,
    find_closing,
    list_neighbours,
    order_layers,
    rank_nodes,
)

SHIFTS = 60
GAP, LAYER_GAP = 14.0, 18.0
# Bends are kept straight before nodes are kept in the middle.
BEND_WEIGHT = 4.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """What a node, a label or a bend takes up: width and height."""

    width: float
    height: float


BEND = Box(8.0, 6.0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where everything is.

    Attributes:
        width, height: of the whole.
        nodes: the centre of each node.
        bends: edge → its bends, from its source to its target.
        labels: edge → the centre of its label.
    """

    width: float
    height: float
    nodes: tuple[Point, ...]
    bends: Mapping[Edge, tuple[Point, ...]]
    labels: Mapping[Edge, Point]


def lay_out(nodes: Sequence[Box], labels: Mapping[Edge, Box]) -> Drawing:
    """Return places for nodes and for edges with labels; node 0 comes first.

    Args:
        nodes: sizes; each node can be reached from node 0.
        labels: edge → size of its label; no loops.
    """
    downward = {edge: edge for edge in labels}
    for edge in find_closing(len(nodes), labels):
        downward[edge] = (edge[1], edge[0])
    rank = rank_nodes(len(nodes), downward.values())
    boxes = list(nodes)
    chains: dict[Edge, list[int]] = {}
    for edge, (upper, lower) in downward.items():
        middle = (rank[upper] + rank[lower]) // 2
        chain = chains[edge] = [upper]
        for level in range(rank[upper] + 1, rank[lower]):
            chain.append(len(boxes))
            boxes.append(labels[edge] if level == middle else BEND)
            rank.append(level)
        chain.append(lower)
    links = [link for chain in chains.values() for link in pairwise(chain)]
    layers = order_layers(rank, links)
    x = _shift(layers, links, boxes, len(nodes))
    y, height = _stack(layers, boxes)
    left = min(x[v] - box.width / 2 for v, box in enumerate(boxes))
    points = [(x[v] - left, y[rank[v]]) for v in range(len(boxes))]
    bends: dict[Edge, tuple[Point, ...]] = {}
    places: dict[Edge, Point] = {}
    for edge, chain in chains.items():
        inner = [points[v] for v in chain[1:-1]]
        bends[edge] = tuple(inner if downward[edge] == edge else inner[::-1])
        middle = (rank[chain[0]] + rank[chain[-1]]) // 2
        places[edge] = next(points[v] for v in chain[1:-1] if rank[v] == middle)
    width = max(x[v] + box.width / 2 for v, box in enumerate(boxes)) - left
    return Drawing(width, height, tuple(points[: len(nodes)]), bends, places)


def _shift(
    layers: Sequence[Sequence[int]], links: Sequence[Edge], boxes: Sequence[Box], n_nodes: int
) -> list[float]:
    """Return the x of each node and bend: near its neighbours, apart from what is beside it."""
    above, below = list_neighbours(len(boxes), links)
    x = [0.0] * len(boxes)
    offsets: list[list[float]] = []
    for layer in layers:
        offset, row = 0.0, []
        for i, node in enumerate(layer):
            if i:
                offset += boxes[layer[i - 1]].width / 2 + GAP + boxes[node].width / 2
            row.append(offset)
            x[node] = offset
        offsets.append(row)
    for turn in range(SHIFTS):
        levels = range(len(layers))
        for level in levels if turn % 2 == 0 else reversed(levels):
            wanted, weights = [], []
            for node, offset in zip(layers[level], offsets[level], strict=True):
                near = [*above[node], *below[node]]
                pulls = [BEND_WEIGHT if v >= n_nodes and node >= n_nodes else 1.0 for v in near]
                total = sum(pulls)
                mean = sum(x[v] * p for v, p in zip(near, pulls, strict=True)) / total
                wanted.append(mean - offset)
                weights.append(total)
            shifts = _fit_ascending(wanted, weights)
            for node, offset, shift in zip(layers[level], offsets[level], shifts, strict=True):
                x[node] = offset + shift
    return x


def _fit_ascending(wanted: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the ascending numbers that are nearest by weighted squares."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(wanted, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] > pool[0]:
            mean, mass, count = pools.pop()
            total = mass + pool[1]
            pool = ((mean * mass + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    return [mean for mean, _, count in pools for _ in range(count)]


def _stack(layers: Sequence[Sequence[int]], boxes: Sequence[Box]) -> tuple[list[float], float]:
    """Return the y of each layer, and the height of all."""
    y, edge = [], 0.0
    for layer in layers:
        height = max(boxes[node].height for node in layer)
        y.append(edge + height / 2)
        edge += height + LAYER_GAP
    return y, edge - LAYER_GAP
