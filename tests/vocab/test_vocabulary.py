"""The type Vocabulary: what it refuses, padding, end ids, the fingerprint; its trie."""

import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.vocab.trie import build_trie, trie_of
from maskc.vocab.vocabulary import (
    MAX_TOKENS,
    TokenizerTokens,
    Vocabulary,
    build_byte_table,
    build_vocabulary,
    order_tokens,
)
from tests.vocab.conftest import refusal

TABLE = TokenizerTokens((b"a", b"b", None), (2,))


def fingerprint(*tokens, eos_ids=(0,)):
    return Vocabulary((None, *tokens), eos_ids, "x").fingerprint


def test_the_byte_vocabulary_has_256_bytes_and_an_end():
    vocabulary = build_vocabulary("bytes", build_byte_table())
    assert vocabulary.tokens == (*(bytes([byte]) for byte in range(256)), None)
    assert vocabulary.eos_ids == (256,)
    # The one in released artifacts.
    assert vocabulary.fingerprint == (
        "72bcec8943ef1421c470fc029a53bc2c56e3c66537f9f8344b94ab6ead6523f3"
    )


def test_the_fingerprint_ignores_the_name():
    left, right = build_vocabulary("x", TABLE), build_vocabulary("y", TABLE)
    assert left.fingerprint == right.fingerprint


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((b"ab", b"c"), (b"a", b"bc")),
        ((b"a", b"b"), (b"b", b"a")),
        ((b"a",), (None,)),
        ((b"a",), (b"a", None)),
    ],
)
def test_the_fingerprint_sees_where_tokens_end_their_order_and_padding(left, right):
    assert fingerprint(*left) != fingerprint(*right)


def test_the_fingerprint_sees_the_end_ids():
    assert fingerprint(None, eos_ids=(0,)) != fingerprint(None, eos_ids=(0, 1))


tables = st.tuples(
    st.lists(st.none() | st.binary(min_size=1, max_size=3), max_size=6),
    st.sets(st.integers(0, 6), min_size=1),
)


@given(tables, tables)
def test_fingerprints_are_equal_iff_contents_are(left, right):
    vocabularies = [
        build_vocabulary("x", TokenizerTokens(tuple(tokens), ()), vocab_size=7, eos_ids=tuple(ends))
        for tokens, ends in (left, right)
    ]
    contents = [(vocabulary.tokens, vocabulary.eos_ids) for vocabulary in vocabularies]
    fingerprints = [vocabulary.fingerprint for vocabulary in vocabularies]
    assert (contents[0] == contents[1]) == (fingerprints[0] == fingerprints[1])


def test_a_vocabulary_survives_pickling():
    vocabulary = pickle.loads(pickle.dumps(build_vocabulary("x", TABLE)))
    assert (vocabulary.tokens, vocabulary.eos_ids) == ((b"a", b"b", None), (2,))
    assert vocabulary.fingerprint == build_vocabulary("x", TABLE).fingerprint


@pytest.mark.parametrize(
    ("table", "options", "tokens", "ends"),
    [
        (TABLE, {"vocab_size": 5}, (b"a", b"b", None, None, None), (2,)),
        (TABLE, {"vocab_size": 5, "eos_ids": (4,)}, (b"a", b"b", None, None, None), (4,)),
        # Given ends replace those of the tokenizer; an end is no text.
        (TABLE, {"eos_ids": (1, 0, 1)}, (None, None, None), (0, 1)),
        (TokenizerTokens((b"", None), (1,)), {}, (None, None), (1,)),
    ],
)
def test_padding_ends_and_empty_tokens_are_never_text(table, options, tokens, ends):
    vocabulary = build_vocabulary("x", table, **options)
    assert (vocabulary.tokens, vocabulary.eos_ids) == (tokens, ends)


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        (TABLE, {"vocab_size": 2}, "size 2 is smaller than its 3 tokens; give at least 3"),
        (TABLE, {"vocab_size": MAX_TOKENS + 1}, "too large"),
        (TABLE, {"eos_ids": (-1,)}, "end-of-sequence id -1 is outside"),
        (TABLE, {"eos_ids": (3,)}, "end-of-sequence id 3 is outside"),
        (TokenizerTokens((b"a",), ()), {}, "names no end-of-sequence token"),
    ],
)
def test_sizes_and_ends_that_cannot_be_are_refused(table, options, reason):
    assert reason in refusal(build_vocabulary, "x", table, **options)


@pytest.mark.parametrize(
    ("tokens", "eos_ids"),
    [
        ((b"a", None), ()),
        ((b"a", None), (2,)),
        ((b"a", None), (-1,)),
        ((b"a", None), (0,)),
        ((b"", None), (1,)),
        ((None, None), (1, 0)),
    ],
)
def test_broken_invariants_are_refused(tokens, eos_ids):
    with pytest.raises(ValueError, match="must"):
        Vocabulary(tokens, eos_ids, "x")


def test_ids_between_tokens_become_tokens_without_bytes():
    assert order_tokens("x", {3: b"d", 1: b"b"}) == (None, b"b", None, b"d")


@pytest.mark.parametrize("token_id", [-1, MAX_TOKENS, 10**30])
def test_an_absurd_id_allocates_nothing(token_id):
    assert "is not in 0" in refusal(order_tokens, "x", {token_id: b"a"})


def test_no_tokens_are_refused():
    assert "it has no tokens" in refusal(order_tokens, "x", {})


ADDED = Vocabulary(
    (b"a", None, b"  ", None), (1,), "x", {"</s>": 1, "<b>": 3}, {2: b"  ", 3: b"<b>"}, ("a note",)
)


def test_added_tokens_are_described_by_their_ids():
    assert ADDED.describe_added() == {"added_tokens": {"text": [[2, 2]], "atoms": [[3, 3]]}}
    assert Vocabulary((b"a", None), (1,), "x").describe_added() == {}


def test_added_tokens_are_taken_as_another_says():
    taken = ADDED.take_added(lambda token: token == 3)
    assert taken.tokens == (b"a", None, None, b"<b>")
    assert taken.special_ids == {"</s>": 1}
    assert (taken.added, taken.notes, taken.name) == (ADDED.added, ("a note",), "x")
    assert taken.take_added(lambda token: token == 2).tokens == ADDED.tokens
    assert ADDED.take_added(lambda token: token == 2) is ADDED


def test_an_end_stays_an_end_however_added_tokens_are_taken():
    ends = Vocabulary((b"a", None), (1,), "x", {}, {1: b"</s>"})
    assert ends.take_added(range(9).__contains__).tokens == (b"a", None)


def test_an_added_token_with_other_bytes_is_no_vocabulary():
    with pytest.raises(ValueError, match="an added token must have its own bytes or none"):
        Vocabulary((b"a", None, b"b"), (1,), "x", {}, {2: b"c"})


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
