"""Paths through a trie lead to the nodes from which some bytes go on, and nowhere else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.link.joining import machine_pieces
from maskc.runtime.link.joining.machine_pieces import find_paths
from maskc.runtime.schema.tries import Trie

tokens = st.sets(st.text("abc<", min_size=1, max_size=5).map(str.encode), min_size=1)


@given(tokens, st.frozensets(st.sampled_from(b"abc<"), max_size=2))
def test_ways_lead_to_where_one_of_the_bytes_goes_on(texts, bytes_):
    trie = Trie(sorted(texts))
    paths = find_paths(trie, bytes_)
    prefixes = {text[:n] for text in texts for n in range(1, len(text))}
    ends = {p for p in prefixes if any(t.startswith(p + bytes([b])) for t in texts for b in bytes_)}
    on = {p for p in {t[:n] for t in texts for n in range(6)} if any(e.startswith(p) for e in ends)}
    assert {trie.path(node) for node in np.flatnonzero(paths.is_end).tolist()} == ends
    assert {trie.path(node) for node in np.flatnonzero(paths.is_on).tolist()} == on
    assert paths.children is not None
    listed = {child: (node, byte) for node, row in paths.children.items() for child, byte in row}
    assert {trie.path(child) for child in listed} == on - {b""}
    assert all(trie.child(node, byte) == child for child, (node, byte) in listed.items())


def test_many_nodes_on_the_way_are_not_listed(monkeypatch):
    monkeypatch.setattr(machine_pieces, "_FEW_NODES", 1)
    paths = find_paths(Trie([b"ab<", b"c<"]), frozenset(b"<"))
    assert paths.children is None
    assert int(paths.is_on[1:].sum()) == 3
