from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from maskc.pushdown.follow_graph import build_follow_graph, build_successor_graph
from tests.pushdown.small_grammars import LETTERS, grammar_of, nested

A, B, C = LETTERS

FIGURE_1 = """\
•start → start•, A
A → •start
start• → B, $END
B → start•"""


def test_the_worked_example_has_the_graph_of_figure_1():
    assert build_successor_graph(nested()).format() == FIGURE_1


def test_the_follow_graph_joins_terminals_with_no_terminal_between():
    follow = build_follow_graph(build_successor_graph(nested()))
    assert follow == {1: 1 << 1 | 1 << 2 | 1 << END, 2: 1 << 2 | 1 << END}


def test_the_follow_graph_forgets_where_an_empty_nonterminal_was_entered():
    reduced = grammar_of("S -> a T a", "S -> b T b", "T ->")
    assert build_follow_graph(build_successor_graph(reduced))[A] >> B & 1
    assert compute_adjacent(reduced, compute_sets(reduced))[A] == 1 << A | 1 << END


def test_the_follow_graph_of_python_excludes_nothing_that_is_legal(python):
    follow = build_follow_graph(build_successor_graph(python.reduced))
    assert {t: follow[t] & bits for t, bits in python.never.adjacent.items()} == dict(
        python.never.adjacent
    )


def test_the_follow_graph_of_python_knows_what_follows_def(python):
    follow = build_follow_graph(build_successor_graph(python.reduced))
    assert python.names(follow[python.id("DEF")]) == {"NAME", "MATCH", "CASE"}


def test_an_empty_language_has_no_edges():
    assert build_successor_graph(grammar_of("S -> S a")).successors == {}
