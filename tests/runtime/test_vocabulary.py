"""One process keeps the tokens of a vocabulary once, whatever files they come from.

The fingerprint of the arrays is that of the vocabulary that they were made from.
"""

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.runtime.vocabulary import TokenTable, compute_fingerprint, find_tokens, share_tokens
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text

GRAMMAR = 'start: "yes" | "no"\n'


def _arrays(*texts: bytes) -> tuple[np.ndarray, np.ndarray]:
    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return first, np.frombuffer(b"".join(texts), dtype=np.uint8)


def test_equal_tokens_are_one_table():
    table = share_tokens(*_arrays(b"a", b"bc"))
    assert share_tokens(*_arrays(b"a", b"bc")) is table


def test_tokens_that_differ_only_in_where_they_are_cut_are_two_tables():
    table = share_tokens(*_arrays(b"a", b"bc"))
    assert share_tokens(*_arrays(b"ab", b"c")) is not table


def test_a_table_goes_when_nobody_has_it():
    first, data = _arrays(b"gone", b"soon")
    ends = (1,)
    fingerprint = share_tokens(first, data).fingerprint(ends)
    gc.collect()
    assert find_tokens(fingerprint, ends) is None


def test_a_borrowed_table_copies_its_tokens():
    first, data = _arrays(b"x", b"yz", b"w")
    assert not np.shares_memory(share_tokens(first, data, is_borrowed=True).data, data)


def test_a_token_outside_of_the_vocabulary_has_no_text():
    table = TokenTable(*_arrays(b"a", b"", b"b"))
    assert [table.text_of(token) for token in (-1, 0, 1, 2, 3)] == [None, b"a", None, b"b", None]


@pytest.mark.parametrize("mapped", [False, True])
def test_artifacts_of_one_tokenizer_share_their_tokens(tmp_path: Path, *, mapped: bool) -> None:
    for name, text in (("a", GRAMMAR), ("b", 'start: "on" | "off"\n')):
        maskc.compile_grammar(text, tokenizer="bytes").save(tmp_path / name)
    one, other = (maskc.load(tmp_path / name, mapped=mapped) for name in ("a", "b"))
    assert one.contents.arrays["token_bytes"] is other.contents.arrays["token_bytes"]
    assert one.matcher().accept_bytes(b"yes")
    assert other.matcher().accept_bytes(b"off")


def test_sharing_changes_no_byte_of_an_artifact(tmp_path: Path) -> None:
    kept = maskc.compile_grammar(GRAMMAR, tokenizer="bytes")
    kept.save(tmp_path / "a")
    loaded = maskc.load(tmp_path / "a", mapped=False)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert loaded.content_hash == kept.content_hash


TOKENS = st.lists(st.none() | st.binary(min_size=1, max_size=5), max_size=40)


@given(TOKENS, st.integers(1, 3))
def test_it_equals_the_vocabularys(tokens, n_ends):
    ends = tuple(range(len(tokens), len(tokens) + n_ends))
    vocabulary = Vocabulary((*tokens, *[None] * n_ends), ends, "any")
    texts = [token or b"" for token in vocabulary.tokens]
    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    data = np.frombuffer(b"".join(texts), dtype=np.uint8)
    assert compute_fingerprint(first, data, ends) == vocabulary.fingerprint


def test_an_artifact_has_that_of_its_header():
    artifact = compile_text('start: "a"')
    assert artifact.fingerprint == artifact.header["tokenizer"]["fingerprint"]
