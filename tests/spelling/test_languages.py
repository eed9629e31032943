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


def test_captures_in_own_tokens_have_the_masks_of_own_tokens_and_the_spans_of_captures(
    artifact, spelling
):
    captures = maskc.capture(artifact, "NAME")
    own, capturing = maskc.canonical(artifact, spelling).matcher(), captures.matcher()
    both = maskc.canonical(captures, spelling).matcher()
    draw = Random(0)
    for _ in range(12):
        legal = legal_ids(own, artifact.vocab_size)
        assert legal_ids(both, artifact.vocab_size) == legal
        assert both.is_accepting == own.is_accepting
        assert both.forced_bytes() == own.forced_bytes()
        token = draw.choice(sorted(legal))
        assert all(matcher.accept_token(token) for matcher in (own, capturing, both))
        assert both.spans() == capturing.spans()
        if both.is_terminated:
            break
        assert both.text() == capturing.text()
    assert both.spans("NAME")


def test_captures_in_own_tokens_fork_and_roll_back(artifact, spelling):
    matcher = maskc.canonical(maskc.capture(artifact, "NAME"), spelling).matcher()
    assert matcher.accept_text("ab c")
    twin = matcher.fork()
    assert matcher.rollback_to("NAME") > 0
    assert matcher.text() == b""
    assert twin.text() == b"ab c"
    assert [(span.start, span.end) for span in twin.spans("NAME")] == [(0, 2)]
    refused = [
        t for t in range(artifact.vocab_size) if t not in legal_ids(twin, artifact.vocab_size)
    ]
    assert not any(twin.accept_token(token) for token in refused)
    assert twin.text() == b"ab c"


@pytest.mark.parametrize("given", ["python.maskc", 3, None])
def test_what_is_no_language_is_a_type_error(spelling, given):
    with pytest.raises(TypeError, match="canonical takes an artifact or a constraint, not"):
        maskc.canonical(given, spelling)


def test_a_matcher_is_no_language(artifact, spelling):
    with pytest.raises(TypeError, match="not Matcher"):
        maskc.canonical(artifact.matcher(), spelling)
