"""Texts drawn from masks, and their ends."""

import json

import pytest

import maskc
from maskc.verify.json_texts import draw_texts, find_end

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}, "s": {"enum": ["x", "yz"]}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_json_schema(SCHEMA, tokenizer="bytes")


def test_texts_that_are_drawn_are_valid_json(artifact):
    texts = list(draw_texts(artifact, 4, 10, 1))
    assert all(is_whole and json.loads(text)["n"] >= 3 for text, is_whole in texts)


def test_the_same_seed_draws_the_same_texts(artifact):
    assert list(draw_texts(artifact, 3, 10, 7)) == list(draw_texts(artifact, 3, 10, 7))


def test_an_end_brings_the_keys_that_are_required(artifact):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(b"{")
    end = find_end(matcher, b"{", (b'"n":',))
    assert json.loads(b"{" + end)["n"] >= 3
    assert not matcher.is_accepting
