"""Which texts finish what is open of a JSON text?"""

import re

import pytest

from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary

_BYTES = tuple(bytes([byte]) for byte in range(256))
_REQUIRED = {
    "type": "object",
    "properties": {"title": {"type": "string", "minLength": 3}, "price": {"type": "number"}},
    "required": ["title", "price"],
}


def rest_of(schema, text):
    """Return the shortest text that is known to finish a text."""
    constraint = make_kit(Vocabulary((*_BYTES, None), (256,), "bytes")).json_schema(schema)
    matcher = constraint.matcher()
    assert matcher.accept_text(text)
    tokens = matcher.shortest_completion().tokens
    assert matcher.accept_tokens(tokens) == len(tokens)
    return bytes(tokens[:-1]).decode()


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        (_REQUIRED, '{"title": "a', 'aa","price":0}'),
        (_REQUIRED, '{"price": 1, "ti', 'tle":"aaa"}'),
        (_REQUIRED, '{"other": "', '","title":"aaa","price":0}'),
        ({"enum": [12345, "abc"]}, "", "12345"),
        ({"type": "string", "pattern": "^[a-z]+-[0-9]$"}, '"ab', '-0"'),
        ({"type": "string", "pattern": "^x{3}$"}, '"x\\u00', '78x"'),
        ({"type": "integer", "minimum": 3_000_000, "multipleOf": 1}, "", "3e6"),
        ({"type": "number", "minimum": 34_007}, "", "5e4"),
        ({"type": "number", "exclusiveMinimum": -1, "maximum": 8e-7}, "32", "e-9"),
        ({"type": "number", "minimum": -0.1, "maximum": -0.0965}, "-9", "7e-3"),
        (
            {"type": "number", "exclusiveMinimum": 5e-5, "maximum": 5.0000000000002e-5},
            "",
            "50000000000002e-18",
        ),
        ({"type": "array", "items": {"type": "null"}, "minItems": 3}, "[null", ",null,null]"),
        ({"type": "array", "contains": {"const": True}, "minContains": 2}, "[", "true,true]"),
        ({"type": "array", "uniqueItems": True, "minItems": 3}, "[{}", ",0,1]"),
        ({"type": "object", "minProperties": 2}, '{"b": 1', '," ":0}'),
        (
            {"type": "object", "patternProperties": {"^x": {"const": 1}}, "minProperties": 2},
            "{",
            '"":0,"a":0}',
        ),
        ({"anyOf": [{"type": "array", "minItems": 9}, {"const": {"k": []}}]}, "", '{"k":[]}'),
    ],
)
def test_a_text_is_finished_by_what_it_must_have(schema, text, expected):
    assert len(rest_of(schema, text)) == len(expected)


def test_a_value_that_contains_itself_is_finished():
    tree = {
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {
                "anyOf": [
                    {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 2},
                    {"const": "leaf"},
                ]
            }
        },
    }
    assert rest_of(tree, "[[") == '"leaf","leaf"],"leaf"]'


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": _REQUIRED, "minItems": 20},
        {"type": "string", "minLength": 2_000},
        {
            "type": "object",
            "properties": {f"key{n}": {"type": "string", "minLength": 9} for n in range(40)},
            "required": [f"key{n}" for n in range(40)],
        },
    ],
    ids=["items", "string", "keys"],
)
def test_long_texts_are_finished_though_keys_may_be_any(schema):
    assert rest_of(schema, "")


_CODE = {"type": "string", "pattern": "^[a-z]{2,5}-[0-9]{3}$"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": _CODE, "uniqueItems": True, "minItems": 40},
        {
            "type": "object",
            "patternProperties": {_CODE["pattern"]: {"type": "null"}},
            "additionalProperties": False,
            "minProperties": 20,
        },
    ],
)
def test_different_strings_of_a_pattern_differ_in_a_character_of_the_same_class(schema):
    """Of the ways through the pattern there are four, with lengths from 6 to 9."""
    text = rest_of(schema, "")
    assert len(set(re.findall('"([a-z]+-[0-9]+)"', text))) == schema.get("minItems", 20)
