"""Parts of a vocabulary, as sets of tokens."""

import numpy as np

from maskc.runtime.link.automata.scanning import Scanner, ascending, toggle
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.vocabulary import index_of


def make_index(tokens):
    first = np.cumsum([0, *map(len, tokens)]).astype(np.int32)
    return index_of(first, np.frombuffer(b"".join(tokens), dtype=np.uint8))


def test_parts_are_united_to_the_tokens_of_any():
    index = make_index([b"a", b"b", b"c"])
    scanner = Scanner(index)
    row = index.pack([0])
    united = scanner.unite([Part(few=(1,)), Part((row,)), Part(few=(1, 2))])
    assert scanner.words(united).tolist() == index.pack([0, 1, 2]).tolist()
    assert scanner.words(Part()).tolist() == index.pack([]).tolist()


def test_nodes_are_put_in_order_each_once_and_toggled():
    assert ascending(np.array([3, 1, 3, 2], dtype=np.int32)).tolist() == [1, 2, 3]
    assert toggle(np.array([1, 3, 5]), np.array([3, 4])).tolist() == [1, 4, 5]
    assert toggle(np.array([], dtype=np.int32), np.array([2])).tolist() == [2]
