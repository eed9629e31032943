from maskc.runtime.schema.masks.walking import make_parts
from maskc.runtime.schema.tries.trie import ROOT
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX


def part_after(parts, machine, text):
    (node,) = read(machine, text).nodes
    return parts.part(INDEX.tokens, node, 0, (ROOT,))


def test_a_part_is_the_same_whatever_is_below():
    machine = build_machine(True)
    parts = make_parts(INDEX, machine)
    assert part_after(parts, machine, "[[[1") is part_after(parts, machine, "[[[[1")


def test_an_object_is_known_by_the_keys_that_may_come():
    machine = build_machine({"properties": {"a": {}, "b": {}}, "additionalProperties": False})
    parts = make_parts(INDEX, machine)
    texts = ['{"a":1,"b":1 ', '{"b":1,"a":1 ', '{"a":1 ']
    both, turned, other = (part_after(parts, machine, text) for text in texts)
    assert both is turned
    assert both is not other


def test_where_no_text_goes_on_in_a_key_all_objects_are_alike():
    names = [n for n in range(len(INDEX.tokens.bytes)) if INDEX.tokens.path(n) == b"}"]
    found = []
    for schema in ({"properties": {"a": {}}, "additionalProperties": False}, {"maxProperties": 9}):
        machine = build_machine(schema)
        (node,) = read(machine, "{").nodes
        found.append(make_parts(INDEX, machine).part(INDEX.tokens, node, 0, tuple(names)))
    assert found[0] is found[1]
