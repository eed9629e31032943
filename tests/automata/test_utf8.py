from hypothesis import example, given
from hypothesis import strategies as st

from maskc.automata.charset import ANY, class_set, complement, intersect_any
from maskc.automata.utf8 import Utf8Nodes
from maskc.byte_classes import DONE

code_points = st.integers(0, 0x10FFFF)
ranges = st.lists(st.tuples(code_points, code_points), max_size=4).map(
    lambda pairs: intersect_any(disjoint(pairs))
)


def disjoint(pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for low, high in sorted((min(p), max(p)) for p in pairs):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def reads(nodes: Utf8Nodes, root: int, data: bytes) -> bool:
    node = root
    for index, byte in enumerate(data):
        targets = [t for first, last, t in nodes.edges[node] if first <= byte <= last]
        if not targets:
            return False
        node = targets[0]
        if node == DONE:
            return index == len(data) - 1
    return False


@given(ranges, code_points.filter(lambda c: not 0xD800 <= c <= 0xDFFF))
@example(((0, 0x7F),), 0x80)
@example(ANY, 0xFFFF)
@example(((0x800, 0xFFFF),), 0x800)
def test_a_character_is_read_iff_it_is_in_the_set(code_point_set, code_point):
    nodes = Utf8Nodes()
    root = nodes.root(code_point_set)
    inside = any(low <= code_point <= high for low, high in code_point_set)
    assert reads(nodes, root, chr(code_point).encode()) == inside


def test_no_overlong_and_no_surrogate_is_read():
    nodes = Utf8Nodes()
    root = nodes.root(ANY)
    assert not reads(nodes, root, b"\xc0\x80")
    assert not reads(nodes, root, b"\xe0\x80\x80")
    assert not reads(nodes, root, b"\xed\xa0\x80")
    assert not reads(nodes, root, b"\xf4\x90\x80\x80")


def test_equal_subtrees_are_one_node():
    nodes = Utf8Nodes()
    nodes.root(ANY)
    assert len(nodes.edges) == 8


@given(ranges)
def test_complement_is_an_involution(code_point_set):
    assert complement(complement(code_point_set)) == code_point_set


def test_a_negated_class_leaves_out_surrogates():
    assert class_set("[^a]", 0) == ((0, 0x60), (0x62, 0xD7FF), (0xE000, 0x10FFFF))
