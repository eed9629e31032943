from hypothesis import given

from maskc.grammar.reduce import reduce_productions
from maskc.pushdown.dft import build_dft
from tests.examples import examples
from tests.pushdown.dft_runs import format_description, trace
from tests.pushdown.small_grammars import grammar_of, nested, rules_of, sequences, words
from tests.pushdown.small_grammars import small_grammars as grammars

FIGURE_2 = """\
start •start, Z0
•start  ε  ε                    ε                    start•
•start  A  ε                    start ::= A          A
A       ε  start ::= A          start ::= A start    •start
start•  B  start ::= A start    start ::= A start B  B
B       ε  start ::= A start B  ε                    start•
start•  ε  Z0                   ε                    $END"""

FIGURE_3 = [
    "•start, A A B B, Z0",
    "A, A B B, (start ::= A)Z0",
    "•start, A B B, (start ::= A start)Z0",
    "A, B B, (start ::= A)(start ::= A start)Z0",
    "•start, B B, (start ::= A start)(start ::= A start)Z0",
    "start•, B B, (start ::= A start)(start ::= A start)Z0",
    "B, B, (start ::= A start B)(start ::= A start)Z0",
    "start•, B, (start ::= A start)Z0",
    "B, ε, (start ::= A start B)Z0",
    "start•, ε, Z0",
    "$END, ε, ε",
]


def test_the_worked_example_has_the_automaton_of_figure_2():
    assert build_dft(nested()).format() == FIGURE_2


def test_the_automaton_accepts_aabb_along_figure_3():
    dft = build_dft(nested())
    path = trace(dft, (1, 1, 2, 2))
    assert [format_description(dft, description) for description in path] == FIGURE_3


def test_a_sequence_outside_the_language_has_no_path():
    assert trace(build_dft(nested()), (1, 2, 2)) is None


def test_states_are_terminals_then_both_sides_of_nonterminals_then_the_end():
    dft = build_dft(nested())
    assert [state.side.value for state in dft.states] == ["", "", "•X", "X•", ""]


def test_each_transition_of_the_automaton_is_an_edge_in_dot():
    dot = build_dft(nested()).to_dot()
    assert dot.startswith("digraph dft {")
    assert '0 -> 2 [label="ε, start ::= A / start ::= A start"];' in dot
    assert dot.count("->") == 1 + 6
    assert "doublecircle" in dot


def test_a_left_recursive_grammar_is_traced_within_the_bound():
    dft = build_dft(grammar_of("S -> S a", "S -> b"))
    assert trace(dft, (2, 1, 1, 1)) is not None
    assert trace(dft, (2, 1, 1, 1), max_stack=3) is None


@examples(40)
@given(grammars())
def test_the_automaton_accepts_the_language_of_the_grammar(drawn):
    """Lemma 1. With a terminal in each production, a word bounds its stacks."""
    rules = [p for p in drawn.productions if any(s >= 0 for s in p.rhs)]
    reduced = reduce_productions(drawn.terminals, drawn.nonterminals, drawn.start, rules)
    dft = build_dft(reduced)
    language = words({-1: []} | rules_of(reduced), -1, 4)
    assert {w for w in sequences(4) if trace(dft, w, max_stack=6)} == language
