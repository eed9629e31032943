from maskc.runtime.schema.key_leaves import KeyLeaves
from maskc.runtime.schema.leaves import Leaves
from tests.runtime.schema.machines import INDEX, node_after

CLOSED = {"properties": {"ab": {}, "ax": {}, "q": {}}, "additionalProperties": False}


def leaf_of(keys, node, labels):
    return keys.key(node.state[1], node.state[3], labels)


def test_labels_that_a_prefix_leads_to_no_more_do_not_count():
    machine, node = node_after(CLOSED, '{"a')
    keys = KeyLeaves(INDEX, machine, Leaves(INDEX, machine))
    assert leaf_of(keys, node, 0b111) is leaf_of(keys, node, 0b011)
    assert leaf_of(keys, node, 0b111) is not leaf_of(keys, node, 0b001)


def test_a_key_that_was_there_is_closed_by_no_token():
    schema = {"properties": {"a": {}, "ab": {}}, "additionalProperties": False}
    machine, node = node_after(schema, '{"')
    keys = KeyLeaves(INDEX, machine, Leaves(INDEX, machine))
    assert [label for label, _ in leaf_of(keys, node, 0b11).closers] == [0, 1]
    assert [label for label, _ in leaf_of(keys, node, 0b10).closers] == [1]
