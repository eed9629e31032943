"""Tokens of a text, as far as it is legal, each with how many tokens were legal in its place."""

import pytest

import maskc
from maskc.explain.heat import Warmth, measure_heat
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def words():
    return maskc.compile_grammar('start: ("ab" | "ac" "d"?)+\n', tokenizer="bytes")


def test_counts_are_those_of_the_masks(words):
    found = measure_heat(words, b"abacd")
    assert [(w.token, w.n_legal) for w in found] == [
        (b"a", 1),
        (b"b", 2),
        (b"a", 2),  # or the end
        (b"c", 2),
        (b"d", 3),  # or a, or the end
    ]
    assert not any(w.is_special for w in found)


@pytest.mark.parametrize(("text", "taken"), [(b"abx", b"ab"), (b"x", b""), (b"", b"")])
def test_what_follows_the_first_illegal_byte_is_left_out(words, text, taken):
    assert b"".join(w.token for w in measure_heat(words, text)) == taken


def tag_artifact(form, tokens, special):
    vocabulary = Vocabulary((*tokens, None, None), (len(tokens),), "few", special)
    tag = {"type": "structural_tag", "format": form}
    return Artifact(compile_structural_tag(tag, vocabulary, limits=Limits()))


def test_the_longest_legal_token_is_taken_and_names_are_special_tokens():
    form = {
        "type": "sequence",
        "elements": [
            {"type": "const_string", "value": "aab"},
            {"type": "token", "token": "<s>"},
            {"type": "const_string", "value": "a"},
        ],
    }
    artifact = tag_artifact(form, (b"a", b"aa", b"aaa", b"b"), {"<s>": 5})
    assert measure_heat(artifact, b"aab<s>a") == (
        Warmth(b"aa", 2),
        Warmth(b"b", 1),
        Warmth(b"<s>", 1, is_special=True),
        Warmth(b"a", 1),
    )
    assert measure_heat(artifact, b"<s>") == ()
    assert [w.token for w in measure_heat(artifact, b"aab<s><s>")] == [b"aa", b"b", b"<s>"]


def test_bytes_that_are_no_text_are_cut_too():
    artifact = maskc.compile_grammar("start: /é/\n", tokenizer="bytes")
    assert [w.token for w in measure_heat(artifact, b"\xc3\xa9")] == [b"\xc3", b"\xa9"]
    assert [w.token for w in measure_heat(artifact, b"\xc3\xff")] == [b"\xc3"]
