"""What is the same in two artifacts."""

import json

import numpy as np
import pytest

import maskc
from maskc.kit.file import make_kit
from maskc.runtime.schema.masks.walking import make_parts
from maskc.runtime.schema.plan.plan import JsonLayout
from maskc.runtime.schema.tries.trie import ROOT
from maskc.vocab import load_vocabulary
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX


@pytest.mark.parametrize(
    ("inner", "text", "is_shared"),
    [
        ({"type": "integer", "maximum": 7}, "1", True),
        ({"enum": ["a", None, 2]}, "n", True),
        ({"type": "array", "items": {"type": "string"}}, "[", False),
    ],
    ids=str,
)
def test_a_number_or_literal_has_one_part_in_all_artifacts(inner, text, is_shared):
    found = []
    for schema in ({"properties": {"k": inner}}, {"patternProperties": {"^k": inner}}):
        machine = build_machine(schema)
        (node,) = read(machine, '{"k":' + text).nodes
        found.append(make_parts(INDEX, machine).part(INDEX.tokens, node, 0, (ROOT,)))
    assert (found[0] is found[1]) == is_shared


def test_numbers_of_other_layouts_have_other_parts():
    found = []
    for blanks in ("any", "compact"):
        machine = build_machine({"type": "integer"}, layout=JsonLayout(blanks=blanks))
        (node,) = read(machine, "1").nodes
        found.append(make_parts(INDEX, machine).part(INDEX.tokens, node, 0, (ROOT,)))
    assert found[0] is not found[1]


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
    """Where tokens are bytes, none says whether a key may come: so objects are alike."""
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
