import pytest

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
