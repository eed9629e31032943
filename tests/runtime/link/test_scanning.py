"""Parts of a vocabulary, as sets of tokens."""

import numpy as np
import pytest

from maskc.runtime.link.automata.scanning import Scanner
from maskc.runtime.vocabulary import index_of


def make_index(tokens):
    first = np.cumsum([0, *map(len, tokens)]).astype(np.int32)
    return index_of(first, np.frombuffer(b"".join(tokens), dtype=np.uint8))


# Both ways are taken: all nodes have fewer children than some bytes have parents, and more.
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("bytes_", [b"", b"a", b"b", b"abcdefgh", bytes(range(256))])
def test_nodes_that_go_on_are_those_with_a_child_by_one_of_the_bytes(every, bytes_, monkeypatch):
    monkeypatch.setattr("maskc.runtime.link.automata.scanning._MANY", 50)
    letters = [bytes([letter]) for letter in b"abcdefgh"]
    pairs = [one + other for one in letters for other in letters]
    index = make_index(
        [*letters, *pairs, *(pair + one for pair in pairs[::2] for one in letters[::2])]
    )
    trie = index.tokens
    nodes = np.arange(1, len(trie.bytes), every, dtype=np.int32)
    if every > 1:
        nodes = np.unique(np.concatenate([nodes, np.arange(1, 60, dtype=np.int32)]))
    expected = [
        node for node in nodes.tolist() if any(trie.child(node, byte) >= 0 for byte in bytes_)
    ]
    assert Scanner(index).going_on(trie, nodes, frozenset(bytes_)).tolist() == expected
