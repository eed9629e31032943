"""Places of nodes, edges and labels: nothing lies on anything else."""

from hypothesis import example, given
from hypothesis import strategies as st

from maskc.report.html.layers import find_closing, order_layers, rank_nodes
from maskc.report.html.layout import Box, lay_out

LABEL = Box(40, 20)


@st.composite
def graphs(draw):
    """Return the number of nodes and edges without loops; each node is reached from node 0."""
    n_nodes = draw(st.integers(2, 8))
    tree = [(draw(st.integers(0, node - 1)), node) for node in range(1, n_nodes)]
    nodes = st.integers(0, n_nodes - 1)
    more = draw(st.lists(st.tuples(nodes, nodes).filter(lambda e: e[0] != e[1]), max_size=12))
    return n_nodes, list(dict.fromkeys(tree + more))


def overlap(one, box, other, other_box):
    return (
        abs(one[0] - other[0]) < (box.width + other_box.width) / 2 - 1e-6
        and abs(one[1] - other[1]) < (box.height + other_box.height) / 2 - 1e-6
    )


@given(graphs())
@example((2, [(0, 1), (1, 0)]))
def test_no_node_or_label_lies_on_another(graph):
    n_nodes, edges = graph
    box = Box(60, 26)
    drawing = lay_out([box] * n_nodes, dict.fromkeys(edges, LABEL))
    things = [(place, box) for place in drawing.nodes]
    things += [(drawing.labels[edge], LABEL) for edge in edges]
    assert not any(
        overlap(*one, *other) for i, one in enumerate(things) for other in things[i + 1 :]
    )


@given(graphs())
def test_everything_is_inside_the_drawing(graph):
    n_nodes, edges = graph
    drawing = lay_out([Box(60, 26)] * n_nodes, dict.fromkeys(edges, LABEL))
    points = [*drawing.nodes, *(bend for bends in drawing.bends.values() for bend in bends)]
    assert all(-1e-6 <= x <= drawing.width + 1e-6 for x, _ in points)
    assert all(0 <= y <= drawing.height for _, y in points)


@given(graphs())
def test_the_bends_of_an_edge_lead_from_its_source_to_its_target(graph):
    n_nodes, edges = graph
    drawing = lay_out([Box(60, 26)] * n_nodes, dict.fromkeys(edges, LABEL))
    for source, target in edges:
        bends = drawing.bends[source, target]
        ys = [y for _, y in (drawing.nodes[source], *bends, drawing.nodes[target])]
        assert ys in (sorted(ys), sorted(ys, reverse=True))
        assert drawing.labels[source, target] in bends


def test_an_edge_that_closes_a_cycle_is_found():
    assert find_closing(3, [(0, 1), (1, 2), (2, 0), (0, 2)]) == [(2, 0)]


def test_a_rank_is_the_longest_path():
    assert rank_nodes(4, [(0, 1), (1, 2), (0, 2), (2, 3)]) == [0, 2, 4, 6]


def test_a_crossing_that_can_be_avoided_is_avoided():
    layers = order_layers([0, 0, 1, 1], [(0, 3), (1, 2)])
    assert layers in ([[0, 1], [3, 2]], [[1, 0], [2, 3]])


def test_equal_graphs_are_drawn_alike():
    edges = dict.fromkeys([(0, 1), (1, 2), (0, 2), (2, 1)], LABEL)
    one, other = (lay_out([Box(60, 26)] * 3, edges) for _ in range(2))
    assert one == other
