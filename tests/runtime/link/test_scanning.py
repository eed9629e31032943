"""Parts of a vocabulary, as sets of tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.cache import Budget
from maskc.runtime.link.automata import loops, scanning
from maskc.runtime.link.automata.scanning import TrieScanner
from maskc.runtime.schema.tries import ROOT
from tests.runtime.schema.vocabularies import build_index

RESTS = [b"", *(bytes([letter]) for letter in b"abcdefgh")]


@pytest.mark.parametrize("bytes_", [b"", b"a", b"b", b"abcdefgh", bytes(range(256))])
def test_nodes_that_go_on_are_those_with_a_child_by_one_of_the_bytes(bytes_):
    letters = [bytes([letter]) for letter in b"abcdefgh"]
    pairs = [one + other for one in letters for other in letters]
    index = build_index(
        [*letters, *pairs, *(pair + one for pair in pairs[::2] for one in letters[::2])]
    )
    trie = index.tokens
    nodes = np.arange(1, len(trie.bytes), dtype=np.int32)
    expected = [
        node for node in nodes.tolist() if any(trie.child(node, byte) >= 0 for byte in bytes_)
    ]
    onward = TrieScanner(index, Budget(1 << 20)).onward(trie, frozenset(bytes_))
    assert onward.of(nodes).tolist() == expected
    assert nodes[onward.are(nodes)].tolist() == expected


def test_a_part_is_left_without_some_of_its_texts_whichever_trie_they_are_of():
    index = build_index(sorted(word + b'"' + rest for word in (b"", b"a", b"bc") for rest in RESTS))
    scanner = TrieScanner(index, Budget(1 << 20))

    def texts(trie, part):
        if trie is index.suffixes:
            return [n for n in range(trie.high[ROOT]) if part.bits >> n & 1]
        return np.flatnonzero(np.unpackbits(scanner.words(part).view(np.uint8))).tolist()

    for trie in (index.tokens, index.suffixes):
        every = np.arange(0, trie.high[ROOT], 2, dtype=np.int32)
        part = scanner.part(trie, every)
        assert len(texts(trie, part)) == len(every) > 3
        for gone in ([], [2, 4, 5]):
            kept = scanner.part(trie, np.setdiff1d(every, gone))
            assert texts(trie, scanner.without(trie, part, gone)) == texts(trie, kept)


SETS = st.sets(st.integers(0, 29))


def _array(numbers: set[int]) -> np.ndarray:
    return np.array(sorted(numbers), dtype=np.int32)


@given(SETS, SETS)
def test_unions_and_differences_are_those_of_sets(left: set[int], right: set[int]) -> None:
    both = loops.united(_array(left), _array(right))
    rest = loops.without(_array(left), _array(right), 30)
    assert both.tolist() == sorted(left | right)
    assert rest.tolist() == sorted(left - right)
    assert both.dtype == rest.dtype == np.int32


def test_a_text_is_cut_where_what_is_left_of_it_is_illegal_after_every_node():
    """A text that ends where the walk began is not read from there."""
    index = build_index([b"a", b"ab", b"b", b"bb"])
    scanner, trie = TrieScanner(index, Budget(1 << 20)), index.tokens
    scan = scanning.Scan(scanner.part(trie, np.arange(4, dtype=np.int32)), scanning.NO_EXITS)
    nodes = np.array([ROOT, trie.child(ROOT, ord("a"))], dtype=np.int32)
    cut = scanner.cut(trie, nodes, scan, [0, 1, 2], lambda left: left == b"b")
    assert scanner.words(cut.part).tolist() == index.pack([1, 2, 3]).tolist()
