from tests.jsonschema.texts import build_machine, read

SCHEMA = {"type": "array", "items": {"type": "object"}, "uniqueItems": True}


def top_after(text, schema=SCHEMA):
    machine = build_machine(schema)
    here = read(machine, text)
    return machine, here.nodes[0], here.text


def test_an_item_that_must_be_one_that_was_there_is_not_assumed_distinct():
    schema = {"type": "array", "maxItems": 2, "not": {"uniqueItems": True}}
    machine, node, _ = top_after('["a", "', schema)
    assert machine.assume_distinct(node) is None
