"""Tokens that no scanner state tells apart are walked as one, and named by the trie's nodes."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.store.folding import fold_trie, list_tokens, write_items
from maskc.store.token_sets import TokenSets
from maskc.vocab.trie import build_trie

VOCABULARIES = st.lists(st.binary(min_size=1, max_size=4), max_size=12)


def ints(*values):
    return np.array(values, dtype=np.int32)


def classes(**kinds):
    byte_class = np.zeros(256, dtype=np.uint8)
    for letter, kind in kinds.items():
        byte_class[ord(letter)] = kind
    return SimpleNamespace(byte_class=byte_class)


def texts(trie):
    """Return the bytes that lead to each node."""
    found = [b""] * trie.n_nodes
    for node in range(trie.n_nodes):
        for child in range(*trie.first_child[node : node + 2].tolist()):
            found[child] = found[node] + bytes([trie.byte[child]])
    return found


def tokens_at(trie):
    """Return the tokens of each node, in order."""
    bounds = zip(trie.first_token.tolist(), trie.first_token[1:].tolist(), strict=False)
    return [trie.tokens[low:high].tolist() for low, high in bounds]


def test_with_indentation_blanks_and_tabs_stay_apart():
    trie = build_trie((b" ", b"\t", b"\n", b"x", b"y"))
    assert fold_trie(trie, classes()).n_nodes == 2
    assert tokens_at(fold_trie(trie, classes(), layout=object())) == [[], [3, 4], [1], [2], [0]]


@given(VOCABULARIES, st.lists(st.integers(0, 3), min_size=256, max_size=256))
def test_a_folded_trie_has_the_texts_of_classes(tokens, kinds):
    folded = fold_trie(build_trie(tokens), SimpleNamespace(byte_class=np.array(kinds, np.uint8)))
    found = {
        tuple(kinds[byte] for byte in text): ids
        for text, ids in zip(texts(folded), tokens_at(folded), strict=True)
        if ids
    }
    expected = {}
    for token, text in enumerate(tokens):
        expected.setdefault(tuple(kinds[byte] for byte in text), []).append(token)
    assert found == expected
    assert len(set(texts(folded))) == folded.n_nodes


@given(VOCABULARIES, st.data())
def test_an_item_is_a_node_or_all_that_stands_below_it_too(tokens, data):
    trie = build_trie(tokens)
    node = data.draw(st.integers(0, trie.n_nodes - 1))
    text = texts(trie)[node]
    sets = TokenSets(write_items(ints(node), np.array([below])) for below in (False, True))
    found, numbers = list_tokens(sets, trie, ints(0, 1))
    own, below = (found.read(number).tolist() for number in numbers.tolist())
    assert own == [i for i, token in enumerate(tokens) if token == text]
    assert below == [i for i, token in enumerate(tokens) if token.startswith(text)]


def test_sets_of_items_with_the_same_tokens_are_one():
    trie = build_trie((b"a", b"ab"))
    sets = TokenSets([ints(2, 4), ints(3), ints(2)])
    found, numbers = list_tokens(sets, trie, ints(1, 0, 0))
    assert (len(found), found.read(0).tolist()) == (1, [0, 1])
    assert numbers.tolist() == [0, 0, 0]
