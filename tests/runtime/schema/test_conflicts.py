from maskc.runtime.schema.conflicts import find_conflicts, reads
from maskc.runtime.schema.leaves import Leaves
from tests.runtime.schema.machines import INDEX, node_after


def conflicts_after(schema, text):
    machine, node = node_after(schema, text)
    found = find_conflicts(machine, INDEX, Leaves(INDEX, machine).spelled, node)
    return tuple({INDEX.texts[place] for place in places} for places in found)


def test_a_token_that_repeats_a_key_is_illegal():
    illegal, doubtful = conflicts_after({"type": "object"}, '{"xab": 1, "x')
    assert b'ab"' in illegal
    assert b"ab" not in illegal
    assert not doubtful


def test_what_could_repeat_an_item_inside_a_character_is_doubtful():
    schema = {"items": {"type": "string"}, "uniqueItems": True}
    illegal, doubtful = conflicts_after(schema, '["a", "\\u00')
    assert not illegal
    assert doubtful == {b"6", b"61"}


def test_nothing_is_forbidden_where_nothing_was_there():
    assert conflicts_after({"type": "object"}, '{"x') == (set(), set())


def test_a_token_is_read_byte_by_byte():
    machine, node = node_after({"type": "object"}, '{"a": 1, "')
    assert not reads(machine, node, b"", b'a"')
    assert reads(machine, node, b"", b'ab"')
