"""Nodes, where they lead, and the arena that holds them."""

import pytest

from maskc.automata import nodes
from maskc.automata.nodes import Accept, Arena
from maskc.errors import LimitError


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NFA_NODES", 2)
    arena = Arena()
    arena.add(Accept(0))
    arena.add(Accept(0))
    with pytest.raises(LimitError, match="automaton nodes"):
        arena.add(Accept(0))
