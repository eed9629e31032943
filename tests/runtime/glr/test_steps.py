"""What a general grammar looks at for one token is bounded: a text with too many readings ends."""

import pytest

import maskc
from maskc.errors import LimitError
from tests.compiled import compile_text, legal_ids

PALINDROME = 'start: "a" start "a" | "b" start "b" | "c"\n'
TOKENS = (b"a", b"b", b"c")
MIDDLE_OPEN = 'start: "a" start "a" | "b" start "b" | "a" | "b"\n'
N_STEPS = 100


def artifact_of(text, steps):
    return maskc.Artifact(compile_text(text, TOKENS, parser="earley").contents, steps=steps)


def take_until_refused(matcher, letters):
    """Return how many letters were taken, and the error; masks are filled as well."""
    for number, letter in enumerate(letters):
        try:
            legal_ids(matcher, 4)
            assert matcher.accept_token(TOKENS.index(letter))
        except LimitError as error:
            return number, error
    return len(letters), None


def test_a_palindrome_ends_when_a_token_takes_too_many_steps():
    matcher = artifact_of(MIDDLE_OPEN, N_STEPS).matcher()
    n_taken, error = take_until_refused(matcher, [b"a", b"b"] * 1_000)
    assert 20 < n_taken < 2_000
    assert error is not None
    assert error.limit == N_STEPS
    assert "steps" in error.what
    assert "palindromes" in error.remedy


def test_a_refused_token_changes_nothing_and_another_text_goes_on():
    artifact = artifact_of(MIDDLE_OPEN, N_STEPS)
    matcher, other = artifact.matcher(), artifact.matcher()
    n_taken, _ = take_until_refused(matcher, [b"a"] * 2_000)
    before = matcher.configuration()
    with pytest.raises(LimitError):
        take_until_refused_again(matcher)
    assert matcher.configuration() == before
    assert take_until_refused(other, [b"a", b"b"]) == (2, None)
    matcher.rollback(n_taken)
    assert matcher.configuration() == artifact.matcher().configuration()


def take_until_refused_again(matcher):
    legal_ids(matcher, 4)
    matcher.accept_token(0)


def test_masks_within_the_steps_are_those_without_a_bound():
    bounded, free = (artifact_of(MIDDLE_OPEN, steps).matcher() for steps in (N_STEPS, 10**9))
    for letter in (b"a", b"b", b"a", b"a", b"b", b"b") * 3:
        assert legal_ids(bounded, 4) == legal_ids(free, 4)
        assert bounded.accept_token(TOKENS.index(letter))
        assert free.accept_token(TOKENS.index(letter))


def test_a_text_whose_middle_shows_needs_the_same_steps_at_any_length():
    matcher = artifact_of(PALINDROME, 40).matcher()
    assert take_until_refused(matcher, [b"a"] * 1_000 + [b"c"] + [b"a"] * 1_000) == (2_001, None)


def test_the_bound_is_for_each_token_and_not_for_the_text():
    matcher = artifact_of('start: start start | "a"\n', 40).matcher()
    assert take_until_refused(matcher, [b"a"] * 3_000) == (3_000, None)


def test_an_lalr_grammar_is_bounded_when_it_is_compiled():
    artifact = maskc.Artifact(compile_text(PALINDROME, TOKENS).contents, steps=1)
    assert take_until_refused(artifact.matcher(), [b"a", b"b", b"c", b"b", b"a"]) == (5, None)
