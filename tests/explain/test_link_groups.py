"""Legal tokens of tools, tags and choices, by the piece that they read."""

import pytest

import maskc
from maskc.explain.links import explain_link
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary

TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<f>"],
        "tags": [
            {
                "type": "tag",
                "begin": "<f>",
                "content": {"type": "json_schema", "json_schema": {"items": {"type": "integer"}}},
                "end": "</f>",
            }
        ],
    },
}


@pytest.fixture(scope="module")
def tag():
    tokens = (*(bytes([b]) for b in range(256)), b"<f>", b"]</", b"\n]</f>", b"\n1", None)
    vocabulary = Vocabulary(tokens, (len(tokens) - 1,), "few")
    return Artifact(compile_structural_tag(TAG, vocabulary, limits=Limits()))


def groups(artifact, text):
    return {group.name: group for group in explain_link(artifact, text.encode()).groups}


def test_text_is_free_until_a_trigger(tag):
    found = groups(tag, "so ")
    assert set(found) == {"free text"}
    assert found["free text"].n_tokens > 180


def test_inside_a_tag_parts_are_those_of_json(tag):
    assert set(groups(tag, "<f>[")) == {"number", "]", None}
    assert set(groups(tag, "<f>12")) == {"number", "fixed text"}


def test_a_token_that_crosses_is_of_the_part_that_it_reads_first(tag):
    found = groups(tag, "<f>[1")
    assert found["]"].examples == (b"]", b"]</", b"\n]</f>")  # blanks before it do not count
    assert b"\n]</f>" not in found[None].examples


def test_after_a_tag_text_is_free_again(tag):
    assert set(groups(tag, "<f>1</f>")) == {"free text"}


def test_a_choice_is_fixed_text():
    artifact = maskc.compile_grammar(["yes", "no"], tokenizer="bytes")
    assert set(groups(artifact, "")) == {"fixed text"}
    assert groups(artifact, "yes") == {}


@pytest.mark.parametrize("text", ["", "so <", "<f>", "<f>1", "<f>[1", "<f>1<", "<f>1</f>"])
def test_every_token_that_writes_is_in_a_group(tag, text):
    found = explain_link(tag, text.encode())
    counts = [group.n_tokens for group in found.groups]
    assert found.n_legal - found.may_end <= sum(counts)
    assert len(found.groups) == len({g.name for g in found.groups})


def test_special_tokens_are_named():
    tag = {"type": "token", "token": "<|python_tag|>"}
    vocabulary = Vocabulary((b"a", None, None), (1,), "few", {"<|python_tag|>": 2})
    artifact = Artifact(
        compile_structural_tag(
            {"type": "structural_tag", "format": tag}, vocabulary, limits=Limits()
        )
    )
    (group,) = explain_link(artifact, b"").groups
    assert (group.name, group.n_tokens, group.examples) == (
        "special token",
        1,
        (b"<|python_tag|>",),
    )
