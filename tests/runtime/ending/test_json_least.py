"""How many tokens finish a JSON text at least?"""

import pytest

from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary

_BYTES = tuple(bytes([byte]) for byte in range(256))
_PAIRS = {
    "type": "object",
    "properties": {"aa": {"type": "string"}, "bb": {"type": "integer"}},
    "required": ["aa", "bb"],
    "additionalProperties": False,
}


def least(schema, text, tokens=(), **layout):
    """Return the bound of what finishes a text, the end of sequence included."""
    vocabulary = Vocabulary((*_BYTES, *tokens, None), (256 + len(tokens),), "bytes and more")
    constraint = make_kit(vocabulary).json_schema(schema, **layout)
    matcher = constraint.matcher()
    assert matcher.accept_text(text)
    endings = constraint.endings
    return endings._places.at_least(endings.place(matcher._hypotheses, None))


@pytest.mark.parametrize(
    ("schema", "text", "tokens", "expected"),
    [
        ({}, "[[", [], 3),
        ({}, "[[", [b"]]"], 2),
        (_PAIRS, "", [], len('{"aa":"","bb":0}') + 1),
        (_PAIRS, "", [b'{"', b'":', b'":"', b'","', b"aa", b"bb"], 9),
        # The number comes last: no token goes on after it.
        (_PAIRS, "", [b'{"', b'":', b'","', b'"}', b"aa", b"bb"], 10),
        # The string comes last: its quote and the bracket are a token.
        (_PAIRS, "", [b'{"', b'":', b',"', b'""}', b"aa", b"bb"], 9),
        ({"type": "string", "minLength": 200}, '"', [b"x" * 50], 6),
        ({"type": "string", "pattern": "^[a-z]+-[0-9]$"}, '"ab', [b'-7"'], 2),
        ({"type": "array", "items": {"const": 12}, "minItems": 1_000}, "[", [b"12,", b"12]"], 1001),
        ({"type": "integer", "minimum": 1_000}, "1", [b"00"], 3),
        ({"enum": ["abc", "abd"]}, '"a', [b'bd"'], 2),
        ({}, '"\\', [b'n"'], 2),
    ],
)
def test_a_text_needs_so_many_tokens(schema, text, tokens, expected):
    assert least(schema, text, tokens) == expected


def test_names_in_the_order_of_the_schema_cost_what_they_cost_in_it():
    tokens = [b'{"', b'":', b',"', b'""}', b"aa", b"bb"]
    assert least(_PAIRS, "", tokens) == 9
    assert least(_PAIRS, "", tokens, key_order="schema") > 9


def test_a_deep_text_has_a_bound():
    assert least({}, "[" * 3_000) == 3_001


def test_blanks_may_be_part_of_tokens():
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    assert least(schema, '{"a"', [b": [", b"]\n}"]) == 3
    assert least(schema, '{"a"', [b": [", b"]\n}"], blanks="compact") == 4


def test_what_follows_a_json_text_counts():
    vocabulary = Vocabulary((*_BYTES, b"]>", b"/x>", None), (258,), "bytes and more")
    kit = make_kit(vocabulary)
    constraint = kit.sequence(kit.json_schema({"type": "array"}), kit.choice([">/x>"]))
    matcher = constraint.matcher()
    assert matcher.accept_text("[")
    endings = constraint.endings
    assert endings._places.at_least(endings.place(matcher._hypotheses, None)) == 3


def test_in_order_members_that_need_not_come_may_be_before_those_that_must():
    names = ("b", "c", "d")
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
    schema |= {"required": ["b", "d"], "minProperties": 3, "additionalProperties": False}
    assert least(schema, "", [b'{"b":0,"c":0,"d":0}'], key_order="schema") == 2
