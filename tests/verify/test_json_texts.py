"""Texts drawn from masks, and their ends."""

import json

import pytest

import maskc
from maskc.errors import LimitError, TokensLeftError
from maskc.verify.mask_texts import MaskDrawer, find_end, join_parts
from tests.grammars.walks import generate_texts

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 3}, "s": {"enum": ["x", "yz"]}},
    "required": ["n"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_json_schema(SCHEMA, tokenizer="bytes")


def end_of(artifact, begun):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(begun)
    parts = find_end(artifact, matcher)
    assert not matcher.is_accepting
    return None if parts is None else join_parts(parts)


def test_texts_that_are_drawn_are_valid_json(artifact):
    for drawn in generate_texts(artifact, count=4, max_tokens=10, seed=1):
        assert drawn.problem is None
        assert json.loads(drawn.text)["n"] >= 3


def test_an_end_brings_the_keys_that_are_required(artifact):
    assert json.loads(b"{" + end_of(artifact, b"{"))["n"] >= 3


def test_most_numbers_are_short_and_some_have_an_exponent():
    schema = {"type": "array", "items": {"type": "number"}, "minItems": 8}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    drawer = MaskDrawer(artifact)
    drawn = [drawer.draw_text(1, number, 100) for number in range(60)]
    texts = [one.text for one in drawn if one.problem is None]
    numbers = [number for text in texts for number in text.strip("[] ").split(",")]
    n_exponents = sum("e" in number.lower() for number in numbers)
    assert 0 < n_exponents < len(numbers) / 4
    assert sum(len(number) < 8 for number in numbers) > len(numbers) / 2


def test_an_end_is_found_where_no_two_texts_are_alike():
    item = {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}
    schema = {"type": "array", "items": item, "uniqueItems": True, "minItems": 2}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    begun, matcher = b'["AAA-0000","A', artifact.matcher()
    assert matcher.accept_bytes(begun + end_of(artifact, begun))
    assert matcher.is_accepting


@pytest.mark.parametrize("error", [TokensLeftError(None, None), LimitError("steps", 1, "stop")])
def test_a_text_of_which_no_completion_is_known_has_no_end(artifact, error):
    class Lost:
        def shortest_completion(self):
            raise error

    assert find_end(artifact, Lost()) is None


def test_a_key_that_only_another_keyword_names_is_found():
    schema = {"not": {"dependentSchemas": {"other": {"not": {}}}}, "type": "object"}
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    assert b'"other":' in end_of(artifact, b'{"a":1,')
