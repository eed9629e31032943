"""However a text is cut into tokens, each is legal and all cuts lead to the same."""

from random import Random

import numpy as np
import pytest

from maskc.runtime.matcher import Matcher
from maskc.verify.model import Document, Unit
from maskc.verify.plan import run_unit
from maskc.verify.subject import Segments, unpack
from tests.compiled import EVERY_BYTE

GRAMMAR = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-zé]+/\n%ignore " "'
TOKENS = (*EVERY_BYTE, b"[a", b"ab", b"abc", b"bc", b", ", b",b", b"]", "é".encode(), b"a\xc3")
TEXT = "[abc, bc,béa]"


class Speller:
    """A tokenizer that writes byte by byte."""

    def encode(self, text):
        return list(text.encode())


@pytest.fixture
def subject(subject_of):
    subject = subject_of(GRAMMAR, tokens=TOKENS)
    subject.encoder = Speller()
    return subject


def check(subject, text=TEXT, amount=8):
    return run_unit(subject, Unit("segmentation", 0, "seed", amount, Document("a.txt", text)))


def test_a_sound_artifact_passes(subject):
    found = check(subject)
    assert found.ok
    assert found.counts["segments"] == 8
    assert found.counts["tokens"] > found.counts["bytes"]


def test_a_token_that_the_mask_lacks_is_found(subject):
    legal = subject.legal
    lost = TOKENS.index(b"ab")

    def without(matcher):
        found = legal(matcher)
        found[lost] = False
        return found

    subject.legal = without
    found = check(subject)
    assert not found.ok
    failure = found.failures[0]
    assert failure["what"] == "the mask forbids a token in a legal text"
    assert failure["token"] == "b'ab'"
    assert failure["file"] == "a.txt"
    assert failure["before"] + failure["after"] == TEXT
    assert failure["after"].startswith("ab")


@pytest.mark.parametrize(
    ("takes", "what"), [(b"?", "a token is refused"), (b",", "two cuts of the text lead apart")]
)
def test_a_token_before_the_stretch_is_looked_at_too(subject, monkeypatch, takes, what):
    accept, token = Matcher.accept_token, TOKENS.index(b", ")
    monkeypatch.setattr(
        Matcher,
        "accept_token",
        lambda self, t: self.accept_bytes(takes) if t == token else accept(self, t),
    )
    found = check(subject, f"[{'a, ' * 9}b]")
    assert f"{what} in a legal text" in {failure["what"] for failure in found.failures}


def test_a_byte_that_is_refused_is_found(subject_of):
    found = check(subject_of('start: "ab"', 'start: "ac"'), "ac", 1)
    assert not found.counts.get("tokens")
    assert (found.failures[0]["offset"], found.failures[0]["token"]) == (1, "b'c'")


def test_an_end_that_is_illegal_is_found(subject_of):
    subject = subject_of('start: "a" "b" "c"', 'start: "a" "b"')
    found = check(subject, "ab", 1)
    assert found.failures[-1]["what"] == "the end is illegal in a legal text"


def test_the_empty_text_has_one_segment(subject_of):
    found = check(subject_of('start: "a"?'), "", 2)
    assert found.ok
    assert found.counts["bytes"] == 0


def test_a_cut_writes_the_same_bytes():
    segments = Segments(TOKENS)
    for seed in range(50):
        cut = segments.draw(TEXT.encode(), Random(seed))
        assert b"".join(TOKENS[token] for token in cut) == TEXT.encode()


def test_a_cut_goes_round_dead_ends():
    """Without single bytes, `a` then `b` leads nowhere after `ab`."""
    segments = Segments((b"ab", b"abc", b"cd", b"d", None))
    assert {tuple(segments.draw(b"abcd", Random(seed))) for seed in range(20)} == {(0, 2), (1, 3)}
    assert segments.draw(b"abd", Random(0)) == [0, 3]
    assert segments.draw(b"abca", Random(0)) is None


def test_every_token_that_the_bytes_hold_is_tried():
    assert Segments(TOKENS).at(b"[abcd", 1) == [
        (1, [ord("a")]),
        (2, [TOKENS.index(b"ab")]),
        (3, [TOKENS.index(b"abc")]),
    ]
    assert Segments(TOKENS).at(b"[ab", 1)[-1] == (2, [TOKENS.index(b"ab")])


def test_all_tokens_with_the_same_bytes_are_tried():
    assert Segments((b"a", b"ab", b"a")).at(b"ab", 0) == [(1, [0, 2]), (2, [1])]


def test_bits_are_unpacked_as_they_are_packed():
    row = np.array([0b101, 1 << 30], dtype=np.int32)
    assert np.flatnonzero(unpack(row, 63)).tolist() == [0, 2, 62]
