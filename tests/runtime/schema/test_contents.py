"""What is the same in two artifacts."""

import itertools
import json

import jsonschema
import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.runtime.schema.masks.walking import make_parts
from maskc.runtime.schema.plan import JsonLayout
from maskc.runtime.schema.tries import ROOT
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX
from tests.runtime.schema.vocabularies import build_index

BYTES = build_index([bytes([byte]) for byte in range(256)])
STRINGS = {"type": "array", "items": {"type": "string"}}
OBJECTS = {"type": "array", "items": {"properties": {"a": {}}, "type": "object"}}


def part_after(schema, text, index=INDEX):
    machine = build_machine(schema)
    (node,) = read(machine, text).nodes
    return make_parts(index, machine).part(index.tokens, node, 0, (ROOT,))


@pytest.mark.parametrize(
    ("inner", "text", "is_shared"),
    [
        ({"type": "integer", "maximum": 7}, "1", True),
        ({"enum": ["a", None, 2]}, "n", True),
        ({"enum": ["a", None, 2]}, "", False),
        ({"type": ["string", "null"], "maxLength": 9}, "", True),
        (STRINGS, "", True),
        (STRINGS, '["a",', True),
        ({**STRINGS, "uniqueItems": True}, "", False),
        ({"items": STRINGS, "maxItems": 2, "type": "array"}, "[[]", True),
        ({"items": {"pattern": "^a"}, "type": "array"}, "[", False),
    ],
    ids=str,
)
def test_what_is_asked_without_an_automaton_has_one_part_in_all_artifacts(inner, text, is_shared):
    schemas = {"properties": {"k": inner}}, {"patternProperties": {"^k": inner}}
    first, second = (part_after(schema, '{"k":' + text) for schema in schemas)
    assert (first is second) == is_shared


@pytest.mark.parametrize(
    "other",
    [
        {**STRINGS, "minItems": 1},
        {**STRINGS, "maxItems": 3},
        {"type": "array", "items": {"type": "string", "maxLength": 1}},
        {"type": "array", "items": {"type": "string", "minLength": 1}},
        {"type": "array", "items": {"type": ["string", "null"]}},
        {"type": "array", "items": STRINGS},
    ],
    ids=str,
)
def test_arrays_that_ask_something_else_have_other_parts(other):
    assert part_after(STRINGS, "[", BYTES) is not part_after(other, "[", BYTES)


NULLS, NUMBERS = {"type": "null"}, {"type": "integer"}
COUNTED = {"items": {"type": ["integer", "null"]}, "contains": NULLS, "minItems": 3}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"items": STRINGS}, {"items": {**STRINGS, "minItems": 1}}),
        ({"prefixItems": [NULLS], "items": NUMBERS}, {"prefixItems": [NUMBERS], "items": NULLS}),
        ({**COUNTED, "minContains": 2}, {**COUNTED, "minContains": 0, "maxContains": 1}),
    ],
)
def test_arrays_that_differ_in_their_items_alone_have_other_parts(one, other):
    found = [part_after({"type": "array", **schema}, "[", BYTES) for schema in (one, other)]
    assert found[0] is not found[1]


def test_objects_count_by_little_where_no_text_goes_on_in_a_key_that_it_opens():
    closed, needed, empty = (
        {"type": "array", "items": {"type": "object", "properties": {"b": {}}, **more}}
        for more in (
            {"additionalProperties": False},
            {"required": ["b"]},
            {"additionalProperties": False, "properties": {}},
        )
    )
    # The awkward vocabulary has {"a":{"a":.
    assert part_after(OBJECTS, "[") is not part_after(closed, "[")
    assert part_after(OBJECTS, "[", BYTES) is part_after(closed, "[", BYTES)
    for other in (needed, empty):
        assert part_after(OBJECTS, "[", BYTES) is not part_after(other, "[", BYTES)


