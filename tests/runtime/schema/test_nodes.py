from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    END,
    KEY,
    NUMBER,
    OBJECT,
    Node,
    add_state,
    describe_nodes,
)

BOTTOM = Node((END,), ())
OPEN = Node((OBJECT, 0, "members", 0), (BOTTOM,))


def test_brackets_that_are_open_are_counted():
    assert (BOTTOM.depth, OPEN.depth) == (0, 1)
    assert Node((KEY, 0, "members", 1, b""), (BOTTOM,)).depth == 1
    assert Node((NUMBER, 0, 0, None), (OPEN,)).depth == 1


def test_an_array_whose_items_must_differ_is_captured_by_all_above():
    array = Node((ARRAY, 0, 0, (), 0, frozenset(), 0), (BOTTOM,))
    assert (array.captures, Node((NUMBER, 0, 0, None), (array,)).captures) == (True, True)
    assert not OPEN.captures


def test_nodes_are_described_by_what_they_are():
    same = Node((OBJECT, 0, "members", 0), (Node((END,), ()),))
    assert describe_nodes((OPEN,)) == describe_nodes((same,))
    assert describe_nodes((OPEN,)) != describe_nodes((BOTTOM,))


def test_a_state_has_the_parents_of_all_its_ways():
    found = {}
    add_state(found, (END,), (BOTTOM,))
    add_state(found, (END,), (OPEN, BOTTOM))
    assert list(found[(END,)]) == [BOTTOM, OPEN]
