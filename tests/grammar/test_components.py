"""Strongly connected components, compared with plain reachability."""

from random import Random

import pytest

from maskc.grammar.components import find_components
from tests.examples import seeds


def reachable(graph, start):
    found, pending = {start}, [start]
    while pending:
        for target in graph.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


@pytest.mark.parametrize("seed", seeds(20))
def test_nodes_that_reach_each_other_are_one_component(seed):
    draw = Random(seed)
    n = draw.randint(1, 8)
    graph = {a: [b for b in range(n) if draw.random() < 0.2] for a in range(n)}
    reach = {a: reachable(graph, a) for a in graph}
    found = {frozenset(component) for component in find_components(graph)}
    assert found == {frozenset(b for b in graph if b in reach[a] and a in reach[b]) for a in graph}


def test_a_path_of_thousands_of_nodes_is_no_recursion():
    graph = {node: [node + 1] for node in range(5_000)} | {5_000: []}
    assert len(list(find_components(graph))) == 5_001
