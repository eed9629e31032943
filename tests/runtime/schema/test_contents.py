"""What is the same in two artifacts."""

import json

import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.runtime.schema.machine.nodes import STATE
from maskc.runtime.schema.masks.walking import make_parts
from maskc.runtime.schema.plan.plan import Layout
from maskc.vocab import load_vocabulary
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX

STRINGS = {"type": "array", "items": {"type": "string", "maxLength": 9}}


def content_after(schema, text, layout=None):
    machine = build_machine(schema, layout=layout)
    (node,) = read(machine, text).nodes
    return make_parts(INDEX, machine).contents.of(node[STATE])


@pytest.mark.parametrize(
    "inner",
    [STRINGS, {"type": "integer", "maximum": 7}, {"enum": ["a", None, 2]}, True],
    ids=str,
)
def test_a_value_has_one_content_wherever_it_stands(inner):
    here = content_after({"properties": {"b": {"type": "null"}, "k": inner}}, '{"k":')
    there = content_after({"patternProperties": {"^q": inner}, "minProperties": 2}, '{"q":')
    assert here == there is not None


@pytest.mark.parametrize(
    "other",
    [
        STRINGS | {"minItems": 1},
        STRINGS | {"items": {"type": "string", "maxLength": 8}},
        {"type": ["array", "null"], "items": STRINGS["items"]},
        STRINGS | {"prefixItems": [{"type": "string"}]},
    ],
    ids=str,
)
def test_what_differs_has_another_content(other):
    schemas = ({"properties": {"k": kind}} for kind in (STRINGS, other))
    one, two = (content_after(schema, '{"k":') for schema in schemas)
    assert one != two


def test_layouts_differ():
    one, two = (content_after(STRINGS, "", Layout(blanks=b)) for b in ("any", "compact"))
    assert one != two


def test_items_that_differ_have_no_content():
    assert content_after({"properties": {"k": STRINGS | {"uniqueItems": True}}}, '{"k":') is None


def test_what_is_too_large_has_no_content():
    many = {"anyOf": [{"type": "array", "items": {"const": n}} for n in range(40)]}
    assert content_after({"properties": {"k": many}}, '{"k":') is None


OBJECTS = [
    ({"a": "integer"}, ["a"]),
    ({"a": "integer", "b": "integer"}, ["a"]),
    ({"a": "integer", "b": "integer"}, ["a", "b"]),
    ({}, []),
    ({"x": "string", "y": "object"}, []),
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("others", [False, True])
def test_no_token_opens_a_key_and_masks_are_what_is_read_byte_by_byte(order, others):
    """Where tokens are bytes, none says whether a key may come: that is part of the content."""
    kit = make_kit(load_vocabulary("bytes"))
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for kinds, required in OBJECTS[::order]:
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
