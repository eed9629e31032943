"""Texts drawn from masks, and their ends."""

import json

import pytest

import maskc
from maskc.verify.mask_texts import MaskDrawer, draw_texts, join_parts, list_keys

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}, "s": {"enum": ["x", "yz"]}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_json_schema(SCHEMA, tokenizer="bytes")


def find_end(artifact, begun, **options):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(begun)
    parts = MaskDrawer(artifact).find_end(matcher, begun, **options)
    assert not matcher.is_accepting
    return None if parts is None else join_parts(parts)


def test_texts_that_are_drawn_are_valid_json(artifact):
    texts = list(draw_texts(artifact, 4, 10, 1))
    assert all(is_whole and json.loads(text)["n"] >= 3 for text, is_whole in texts)


def test_the_same_seed_draws_the_same_texts(artifact):
    assert list(draw_texts(artifact, 3, 10, 7)) == list(draw_texts(artifact, 3, 10, 7))


def test_an_end_brings_the_keys_that_are_required(artifact):
    assert json.loads(b"{" + find_end(artifact, b"{"))["n"] >= 3


def test_most_numbers_are_short_and_some_have_an_exponent():
    schema = {"type": "array", "items": {"type": "number"}, "minItems": 8}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    texts = [text for text, is_whole in draw_texts(artifact, 60, 100, 1) if is_whole]
    numbers = [number for text in texts for number in text.strip("[] ").split(",")]
    n_exponents = sum("e" in number.lower() for number in numbers)
    assert 0 < n_exponents < len(numbers) / 4
    assert sum(len(number) < 8 for number in numbers) > len(numbers) / 2


def test_an_end_is_found_where_no_two_texts_are_alike():
    item = {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}
    schema = {"type": "array", "items": item, "uniqueItems": True, "minItems": 2}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    begun, matcher = b'["AAA-0000","A', artifact.matcher()
    assert matcher.accept_bytes(begun + find_end(artifact, begun))
    assert matcher.is_accepting


def test_an_end_takes_a_bounded_number_of_steps():
    schema = {"type": "string", "minLength": 20, "pattern": "x$"}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    assert find_end(artifact, b'"', most_steps=500) is None


def test_a_key_that_only_another_keyword_names_is_tried():
    schema = {"not": {"dependentSchemas": {"other": {"not": {}}}}, "type": "object"}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    assert list_keys(schema) == (b'"other":',)
    assert b'"other":' in find_end(artifact, b'{"a":1,')
