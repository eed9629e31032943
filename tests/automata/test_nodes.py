"""Nodes, where they lead, and the arena that holds them."""

import pytest

from maskc.automata import nodes
from maskc.automata.nodes import Accept, Arena, Char, LookAround, Mark, Split, targets_of
from maskc.errors import LimitError

NODES = [
    Char(3, 4),
    Split([1, 2]),
    Split([1, 2], loop=0, leave=5),
    LookAround(True, False, 7, 4),
    Mark(1, True, 4),
    nodes.Test(1, 2, 3),
    Accept(0),
]


@pytest.mark.parametrize("node", NODES)
def test_a_node_with_its_own_targets_is_itself(node):
    assert nodes.with_targets(node, targets_of(node)) == node


@pytest.mark.parametrize("node", NODES)
def test_targets_are_replaced_in_order(node):
    moved = [target + 10 for target in targets_of(node)]
    assert targets_of(nodes.with_targets(node, list(moved))) == moved


def test_a_character_is_one_node_however_often_it_is_asked_for():
    arena = Arena()
    assert arena.char(((97, 97),), 0) == arena.char(((97, 97),), 0)
    assert arena.char(((97, 97),), 0) != arena.char(((97, 97),), 1)


def test_no_character_leads_nowhere():
    arena = Arena()
    assert targets_of(arena.nodes[arena.char((), 0)]) == []


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NFA_NODES", 2)
    arena = Arena()
    arena.add(Accept(0))
    arena.add(Accept(0))
    with pytest.raises(LimitError, match="automaton nodes"):
        arena.add(Accept(0))