ITSELF = {"items": {"$ref": "#"}}
RECURSIVE = [
    ITSELF,
    {"type": ["array", "null"], **ITSELF},
    {"type": ["array", "boolean"], **ITSELF},
    {"type": ["array", "null"], **ITSELF, "minItems": 1},
    {"type": ["array", "null"], **ITSELF, "maxItems": 1},
    {"type": ["array", "null"], "items": {"items": {"$ref": "#"}, "type": "array"}},
    {"type": "array", "items": {"type": ["array", "null"], "items": {"$ref": "#/items"}}},
    {"type": ["array", "null"], "items": {"anyOf": [{"$ref": "#"}, {"const": True}]}},
    {},
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("text", ["", "[", "[[", "[[],", "[null,", "[[],["])
def test_values_that_contain_themselves_have_the_parts_that_they_have_alone(text, order):
    index = build_index([bytes([byte]) for byte in range(256)])
    for schema in RECURSIVE[::order]:
        if read(build_machine(schema), text) is None:
            continue
        own = build_index([bytes([byte]) for byte in range(256)])
        found, alone = part_after(schema, text, index), part_after(schema, text, own)
        assert (sorted(found.few), found.exits) == (sorted(alone.few), alone.exits)
        assert len(found.rows) == len(alone.rows)


def test_values_that_contain_themselves_have_one_part_in_all_artifacts():
    for schema in ({}, RECURSIVE[1]):
        assert part_after(schema, "[", BYTES) is part_after(schema, "[", BYTES)
    assert part_after(RECURSIVE[1], "[", BYTES) is not part_after(RECURSIVE[2], "[", BYTES)


def test_numbers_of_other_layouts_have_other_parts():
    found = []
    for blanks in ("any", "compact"):
        machine = build_machine({"type": "integer"}, layout=JsonLayout(blanks=blanks))
        (node,) = read(machine, "1").nodes
        found.append(make_parts(INDEX, machine).part(INDEX.tokens, node, 0, (ROOT,)))
    assert found[0] is not found[1]


KEYS = [
    ({"a": "integer"}, ["a"]),
    ({"a": "integer", "b": "integer"}, ["a"]),
    ({"a": "integer", "b": "integer"}, ["a", "b"]),
    ({}, []),
    ({"x": "string", "y": "object"}, []),
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("others", [False, True])
def test_no_token_opens_a_key_and_masks_are_what_is_read_byte_by_byte(order, others):
    """Where tokens are bytes, none says whether a key may come: so objects are alike."""
    kit = make_kit(load_vocabulary("bytes"))
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for kinds, required in KEYS[::order]:
        schema = {
            "type": "object",
            "properties": {name: {"type": kind} for name, kind in kinds.items()},
            "required": required,
            "additionalProperties": others,
        }
        matcher = kit.json_schema({"type": "array", "items": schema}).matcher()
        values = {"integer": 7, "string": "s", "object": {}}
        text = json.dumps([{}, {name: values[kind] for name, kind in kinds.items()}, {"z": [1]}])
        for byte in text.encode():
            matcher.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
            for token in range(256):
                assert bits[token] == matcher.fork().accept_token(token), (schema, text, token)
            if not matcher.accept_token(byte):
                break


SIGNS = '["a,]'
TOKENS = [bytes(t) for n in (1, 2, 3) for t in itertools.product(SIGNS.encode(), repeat=n)]
ENDS = ["", "]", *(f'{sign}{"a" * n}"]' for sign in ("", '"', ',"', '["') for n in range(4))]
ALIKE = [
    [{"minLength": n} for n in range(4)],
    [{}, {"pattern": "^a"}, {"pattern": "^aa"}, {"pattern": "a$"}],
    [{"maxLength": 3}, {"maxLength": 3, "minLength": 2}, {"maxLength": 3, "pattern": "^a*$"}],
]


def is_begun(text, validator):
    """Return whether a valid text begins so: with one of the ends it is one."""
    for end in ENDS:
        try:
            value = json.loads(text + end)
        except ValueError:
            continue
        if validator.is_valid(value):
            return True
    return False


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("strings", ALIKE)
def test_masks_of_strings_in_one_kit_are_those_of_each(strings, order):
    kit = make_kit(Vocabulary((*TOKENS, None), (len(TOKENS),), "small"))
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for string in strings[::order]:
        schema = {"type": "array", "items": {"type": "string", **string}}
        validator, constraint = jsonschema.Draft202012Validator(schema), kit.json_schema(schema)
        for begun in ("[", '["', '["a', '["aaa"', '["aaa","a'):
            matcher = constraint.matcher()
            if not is_begun(begun, validator):
                assert not matcher.accept_bytes(begun.encode())
                continue
            assert matcher.accept_bytes(begun.encode())
            matcher.fill_bitmask(bitmask, 0)
            bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
            legal = {token for n, token in enumerate(TOKENS) if bits[n]}
            expected = {t for t in TOKENS if is_begun(begun + t.decode(), validator)}
            assert legal == expected, (string, begun)


ITEMS = [b"[", b"null", b"true", b",", b"]", b",null", b",true", b",null]", b",true]", b"null]"]
COUNTS = [
    *({"minContains": n} for n in (2, 3)),
    *({"minContains": 0, "maxContains": n} for n in (1, 2)),
]


@pytest.mark.parametrize("order", [1, -1])
def test_masks_of_counted_items_in_one_kit_are_those_of_each(order):
    kit = make_kit(Vocabulary((*ITEMS, None), (len(ITEMS),), "small"))
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    values = [v for n in range(8) for v in itertools.product([None, True], repeat=n)]
    for counts in COUNTS[::order]:
        schema = {"type": "array", "items": {"type": ["boolean", "null"]}, "minItems": 3}
        schema |= {"contains": {"type": "null"}, **counts}
        validator, constraint = jsonschema.Draft202012Validator(schema), kit.json_schema(schema)
        valid = [list(value) for value in values if validator.is_valid(list(value))]
        texts = [json.dumps(value, separators=(",", ":")).encode() for value in valid]
        prefixes = {text[:n] for text in texts for n in range(len(text) + 1)}
        for value in values[: 2**4 - 1]:
            begun = json.dumps(value, separators=(",", ":")).encode()[:-1]
            matcher = constraint.matcher()
            assert matcher.accept_bytes(begun) is (begun in prefixes)
            if begun in prefixes:
                matcher.fill_bitmask(bitmask, 0)
                bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
                legal = {token for n, token in enumerate(ITEMS) if bits[n]}
                assert legal == {t for t in ITEMS if begun + t in prefixes}, (counts, begun)
