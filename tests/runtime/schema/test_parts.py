from maskc.runtime.schema.masks.walking import SchemaWalk, make_parts
from maskc.runtime.schema.tries import ROOT
from maskc.runtime.step_budget import count_taken, one_mask
from tests.jsonschema.texts import build_machine, read
from tests.runtime.schema.machines import INDEX
from tests.runtime.schema.vocabularies import build_index


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


def test_open_objects_are_alike_where_no_text_ends_a_name():
    named, other, ended, closed, less = (
        {"properties": {"zz": {"type": "integer"}}},
        {"properties": {"yy": {"type": "integer"}}, "required": ["yy"]},
        {"properties": {"a": {"type": "integer"}}},
        {"properties": {"zz": {}, "yy": {}, "ww": {}}, "additionalProperties": False},
        {"propertyNames": {"not": {"const": "a"}}},
    )

    index = build_index([*(bytes([byte]) for byte in range(256)), b'"a":1', b'"zz'])

    def after_a_comma(schema):
        machine = build_machine(schema)
        (node,) = read(machine, '{"zz":1,"yy":1,').nodes
        return make_parts(index, machine).part(index.tokens, node, 0, (ROOT,))

    assert after_a_comma(named) is after_a_comma(other)
    assert after_a_comma(ended) is not after_a_comma(named)
    assert after_a_comma(less) is not after_a_comma(named)
    assert after_a_comma(closed) is not after_a_comma(named)


def test_alternatives_that_have_the_same_below_are_gone_on_with_once():
    depth, others = 6, ("string", "null", "boolean", "array")
    schema = {"type": "integer"}
    for _ in range(depth):
        each = (
            {"properties": {"a": schema}, "additionalProperties": {"type": other}}
            for other in others
        )
        schema = {"anyOf": [{"type": "object", **one} for one in each]}
    texts = [b"}" * depth, b"1" + b"}" * depth]
    index = build_index([*(bytes([byte]) for byte in range(256)), *texts])
    machine = build_machine(schema)
    here = read(machine, '{"a":' * depth + "1")
    walk = SchemaWalk(make_parts(index, machine), index.tokens, None)
    before = count_taken()
    with one_mask(10**9):
        for node in here.nodes:
            walk.enter(node, here.gap, (ROOT,))
    assert walk.parts()
    # On all ways down there would be thousands.
    assert count_taken() - before < 50 * depth * len(others)
