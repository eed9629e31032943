"""The trie of a vocabulary, held against the sets of beginnings of its tokens."""

import random

from maskc.vocab.trie import build_trie, trie_of
from maskc.vocab.vocabulary import Vocabulary


def _list_nodes(tokens):
    """Return every beginning of a token, level by level, with the tokens that end there."""
    texts = {token[:n] for token in tokens if token for n in range(len(token) + 1)} | {b""}
    order = sorted(texts, key=lambda text: (len(text), text))
    return [(text, [i for i, token in enumerate(tokens) if token == text]) for text in order]


def test_nodes_are_the_beginnings_level_by_level():
    draw = random.Random(0)
    for _ in range(50):
        tokens = [
            bytes(draw.choices(b"ab\xff", k=draw.randint(1, 4))) if draw.random() < 0.9 else None
            for _ in range(draw.randint(0, 12))
        ]
        trie = build_trie(tokens)
        expected = [(t, ids) for t, ids in _list_nodes(tokens) if t or not ids]
        assert trie.n_nodes == len(expected)
        paths = [b""] * trie.n_nodes
        for node, (text, ids) in enumerate(expected):
            for child in range(*trie.first_child[node : node + 2].tolist()):
                paths[child] = paths[node] + bytes([trie.byte[child]])
            low, high = trie.first_token[node : node + 2].tolist()
            assert (paths[node], sorted(trie.tokens[low:high].tolist())) == (text, ids)


def test_a_vocabulary_has_one_trie():
    vocabulary = Vocabulary((b"a", None), (1,), "small")
    assert trie_of(vocabulary) is trie_of(vocabulary)
