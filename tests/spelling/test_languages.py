"""What has matchers of a tokenizer's own tokens, and what is refused."""

from random import Random

import pytest

import maskc
from maskc.errors import SpellingError
from tests.compiled import compile_text, legal_ids
from tests.spellings import draw_tokenizer

NAMES = 'start: NAME (" " NAME)*\nNAME: /[abc]+/\n'
TOKENIZER = draw_tokenizer(Random(1))


@pytest.fixture(scope="module")
def artifact():
    return compile_text(NAMES, TOKENIZER.texts)


@pytest.fixture(scope="module")
def spelling():
    return TOKENIZER.spelling()


def follow(artifact):
    return maskc.follow(artifact, "NAME", on_complete=lambda _: {"NAME": ["a", "bc"]})


@pytest.mark.parametrize(
    ("make", "reason", "remedy"),
    [
        (lambda a, _: maskc.capture(a, "NAME"), "capture no symbols", "the captured artifact"),
        (lambda a, _: follow(a), "text by text", "artifact.bind"),
        (maskc.canonical, "already", "make its matchers"),
    ],
)
def test_a_language_that_cannot_be_limited_is_refused(artifact, spelling, make, reason, remedy):
    language = make(artifact, spelling)
    with pytest.raises(SpellingError) as refused:
        maskc.canonical(language, spelling)
    assert reason in refused.value.reason
    assert remedy in refused.value.remedy


def test_a_matcher_of_captures_follows_the_own_tokens_and_has_their_spans(artifact, spelling):
    captures = maskc.capture(artifact, "NAME")
    own, capturing = maskc.canonical(captures.artifact, spelling).matcher(), captures.matcher()
    for token in TOKENIZER.encode("ab c"):
        assert token in legal_ids(own, artifact.vocab_size)
        assert own.accept_token(token)
        assert capturing.accept_token(token)
    assert [(span.start, span.end) for span in capturing.spans("NAME")] == [(0, 2)]


@pytest.mark.parametrize("given", ["python.maskc", 3, None])
def test_what_is_no_language_is_a_type_error(spelling, given):
    with pytest.raises(TypeError, match="canonical takes an artifact or a constraint, not"):
        maskc.canonical(given, spelling)


def test_a_matcher_is_no_language(artifact, spelling):
    with pytest.raises(TypeError, match="not Matcher"):
        maskc.canonical(artifact.matcher(), spelling)
