import pytest

from maskc import Artifact
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenTable, build_vocabulary
from tests.compiled import legal_tokens
from tests.runtime.schema.machines import walk_after

KEYS = {"properties": {"a": {}, "ab": {"type": "null"}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, ""),
        (True, "[1"),
        (True, '{"a": 1'),
        (True, '{"a"'),
        (True, "[12"),
        (True, "[tr"),
        (KEYS, "{"),
        (KEYS, '{"a": 1,'),
        ({"type": "array", "maxItems": 1}, "["),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, '["a"'),
        ({"type": "array", "items": {"enum": ["a", 1]}, "uniqueItems": True}, '["a",'),
        ({"items": {"type": "string", "maxLength": 1}}, "["),
        ({"items": {"pattern": "^a"}}, "["),
        ({"patternProperties": {"^(a|cd.*)$": {}}, "additionalProperties": False}, '{"a":1,'),
        ({"propertyNames": {"maxLength": 1}}, "{"),
        ({"type": "object", "maxProperties": 1}, '{"a":1'),
    ],
)
def test_a_walk_finds_what_the_machine_reads(schema, text):
    found, legal = walk_after(schema, text)
    assert found == legal


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("[", {b" 1", b"1", b" 2", b"2"}),
        ("[1", {b", 2", b",2"}),
        ("[1,", {b" 2", b"2"}),
    ],
)
def test_a_number_that_must_differ_may_stand_after_a_blank(text, legal):
    schema = {"type": "array", "items": {"type": "integer", "enum": [1, 2]}, "uniqueItems": True}
    tokens = [b" 1", b"1", b" 2", b"2", b", 1", b",1", b", 2", b",2", b"["]
    vocabulary = build_vocabulary("small", TokenTable((*tokens, None), (len(tokens),)))
    assert legal_tokens(Artifact(compile_schema(schema, vocabulary)), text) == legal
