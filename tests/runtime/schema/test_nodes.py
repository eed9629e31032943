import gc

from tests.jsonschema.texts import build_machine, read


def test_the_garbage_collector_walks_no_node_where_items_are_not_compared():
    gc.freeze()  # all others are not walked
    machine = build_machine({"type": "object", "additionalProperties": {"type": "array"}})
    here = read(machine, '{"a": [1, [{"b": "c", "d": 1')
    # It sees through one level more each time.
    for _ in range(10):
        gc.collect()
    assert not any(map(gc.is_tracked, here.nodes))
