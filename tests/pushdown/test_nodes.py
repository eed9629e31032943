"""Where a traversal of the syntax tree stands."""

from maskc.ids import END
from maskc.pushdown.nodes import END_NODE, Node, Side, end_of, format_node, start_of
from tests.pushdown.small_grammars import grammar_of

A, S = 1, -1  # symbols as productions hold them


def test_a_terminal_is_its_own_start_and_end():
    assert start_of(A) == end_of(A) == Node(Side.TERMINAL, A)
    assert start_of(END) == END_NODE


def test_a_nonterminal_has_a_start_and_an_end():
    assert start_of(S) == Node(Side.START, 0)
    assert end_of(S) == Node(Side.END, 0)


def test_nodes_are_written_as_in_the_appendix():
    reduced = grammar_of("S -> a S b", "S ->")
    shown = [format_node(reduced, node) for node in (start_of(S), end_of(S), start_of(A), END_NODE)]
    assert shown == ["•S", "S•", "a", "$END"]
