from maskc.runtime.schema.leaves.conflicts import find_equal, read_each
from maskc.runtime.schema.leaves.leaves import Leaves
from tests.jsonschema.texts import read
from tests.runtime.schema.machines import INDEX, node_after


def texts_of(found):
    return {INDEX.texts[p] for p, _ in found.closing}, {INDEX.texts[p] for p in found.inside}


def equal_after(schema, text):
    machine, node = node_after(schema, text)
    captured = read(machine, text).text
    return texts_of(find_equal(machine, INDEX, Leaves(INDEX, machine).spelled, node, captured))


def test_what_could_repeat_an_item_inside_a_character_is_doubtful():
    schema = {"items": {"type": "string"}, "uniqueItems": True}
    closing, _ = equal_after(schema, '["a", "\\u00')
    assert not closing
    closed = {"items": {"type": "string", "maxLength": 1}, "uniqueItems": True}
    assert equal_after(closed, '["a", "\\u00') == (set(), {b"6", b"61"})


def test_a_token_is_read_byte_by_byte():
    machine, node = node_after({"type": "object"}, '{"a": 1, "')
    tokens = [b'a"', b'a":', b"a", b'ab"', b'ab":', b'ab"x', b'ab"xy']
    legal = [False, False, True, True, True, False, False]
    assert read_each(machine, node, b"", tokens) == legal
    assert read_each(machine, node, b"", reversed(tokens)) == legal[::-1]
