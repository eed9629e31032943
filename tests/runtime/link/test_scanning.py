"""What an automaton reads of a trie, node by node and level by level."""

import random

import numpy as np
import pytest

from maskc.runtime.link import scanning
from maskc.runtime.link.automaton import START, Words
from maskc.runtime.link.scanning import Scanner, ascending, toggle
from maskc.runtime.schema.summary import Part
from maskc.runtime.schema.trie import ROOT
from maskc.runtime.vocabulary import index_of


class Dense(Words):
    """Words whose states are walked level by level where there are many."""

    is_sparse = False


def make_index(tokens):
    first = np.cumsum([0, *map(len, tokens)]).astype(np.int32)
    return index_of(first, np.frombuffer(b"".join(tokens), dtype=np.uint8))


@pytest.mark.parametrize("seed", range(8))
def test_both_ways_to_walk_find_the_same(seed, monkeypatch):
    draw = random.Random(seed)
    tokens = sorted({bytes(draw.choices(b"ab", k=draw.randint(1, 5))) for _ in range(25)})
    words = sorted({bytes(draw.choices(b"ab", k=draw.randint(1, 4))) for _ in range(6)})
    index = make_index(tokens)
    found = []
    for most in (1_500, 0):
        monkeypatch.setattr(scanning, "_MOST_NODES", most)
        scanner = Scanner(index)
        scan = scanner.scan(Dense(words), index.tokens, [(ROOT, START)])
        found.append((scanner.words(scan.part).tolist(), scan.exits.tolist()))
    assert found[0] == found[1]
    legal = [n for n, t in enumerate(tokens) if any(w.startswith(t) for w in words)]
    assert found[0][0] == index.pack(legal).tolist()
    # Texts go on where a word ends and a longer token has it as its beginning.
    ends = {w for w in words if any(t.startswith(w) and t != w for t in tokens)}
    assert {index.tokens.path(node) for node in found[0][1]} == ends


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
