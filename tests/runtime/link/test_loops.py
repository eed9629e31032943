"""Where a state that goes round on a class of bytes still is, against the definition."""

import random

import pytest

from maskc.runtime.link.loops import Loop, LoopReader
from maskc.runtime.schema.trie import ROOT
from tests.runtime.link.test_scanning import make_index


@pytest.mark.parametrize("seed", range(20))
def test_what_is_below_a_node_with_nothing_but_a_class_in_between(seed):
    draw = random.Random(seed)
    tokens = sorted(bytes(draw.choices(b"abc\0", k=draw.randint(1, 5))) for _ in range(40))
    index = make_index(tokens)
    trie, reader = index.tokens, LoopReader(index)
    paths = {token[:n]: None for token in tokens for n in range(len(token) + 1)}
    node_of = {trie.path(node): node for node in range(len(trie.bytes))}
    assert set(node_of) == set(paths)
    for node in (ROOT, *draw.sample(range(len(trie.bytes)), 5)):
        top = trie.path(node)
        bytes_ = frozenset(draw.sample(sorted(b"abc\0"), draw.randint(1, 3)))
        loop = Loop(node, bytes_)

        def is_inside(text, top=top, bytes_=bytes_):
            rest = text[len(top) :]
            return text.startswith(top) and rest and set(rest) <= bytes_

        places = [n for n, token in enumerate(tokens) if is_inside(token)]
        assert reader.places(loop).tolist() == places
        row = reader.row(loop)
        assert (row is None) == (node != ROOT)
        assert row is None or row.tolist() == index.pack(places).tolist()
        inside = [node_of[path] for path in paths if is_inside(path)]
        assert reader.nodes(loop).tolist() == sorted(n for n in inside if trie.has_children(n))
        for byte in b"ac\0":
            children = [trie.child(n, byte) for n in inside]
            assert reader.children(loop, byte).tolist() == sorted(n for n in children if n >= 0)
