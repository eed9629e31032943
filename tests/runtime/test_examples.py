"""Texts that are followed before any request."""

import pytest

from tests.compiled import compile_text, legal_tokens

GRAMMAR = 'start: "(" start ")" | "x" | "y" "z"\n'
TOKENS = (b"(", b")", b"x", b"y", b"z", b"((", b"))", b"(x")
OPEN, CLOSE, X, Y, Z = range(5)


@pytest.fixture
def artifact():
    return compile_text(GRAMMAR, TOKENS)


def test_the_masks_of_an_example_are_there_afterwards(artifact):
    assert artifact.prepare([[OPEN, Y, Z, CLOSE]], seconds=60) == 4
    n_masks = len(artifact.mask_table())
    for prefix in (b"", b"(", b"(y", b"(yz"):
        legal_tokens(artifact, prefix)
    assert len(artifact.mask_table()) == n_masks


def test_no_mask_is_another_one_for_that(artifact):
    artifact.prepare([[OPEN, OPEN, X, CLOSE], [Y]], seconds=60)
    plain = compile_text(GRAMMAR, TOKENS)
    for prefix in (b"", b"(", b"((", b"((x", b"((x)", b"((x))", b"(y", b"yz"):
        assert legal_tokens(artifact, prefix) == legal_tokens(plain, prefix)


def test_an_example_is_followed_as_far_as_it_is_legal(artifact):
    end = artifact.eos_ids[0]
    assert artifact.prepare([[OPEN, X, X, CLOSE], [X, end, X]], seconds=60) == 4


def test_no_further_example_is_read_once_the_time_is_over(artifact):
    examples = iter([[X], [X]])
    assert artifact.prepare(examples, seconds=0) == 0
    assert list(examples) == [[X]]


def test_a_token_that_is_no_integer_is_refused(artifact):
    with pytest.raises(TypeError, match="tokens must be a list, not str"):
        artifact.prepare(["x"], seconds=60)
