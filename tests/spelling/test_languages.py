"""What has matchers of a tokenizer's own tokens, and what is refused."""

from random import Random

import numpy as np
import pytest

import maskc
from maskc.errors import SpellingError
from tests.compiled import compile_text, legal_ids
from tests.spellings import PATTERNS, Tokenizer, draw_tokenizer

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
        (lambda a, _: follow(a), "are not supported where", "artifact.bind"),
        (maskc.canonical, "already", "call its matcher"),
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


# Merging leads from "abc" to "a" and "bc"; "abc" would be made of "ab" and "c".
A, BC, ABC, END = 97, 257, 258, 259
SHORTER = Tokenizer(
    (*(bytes([byte]) for byte in range(256)), b"ab", b"bc", b"abc"),
    {(98, 99): (0, 257), (97, 98): (1, 256), (256, 99): (2, 258)},
    PATTERNS[3:4],  # one chunk
    is_whole_written=False,
)


@pytest.fixture(scope="module")
def shorter():
    artifact = compile_text('start: ("abc" " "?)*\n', SHORTER.texts)
    return artifact, maskc.canonical(artifact, SHORTER.spelling())


def legal(matcher, tokens_left=None):
    bitmask = maskc.allocate_bitmask(1, 260)
    matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist()), matcher.is_exact


def test_a_budget_wins_where_no_own_token_keeps_it(shorter):
    matcher = shorter[1].matcher()
    assert legal(matcher) == ({A, END}, True)
    assert matcher.accept_token(A)
    assert legal(matcher, tokens_left=9) == ({BC}, True)
    assert matcher.accept_token(BC)
    assert legal(matcher, tokens_left=1)[0] == {END}
    matcher = compile_text('start: "abc"\n', SHORTER.texts)
    matcher = maskc.canonical(matcher, SHORTER.spelling()).matcher()
    assert legal(matcher, tokens_left=3)[0] == {A}
    assert legal(matcher, tokens_left=2) == ({ABC}, False)
    assert not matcher.accept_token(98)
    assert matcher.validate_tokens([ABC, END]) == 2
    assert legal(matcher) == ({A}, True)
    assert not matcher.accept_token(ABC)


def test_going_back_over_tokens_that_a_budget_allowed_leads_to_the_same_states(shorter):
    artifact, canonical = shorter
    matcher, states = canonical.matcher(), []
    for _ in range(80):
        states.append(matcher.configuration())
        assert matcher.accept_token(A)
        states.append(matcher.configuration())
        matcher._hypotheses = canonical.machine.freed(matcher._hypotheses, is_free=True)
        assert matcher.accept_token(98)
        assert matcher.accept_token(99)
        states.append(matcher.configuration())
        assert matcher.accept_token(32)
    for n_back in (1, 7, 60, 150):
        twin = matcher.fork()
        twin.rollback(n_back)
        assert artifact.matcher().configuration() != twin.configuration()
    matcher.rollback(320)
    assert matcher.configuration() == states[0]


def test_where_no_own_token_is_legal_the_next_one_is_not_restricted():
    # "abcd" is written "ab", "cd"; but "bc" may follow "a", and one token of look-ahead ends there.
    ab, bc, cd = 256, 257, 258
    tokenizer = Tokenizer(
        (*(bytes([byte]) for byte in range(256)), b"ab", b"bc", b"cd"),
        {(99, 100): (0, cd), (98, 99): (1, bc), (97, 98): (2, ab)},
        PATTERNS[3:4],
        is_whole_written=False,
    )
    artifact = compile_text('start: "abcd"\n', tokenizer.texts)
    matcher = maskc.canonical(artifact, tokenizer.spelling()).matcher()
    assert legal(matcher) == ({A, ab}, True)
    assert matcher.accept_token(A)
    assert legal(matcher) == ({98, bc}, False)
    assert matcher.accept_token(98)
    assert legal(matcher) == ({cd}, True)
    matcher.rollback(1)
    assert matcher.accept_tokens([bc, 100, END]) == 3


def test_a_chunk_does_not_end_where_a_token_stands_for_all_of_it():
    # "ab" is looked up as a whole, so nothing that merging makes of it ends a chunk.
    tokenizer = Tokenizer(
        (*(bytes([byte]) for byte in range(256)), b"ab"), {}, PATTERNS[:1], is_whole_written=True
    )
    artifact = compile_text('start: "abc" | "abac"\n', tokenizer.texts)
    matcher = maskc.canonical(artifact, tokenizer.spelling()).matcher()
    assert legal(matcher) == ({A, 256}, True)
    assert matcher.accept_tokens([A, 98]) == 2
    assert legal(matcher) == ({A}, True)
    matcher = maskc.canonical(compile_text('start: "abc"\n', tokenizer.texts), tokenizer.spelling())
    matcher = matcher.matcher()
    assert matcher.accept_token(A)
    assert legal(matcher) == ({98}, False)
