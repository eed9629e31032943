"""The type Vocabulary: what it refuses, padding, end ids, the fingerprint."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.errors import TokenizerError
from maskc.vocab.vocabulary import (
    MAX_TOKENS,
    TokenTable,
    Vocabulary,
    build_byte_table,
    build_vocabulary,
    place_tokens,
)

TABLE = TokenTable((b"a", b"b", None), (2,))


def fingerprint(*tokens, eos_ids=(0,)):
    return Vocabulary((None, *tokens), eos_ids, "x").fingerprint


def test_the_byte_vocabulary_has_256_bytes_and_an_end():
    vocabulary = build_vocabulary("bytes", build_byte_table())
    assert vocabulary.vocab_size == 257
    assert vocabulary.tokens[0] == b"\0"
    assert vocabulary.tokens[255] == b"\xff"
    assert vocabulary.tokens[256] is None
    assert vocabulary.eos_ids == (256,)


def test_the_fingerprint_of_the_byte_vocabulary_is_the_one_in_released_artifacts():
    assert build_vocabulary("bytes", build_byte_table()).fingerprint == (
        "72bcec8943ef1421c470fc029a53bc2c56e3c66537f9f8344b94ab6ead6523f3"
    )


def test_the_fingerprint_ignores_the_name():
    left, right = build_vocabulary("x", TABLE), build_vocabulary("y", TABLE)
    assert left.fingerprint == right.fingerprint


def test_the_fingerprint_sees_where_a_token_ends():
    assert fingerprint(b"ab", b"c") != fingerprint(b"a", b"bc")


def test_the_fingerprint_sees_the_order_of_tokens():
    assert fingerprint(b"a", b"b") != fingerprint(b"b", b"a")


def test_the_fingerprint_sees_a_token_without_bytes():
    assert fingerprint(b"a") != fingerprint(None)


def test_the_fingerprint_sees_padding():
    assert fingerprint(b"a") != fingerprint(b"a", None)


def test_the_fingerprint_sees_the_end_ids():
    assert fingerprint(None, eos_ids=(0,)) != fingerprint(None, eos_ids=(0, 1))


tables = st.tuples(
    st.lists(st.none() | st.binary(min_size=1, max_size=3), max_size=6),
    st.sets(st.integers(0, 6), min_size=1),
)


@given(tables, tables)
def test_fingerprints_are_equal_iff_contents_are(left, right):
    vocabularies = [
        build_vocabulary("x", TokenTable(tuple(tokens), ()), vocab_size=7, eos_ids=tuple(ends))
        for tokens, ends in (left, right)
    ]
    contents = [(vocabulary.tokens, vocabulary.eos_ids) for vocabulary in vocabularies]
    fingerprints = [vocabulary.fingerprint for vocabulary in vocabularies]
    assert (contents[0] == contents[1]) == (fingerprints[0] == fingerprints[1])


def test_a_vocabulary_survives_pickling():
    vocabulary = pickle.loads(pickle.dumps(build_vocabulary("x", TABLE)))
    assert (vocabulary.tokens, vocabulary.eos_ids) == ((b"a", b"b", None), (2,))
    assert vocabulary.fingerprint == build_vocabulary("x", TABLE).fingerprint


def test_padding_is_never_text():
    assert build_vocabulary("x", TABLE, vocab_size=5).tokens == (b"a", b"b", None, None, None)


def test_a_size_below_the_number_of_tokens_is_refused():
    with pytest.raises(TokenizerError) as caught:
        build_vocabulary("x", TABLE, vocab_size=2)
    assert str(caught.value) == (
        "tokenizer x: vocabulary size 2 is smaller than its 3 tokens; give at least 3"
    )


def test_an_absurd_size_is_refused():
    with pytest.raises(TokenizerError, match="too large"):
        build_vocabulary("x", TABLE, vocab_size=MAX_TOKENS + 1)


def test_given_end_ids_replace_those_of_the_tokenizer():
    vocabulary = build_vocabulary("x", TABLE, eos_ids=(1, 0, 1))
    assert vocabulary.eos_ids == (0, 1)
    assert vocabulary.tokens == (None, None, None)


def test_an_end_id_may_lie_in_the_padding():
    assert build_vocabulary("x", TABLE, vocab_size=5, eos_ids=(4,)).eos_ids == (4,)


@pytest.mark.parametrize("end", [-1, 3])
def test_an_end_id_outside_the_vocabulary_is_refused(end):
    with pytest.raises(TokenizerError, match=f"end-of-sequence id {end} is outside"):
        build_vocabulary("x", TABLE, eos_ids=(end,))


def test_a_vocabulary_without_an_end_is_refused():
    with pytest.raises(TokenizerError, match="names no end-of-sequence token"):
        build_vocabulary("x", TokenTable((b"a",), ()))


def test_an_empty_token_is_never_text():
    assert build_vocabulary("x", TokenTable((b"", None), (1,))).tokens == (None, None)


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
    assert place_tokens("x", {3: b"d", 1: b"b"}) == (None, b"b", None, b"d")


@pytest.mark.parametrize("token_id", [-1, MAX_TOKENS, 10**30])
def test_an_absurd_id_allocates_nothing(token_id):
    with pytest.raises(TokenizerError, match="is not in 0"):
        place_tokens("x", {token_id: b"a"})


def test_no_tokens_are_refused():
    with pytest.raises(TokenizerError, match="it has no tokens"):
        place_tokens("x", {})


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
