"""Parts of a vocabulary, as sets of tokens."""

import numpy as np
import pytest

from maskc.runtime.link.automata.scanning import Scanner
from maskc.runtime.schema.tries.trie import ROOT
from tests.runtime.schema.vocabularies import build_index

RESTS = [b"", *(bytes([letter]) for letter in b"abcdefgh")]


# Both ways are taken: all nodes have fewer children than some bytes have parents, and more.
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("bytes_", [b"", b"a", b"b", b"abcdefgh", bytes(range(256))])
def test_nodes_that_go_on_are_those_with_a_child_by_one_of_the_bytes(every, bytes_, monkeypatch):
    monkeypatch.setattr("maskc.runtime.link.automata.scanning._MANY", 50)
    letters = [bytes([letter]) for letter in b"abcdefgh"]
    pairs = [one + other for one in letters for other in letters]
    index = build_index(
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


def test_a_part_is_left_without_some_of_its_texts_whichever_trie_they_are_of():
    index = build_index(sorted(word + b'"' + rest for word in (b"", b"a", b"bc") for rest in RESTS))
    scanner = Scanner(index)

    def texts(trie, part):
        if trie is index.rests:
            return [place for place in range(trie.high[ROOT]) if part.bits >> place & 1]
        return np.flatnonzero(np.unpackbits(scanner.words(part).view(np.uint8))).tolist()

    for trie in (index.tokens, index.rests):
        every = np.arange(0, trie.high[ROOT], 2, dtype=np.int32)
        part = scanner.part(trie, every)
        assert len(texts(trie, part)) == len(every) > 3
        for gone in ([], [2, 4, 5]):
            kept = scanner.part(trie, np.setdiff1d(every, gone))
            assert texts(trie, scanner.without(trie, part, gone)) == texts(trie, kept)
