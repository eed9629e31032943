"""Tokens that are walked as one, and sets of them."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maskc.compiler.rows import token_sets
from maskc.compiler.rows.seeds import fold_trie, list_tokens, write_items
from maskc.compiler.rows.token_sets import RowCollector, TokenSets, unite
from maskc.levels import sort_pairs
from maskc.vocab.trie import build_trie

VOCABULARIES = st.lists(st.binary(min_size=1, max_size=4), max_size=12)


def ints(*values):
    return np.array(values, dtype=np.int32)


def fold(tokens, kinds, layout=None, *, inside=(0, 1, 2), entered=()):
    """Fold tokens whose bytes have kinds of 0 to 2, of which a state reads some."""
    reads = np.array([[kind in inside for kind in range(3)]], np.int32)  # 0 is DEAD
    ends = np.cumsum([0, *(kind in entered for kind in range(3))])
    scanner = SimpleNamespace(byte_class=np.array(kinds, np.uint8), next=reads)
    return fold_trie(build_trie(tokens), scanner, SimpleNamespace(move_first=ends), layout)


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
    tokens = (b" ", b"\t", b"\n", b"x", b"y")
    assert fold(tokens, [0] * 256).n_nodes == 2
    assert tokens_at(fold(tokens, [0] * 256, object())) == [[], [3, 4], [1], [2], [0]]


def test_what_no_state_reads_and_no_lexeme_begins_with_is_left_out():
    kinds = [{ord("x"): 1, ord("y"): 2}.get(byte, 0) for byte in range(256)]
    tokens = (b"aa", b"ax", b"ay", b"aya", b"x")
    folded = fold(tokens, kinds, inside=(0,), entered=(2,))
    assert dict(zip(texts(folded), tokens_at(folded), strict=True)) == {
        b"": [],
        b"a": [],
        b"aa": [0],
        b"ay": [2],
        b"aya": [3],
    }


@given(VOCABULARIES, st.lists(st.integers(0, 2), min_size=256, max_size=256))
def test_a_folded_trie_has_the_texts_of_classes(tokens, kinds):
    folded = fold(tokens, kinds)
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


def rows_of(collector, found):
    """Return path, what stays open, tokens of each row."""
    return [
        (path, opened, collector.items.read(number).tolist())
        for path, opened, number in zip(*(column.tolist() for column in found), strict=True)
    ]


def join(collector, origins):
    """Return the rows of several origins; nothing comes before them."""
    nothing = np.zeros(len(origins), np.int32)
    return collector.join(
        np.array([0, len(origins)]), np.array(origins), nothing, lambda _, path: path
    )[1:]


def test_a_union_of_the_same_sets_is_made_once():
    collector = RowCollector()
    collector.add(2, ints(0, 1), ints(4, 4), ints(0, 0), ints(9, 7))
    join(collector, [0, 1])
    n_sets = len(collector.items)
    join(collector, [0, 1])
    assert len(collector.items) == n_sets == 3


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 130_000)), max_size=30)
sets = st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=4)


def ascending(values):
    return np.array(sorted(values), dtype=np.int32)


@given(sets)
def test_a_union_has_each_token_once_in_order(some):
    assert unite([ascending(tokens) for tokens in some]).tolist() == sorted(set().union(*some))


def test_a_union_of_many_tokens_equals_that_of_few(monkeypatch):
    some = [ascending({1, 5, 9}), ascending(()), ascending({2, 5})]
    monkeypatch.setattr(token_sets, "_MANY", 0)
    assert unite(some).tolist() == [1, 2, 5, 9]


def split(some):
    keys = np.array([key for key, _ in some], dtype=np.int64)
    return keys, np.array([value for _, value in some], dtype=np.int32)


@given(pairs)
def test_pairs_are_sorted_keys_first(some):
    keys, values = sort_pairs(*split(some), 10)
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(some)


@given(pairs)
def test_pairs_that_64_bits_do_not_hold_are_sorted_keys_first(some):
    keys, values = sort_pairs(*split(some), 1 << 62)
    assert list(zip(keys.tolist(), values.tolist(), strict=True)) == sorted(some)


large_sets = st.lists(
    st.builds(
        lambda few, first, n, step: {*few, *range(first, first + n * step, step)},
        st.sets(st.integers(0, 5000), max_size=4),
        st.integers(0, 300),
        st.integers(0, 200),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=5,
)


@given(large_sets, st.data())
def test_sets_and_their_unions_are_read_back_whatever_they_are_kept_as(some, data):
    interned = TokenSets()
    numbers = [interned.intern(ascending(tokens)) for tokens in some]
    for number, tokens in zip(numbers, some, strict=True):
        assert interned.read(number).tolist() == sorted(tokens)
    chosen = tuple(sorted(set(data.draw(st.lists(st.sampled_from(numbers), min_size=1)))))
    expected = sorted(set().union(*(interned.read(number).tolist() for number in chosen)))
    united = interned.unite(chosen)
    assert interned.read(united).tolist() == expected
    # However it came about, a set has one number.
    assert interned.intern(ascending(expected)) == united
    mask = interned.mark(chosen, 8200 // 32).view(np.uint8)
    assert np.flatnonzero(np.unpackbits(mask, bitorder="little")).tolist() == expected


def test_a_large_set_takes_a_bit_for_each_token():
    interned = TokenSets([np.arange(80_000, dtype=np.int32)])
    assert interned._bits[0].nbytes == 10_000
