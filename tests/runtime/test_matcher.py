import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc import allocate_bitmask
from tests.compiled import compile_text, legal_ids, legal_tokens, matcher_at

JSON = r"""
?start: object | array | STRING | NUMBER
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" start
array: "[" [start ("," start)*] "]"
STRING: /"[^"\\]*"/
NUMBER: /-?[0-9]+(\.[0-9]+)?/
%ignore /[ \n]+/
"""
TOKENS = (
    *(bytes([b]) for b in b'{}[],:"-0123456789. \nab'),
    *(b'":', b'", "', b"]]", b"[[", b"12", b'{"a', b"}}", b'"}', b", ", b"\xc3", b"\xa9", b"[]"),
)


@pytest.fixture(scope="module")
def artifact():
    return compile_text(JSON, TOKENS)


walks = st.lists(st.integers(0, len(TOKENS) + 2), max_size=25)


@given(walks, walks)
def test_a_fork_is_independent(artifact, before, after):
    matcher = artifact.matcher()
    matcher.accept_tokens(before)
    twin = matcher.fork()
    here = matcher.configuration()
    for token_id in after:
        twin.accept_token(token_id)
    assert matcher.configuration() == here


@given(walks)
def test_an_illegal_token_changes_nothing(artifact, walk):
    matcher = artifact.matcher()
    for token_id in walk:
        before = matcher.configuration()
        if not matcher.accept_token(token_id):
            assert matcher.configuration() == before


@given(walks)
def test_a_token_is_accepted_iff_its_bit_is_set(artifact, walk):
    matcher = artifact.matcher()
    for token_id in walk:
        if matcher.is_terminated:
            break
        legal = legal_ids(matcher, artifact.vocab_size)
        assert matcher.accept_token(token_id) == (token_id in legal)


@given(st.data())
def test_any_segmentation_reaches_the_same_configuration(artifact, data):
    matcher = artifact.matcher()
    written = b""
    for _ in range(12):
        legal = sorted(i for i in legal_ids(matcher, artifact.vocab_size) if i < len(TOKENS))
        if not legal:
            break
        token_id = data.draw(st.sampled_from(legal))
        matcher.accept_token(token_id)
        written += TOKENS[token_id]
    other = artifact.matcher()
    offset = 0
    while offset < len(written):
        pieces = [i for i, t in enumerate(TOKENS) if written.startswith(t, offset)]
        token_id = data.draw(st.sampled_from(pieces))
        assert other.accept_token(token_id)
        offset += len(TOKENS[token_id])
    assert other.configuration() == matcher.configuration()


@given(walks)
def test_validate_counts_what_accept_would_take(artifact, walk):
    matcher = artifact.matcher()
    before = matcher.configuration()
    n_valid = matcher.validate_tokens(walk)
    assert matcher.configuration() == before
    assert matcher.accept_tokens(walk) == n_valid


def test_the_end_is_legal_only_where_the_text_may_end(artifact):
    assert None not in legal_tokens(artifact)
    assert None in legal_tokens(artifact, "[]")
    assert None not in legal_tokens(artifact, "[")


def test_after_the_end_only_the_end_is_left_and_rollback_reopens(artifact):
    end = len(TOKENS)
    matcher = matcher_at(artifact, "[]")
    assert matcher.accept_token(end)
    assert matcher.is_terminated
    assert legal_ids(matcher, artifact.vocab_size) == {end}
    assert not matcher.accept_token(0)
    assert not matcher.accept_token(end)
    matcher.rollback(1)
    assert not matcher.is_terminated
    assert matcher.is_accepting


def test_rolling_back_more_than_was_accepted_is_refused(artifact):
    matcher = matcher_at(artifact, "[")
    with pytest.raises(ValueError, match="cannot roll back 2 of 1"):
        matcher.rollback(2)


def test_reset_goes_back_to_the_start(artifact):
    matcher = matcher_at(artifact, "[1")
    matcher.reset()
    assert matcher.configuration() == artifact.matcher().configuration()


@pytest.mark.parametrize("token_id", [-1, 10**9, len(TOKENS) + 1])
def test_a_token_outside_the_vocabulary_is_illegal(artifact, token_id):
    assert not artifact.matcher().accept_token(token_id)


def test_a_cut_character_goes_on_with_its_other_half(artifact):
    assert b"\xa9" in legal_tokens(artifact, b'"\xc3')
    assert b"a" not in legal_tokens(artifact, b'"\xc3')
    assert b"\xa9" not in legal_tokens(artifact, b'"')


def test_only_the_given_row_is_written(artifact):
    bitmask = allocate_bitmask(3, artifact.vocab_size)
    matcher_at(artifact, "[").fill_bitmask(bitmask, 1)
    assert (bitmask[[0, 2]] == -1).all()
    assert not (bitmask[1] == -1).all()


def test_bits_after_the_vocabulary_are_zero(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    artifact.matcher().fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    assert not bits[artifact.vocab_size :].any()


def test_a_hundred_thousand_brackets_are_no_deeper_than_memory(artifact):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(b"[" * 100_000)
    assert matcher.accept_bytes(b"]" * 99_999)
    assert not matcher.is_accepting
    assert matcher.accept_bytes(b"]")
    assert matcher.is_accepting


def test_a_text_with_thousands_of_undecided_ends_is_taken_at_once():
    artifact = compile_text('start: (X | Y | Z)+\nX: /a*b/\nY: /a/\nZ: "c"\n', (b"a", b"b", b"c"))
    matcher = artifact.matcher()
    assert matcher.accept_bytes(b"aaac" * 3000)
    assert matcher.is_accepting


def test_what_a_matcher_is_and_allows_is_seen_at_once():
    artifact = compile_text('start: "a" "ß"')
    matcher = artifact.matcher()
    assert matcher.legal_tokens().tolist() == sorted(legal_ids(matcher, artifact.vocab_size))
    assert matcher.accept_text("aß")
    assert not matcher.accept_text("a")
    with pytest.raises(TypeError, match="a text must be a str, not bytes"):
        matcher.accept_text(b"a")  # type: ignore[arg-type]
    assert (
        repr(matcher) == "<maskc.Matcher of <maskc.Artifact of <text> for test>: 1 tokens accepted>"
    )
