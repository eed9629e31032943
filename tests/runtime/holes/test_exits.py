"""Where lexemes may end, as arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.ids import ScannerStateId
from maskc.runtime.holes.masks import list_children
from maskc.runtime.holes.walks import Place, group_places
from maskc.runtime.schema.tries.trie import Trie

STATES = st.integers(0, 2).map(ScannerStateId)
PLACES = st.lists(
    st.builds(Place, st.integers(0, 9), STATES, st.integers(0, 1), st.integers(-1, 1)), unique=True
)


@given(texts=st.sets(st.binary(min_size=1, max_size=4)), draw=st.data())
def test_children_are_those_of_each_node_in_turn(texts, draw):
    trie = Trie(sorted(texts))
    numbers = st.sets(st.integers(0, len(trie.bytes) - 1))
    nodes = sorted(draw.draw(numbers))
    wanted = [child for node in nodes for child, _ in trie.children(node, None)]
    assert list_children(trie, np.array(nodes, dtype=np.int32)).tolist() == wanted


@given(places=PLACES)
def test_grouped_places_are_the_same_ones(places):
    groups = group_places(places)
    flat = [(node, *known) for *known, nodes in groups for node in nodes.tolist()]
    assert sorted(flat) == sorted(places)
    assert len({group[:3] for group in groups}) == len(groups)
