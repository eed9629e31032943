import pytest

from maskc.runtime.schema.machine.nodes import IS_BOUND, IS_TIGHT
from tests.jsonschema.texts import build_machine, read

SMALL = {"properties": {"a": {"type": "boolean"}}, "additionalProperties": False, "type": "object"}


@pytest.mark.parametrize(
    ("items", "text", "is_tight"),
    [
        ({}, '[{"a": tr', False),
        (SMALL, '[{"a": tr', True),
        ({"type": "object", "properties": {"b": SMALL}}, '[{"b": {"a": tr', False),
        ({"items": SMALL, "maxItems": 9, "minItems": 9}, '[[{"a": tr', True),
        ({"items": SMALL}, '[[{"a": tr', False),
    ],
)
def test_a_node_is_tight_if_nothing_lets_its_item_become_endlessly_many(items, text, is_tight):
    machine = build_machine({"type": "array", "items": items, "uniqueItems": True})
    assert any(node[IS_TIGHT] for node in read(machine, text).nodes) is is_tight


def test_the_last_item_is_bound_where_two_must_be_equal():
    machine = build_machine({"type": "array", "maxItems": 2, "not": {"uniqueItems": True}})
    assert not any(node[IS_BOUND] for node in read(machine, '["a').nodes)
    assert all(node[IS_BOUND] for node in read(machine, '["a", "a').nodes)
