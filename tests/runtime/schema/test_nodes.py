import gc

from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    DEPTH,
    END,
    FRESH,
    KEY,
    NUMBER,
    OBJECT,
    SERIAL,
    add_state,
    captures_at,
    describe_nodes,
    make_node,
)
from tests.jsonschema.texts import build_machine, read

BOTTOM = make_node((END,), ())
OPEN = make_node((OBJECT, 0, "members", 0), (BOTTOM,))


def test_brackets_that_are_open_are_counted():
    assert (BOTTOM[DEPTH], OPEN[DEPTH]) == (0, 1)
    assert make_node((KEY, 0, "members", 1, b""), (BOTTOM,))[DEPTH] == 1
    assert make_node((NUMBER, 0, 0, None), (OPEN,))[DEPTH] == 1


def test_an_array_whose_items_must_differ_is_captured_by_all_above():
    state = (ARRAY, 0, 0, (), 0, frozenset(), 0)
    array = make_node(state, (BOTTOM,), captures=True)
    assert captures_at(state, (BOTTOM,))
    assert captures_at((NUMBER, 0, 0, None), (array,))
    assert not captures_at((NUMBER, 0, 0, None), (OPEN,))
    assert not captures_at((*state[:6], FRESH), (BOTTOM,))


def test_nodes_are_described_by_what_they_are():
    same = make_node((OBJECT, 0, "members", 0), (make_node((END,), ()),))
    assert same[SERIAL] != OPEN[SERIAL]
    assert describe_nodes((OPEN,)) == describe_nodes((same,))
    assert describe_nodes((OPEN,)) != describe_nodes((BOTTOM,))


def test_a_state_has_the_parents_of_all_its_ways():
    found = {}
    add_state(found, (END,), (BOTTOM,))
    add_state(found, (END,), (OPEN, BOTTOM))
    assert list(found[(END,)].values()) == [BOTTOM, OPEN]


def test_the_garbage_collector_walks_no_node_where_items_are_not_compared():
    machine = build_machine({"type": "object", "additionalProperties": {"type": "array"}})
    here = read(machine, '{"a": [1, [{"b": "c", "d": 1')
    # It sees through one level more each time.
    for _ in range(10):
        gc.collect()
    assert not any(map(gc.is_tracked, here.nodes))
