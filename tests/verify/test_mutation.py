"""Texts that are changed by a byte are refused iff Lark refuses them, and at the right byte."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc.runtime.lalr import LalrMachine
from maskc.verify.characters import split_cut
from maskc.verify.model import Document, Unit
from maskc.verify.mutation import KINDS, count_text, draw_mutations, mutate
from maskc.verify.plan import run_unit

LIST = 'start: "[" (WORD ("," WORD)*)? "]"\nWORD: /[a-zé]+/\n%ignore " "'


def check(subject, text, amount=30):
    return run_unit(subject, Unit("mutation", 0, "seed", amount, Document("a.txt", text)))


def what_fails(found):
    return {failure["what"] for failure in found.failures}


def test_a_sound_artifact_passes(subject_of):
    found = check(subject_of(LIST), "[ab, é ,b]", 60)
    assert found.ok
    assert found.counts["mutated texts"] == 60
    assert found.counts["deleted"] + found.counts["doubled"] + found.counts["swapped"] == 60
    assert found.counts["that Lark parses"] + found.counts["that Lark refuses"] == 60
    assert found.counts["that Lark parses"] > 5
    assert found.counts["that are not UTF-8"] > 5
    assert found.counts["refused at a byte"] > 5
    assert found.counts["refused at the end"] > 0
    assert "undecided by the oracle" not in found.counts


@pytest.mark.parametrize(
    ("compiled", "judged", "what"),
    [
        # All about `abc`, of which `bac` is made.
        ('"a" "b" "c" | "b" "a" "c"', '"a" "b" "c"', "a text that Lark refuses is accepted"),
        ('"a" "b" "c"', '"a" "b" "c" | "b" "a" "c"', "a text that Lark parses is refused"),
        ('"a" "b" "c"', '"a" "b" "c" | "b" "a" "d"', "a byte is refused with which a text goes on"),
        ('"a" "b" "c" | "b" "a" "d"', '"a" "b" "c"', "bytes that begin no text are taken"),
    ],
)
def test_a_language_that_differs_is_found(subject_of, compiled, judged, what):
    found = check(subject_of(f"start: {compiled}", f"start: {judged}"), "abc")
    assert what in what_fails(found)
    failure = next(f for f in found.failures if f["mutation"].endswith("offset 0 is swapped"))
    assert failure["file"] == "a.txt"
    assert failure["before"] + failure["after"] == "bac"


def test_a_place_that_is_too_late_is_told(subject_of):
    found = check(subject_of('start: "a" "b" "c" | "b" "a" "d"', 'start: "a" "b" "c"'), "abc")
    swapped = [f for f in found.failures if f["mutation"].endswith("offset 0 is swapped")]
    assert (swapped[0]["offset"], swapped[0]["token"]) == (2, "b'c'")


def test_an_end_that_comes_too_early_is_found(subject_of):
    """`ab`, of which the last byte is deleted."""
    found = check(subject_of('start: "a" "b"?', 'start: "a" "b"'), "ab")
    assert "a text that Lark refuses is accepted" in what_fails(found)


def test_bytes_that_are_no_text_and_are_taken_are_found(subject_of, monkeypatch):
    subject = subject_of(LIST)
    monkeypatch.setattr(LalrMachine, "step", lambda _self, here, *_: here)
    found = check(subject, "[é]")
    assert "bytes that are not UTF-8 are taken" in what_fails(found)


def test_a_token_that_is_refused_though_its_bytes_are_taken_is_found(subject_of, monkeypatch):
    take = LalrMachine.take
    monkeypatch.setattr(
        LalrMachine,
        "take",
        lambda self, h, token: () if token == ord("b") else take(self, h, token),
    )
    found = check(subject_of(LIST), "[ab]")
    assert "a token is refused and its bytes are taken" in what_fails(found)


def test_a_witness_says_what_each_side_says(subject_of):
    found = check(subject_of('start: "a" "b" "c"', 'start: "a" "b" "c" | "b" "a" "d"'), "abc")
    swapped = next(f for f in found.failures if f["mutation"].endswith("offset 0 is swapped"))
    assert swapped["maskc"] == "refuses the text at offset 0"
    assert swapped["lark"] == "refuses the text"
    assert swapped["oracle"] == "legal"


def test_mutations_are_these():
    assert [mutate(b"abc", 1, kind).data for kind in KINDS] == [b"ac", b"abbc", b"acb"]
    assert mutate(b"ab", 1, "swapped").data == b"ab"


@given(st.binary(min_size=1, max_size=12), st.integers(0, 99))
def test_a_mutation_changes_one_place_from_its_offset_on(data, seed):
    for mutation in draw_mutations(data, 5, Random(seed)):
        assert mutation.data != data
        assert mutation.data[: mutation.offset] == data[: mutation.offset]
        assert abs(len(mutation.data) - len(data)) <= 1


def test_mutations_come_in_the_order_of_their_places():
    offsets = [m.offset for m in draw_mutations(b"abcdefgh" * 9, 20, Random(1))]
    assert offsets == sorted(offsets)


def test_half_of_the_mutations_are_in_characters_of_several_bytes():
    text = "a" * 500 + "é" + "b" * 500
    n_wide = sum(m.offset in (500, 501) for m in draw_mutations(text.encode(), 200, Random(0)))
    assert 70 < n_wide < 130


@given(st.binary(max_size=8) | st.text(max_size=3).map(lambda t: t.encode("utf-8", "ignore")))
def test_the_beginning_of_a_text_is_as_long_as_it_can_be(data):
    n_bytes = count_text(data)
    assert split_cut(data[:n_bytes]) is not None
    assert n_bytes == len(data) or split_cut(data[: n_bytes + 1]) is None
