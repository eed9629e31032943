"""Productions and what is computed of them, against plain reachability and enumeration."""

import itertools
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Bnf, LalrGrammar, LalrState, Production
from maskc.grammar.sets import (
    compute_adjacent,
    compute_sets,
    find_components,
    find_derivable,
    reduce_grammar,
    reduce_productions,
    unite_along,
)
from maskc.ids import END
from tests.compiler.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    prefixes,
    rules_of,
    small_grammars,
    words,
)
from tests.examples import seeds


def load(text, **settings):
    return load_grammar(load_source(text, **settings))[0]


def test_productions_are_printed_one_a_line():
    bnf = Bnf(("$END", "A"), ("x",), 0, (Production(0, ()), Production(0, (1, -1))))
    assert bnf.format() == "x ->\nx -> A x"


def test_the_used_terminals_are_those_that_productions_hold():
    grammar = load('start: "a" | "b" start\n%ignore " "\n')
    used = {grammar.bnf.terminals[t] for t in grammar.bnf.used_terminals}
    assert used == {"A", "B"}


def test_the_start_is_the_first_of_several_start_symbols():
    grammar = load('// maskc: start=b,a\na: "x"\nb: "y" a\n')
    assert grammar.bnf.nonterminals[grammar.bnf.start] == "b"


def test_contexts_after_a_terminal_are_those_of_the_states_it_leads_to():
    grammar = load('start: "a" "b" "c"\n')
    a = grammar.bnf.terminals.index("A")
    (context,) = grammar.lexer.contexts_after[a]
    wanted = [grammar.bnf.terminals[t] for t in grammar.lexer.contexts[context].alternatives]
    assert wanted == ["B"]
    assert grammar.bnf.terminals.index("$END") not in grammar.lexer.contexts_after


def test_contexts_after_cannot_be_written():
    with pytest.raises(TypeError):
        load('start: "a"\n').lexer.contexts_after[1] = frozenset()


def test_only_a_grammar_for_lalr_has_a_table():
    text = 'start: "a" start "a" |\n'
    assert isinstance(load('start: "a" start "b" |\n'), LalrGrammar)
    assert not isinstance(load(text, parser="earley"), LalrGrammar)


def test_a_row_cannot_be_written():
    shifts = {1: 2}
    row = LalrState(shifts, {}, {})
    shifts[3] = 4
    assert dict(row.shifts) == {1: 2}
    with pytest.raises(TypeError):
        row.shifts[3] = 4


def test_a_rule_that_derives_nothing_is_dropped_with_all_that_needs_it():
    grammar, _ = load_grammar(load_source('start: "a" | x "c"\nx: x "b"\n'))
    assert reduce_grammar(grammar.bnf).format() == "start -> A"


def test_a_rule_that_is_never_reached_is_dropped():
    grammar, _ = load_grammar(load_source('start: "a"\ny: "c"\n'))
    reduced = reduce_grammar(grammar.bnf)
    assert reduced.format() == "start -> A"
    assert [reduced.terminals[t] for t in reduced.used_terminals] == ["A"]


def test_a_rule_reached_only_through_one_that_derives_nothing_is_dropped():
    grammar, _ = load_grammar(load_source('start: "a" | x\nx: x y\ny: "b"\n'))
    assert reduce_grammar(grammar.bnf).format() == "start -> A"


def test_a_language_without_texts_has_no_productions():
    grammar, _ = load_grammar(load_source('start: "a" start\n'))
    assert reduce_grammar(grammar.bnf).productions == ()


def test_symbols_keep_their_ids():
    grammar, _ = load_grammar(load_source('start: "b"\nx: "a"\n'))
    reduced = reduce_grammar(grammar.bnf)
    assert (reduced.terminals, reduced.nonterminals) == (
        grammar.bnf.terminals,
        grammar.bnf.nonterminals,
    )
    assert reduced.symbol_name(reduced.productions[0].rhs[0]) == "B"


def test_python_needs_no_reduction():
    from tests.grammars.folder import GRAMMARS

    grammar, _ = load_grammar(load_source(GRAMMARS / "python.lark"))
    assert reduce_grammar(grammar.bnf).productions == grammar.bnf.productions


@given(small_grammars())
def test_each_nonterminal_that_is_left_derives_something(reduced):
    derives = set()  # symbols that some text comes from: terminals, and what has a side of such
    for _ in reduced.nonterminals:
        derives |= {
            -1 - production.lhs
            for production in reduced.productions
            if all(symbol >= 0 or symbol in derives for symbol in production.rhs)
        }
    assert {-1 - production.lhs for production in reduced.productions} == derives


@given(small_grammars())
def test_reducing_twice_is_reducing_once(reduced):
    again = reduce_productions(
        reduced.terminals, reduced.nonterminals, reduced.start, reduced.productions
    )
    assert again == reduced


def test_an_unproductive_production_of_a_productive_rule_goes_alone():
    rules = [Production(0, (1,)), Production(0, (-2,)), Production(1, (-2, 1))]
    reduced = reduce_productions(("$END", "a"), ("S", "T"), 0, rules)
    assert reduced.productions == (Production(0, (1,)),)


A, B, C = LETTERS


def bits(*terminals):
    return sum(1 << t for t in terminals)


def test_an_empty_production_makes_a_nonterminal_nullable_through_others():
    sets = compute_sets(grammar_of("S -> T U", "T ->", "U -> T T", "U -> a"))
    assert sets.nullable == {0, 1, 2}


def test_first_looks_past_empty_symbols_and_last_before_them():
    sets = compute_sets(grammar_of("S -> T a", "S -> b T", "T -> c", "T ->"))
    assert sets.first[0] == bits(A, B, C)
    assert sets.last[0] == bits(A, B, C)
    assert sets.first_of((-2, A)) == (bits(A, C), False)
    assert sets.first_of((-2,)) == (bits(C), True)
    assert sets.last_of((A, -2)) == (bits(A, C), False)


def test_terminals_are_adjacent_across_empty_symbols():
    reduced = grammar_of("S -> a T T b", "T -> c", "T ->")
    assert compute_adjacent(reduced, compute_sets(reduced)) == {
        A: bits(B, C),
        B: bits(END),
        C: bits(B, C),
    }


@given(small_grammars())
def test_first_and_last_are_those_of_short_words(reduced):
    sets, rules = compute_sets(reduced), rules_of(reduced)
    for lhs in rules:
        found = words(rules, lhs, 4)
        assert bits(*{w[0] for w in found if w}) & ~sets.first[-1 - lhs] == 0
        assert bits(*{w[-1] for w in found if w}) & ~sets.last[-1 - lhs] == 0
        assert (() in found) == (-1 - lhs in sets.nullable)


@given(small_grammars())
def test_neighbours_in_a_prefix_are_adjacent(reduced):
    adjacent = compute_adjacent(reduced, compute_sets(reduced))
    for prefix in prefixes(reduced, 5):
        for left, right in itertools.pairwise(prefix):
            assert adjacent[left] >> right & 1


NODES = st.integers(0, 5)
GRAPHS = st.lists(st.lists(NODES, max_size=3), min_size=6, max_size=6)
RULES = st.lists(st.tuples(NODES, st.lists(st.integers(-6, 1), max_size=3).map(tuple)))


@given(RULES)
@example([(0, (-1,))])
@example([(0, (-2, -2)), (1, ())])
def test_what_derives_something_is_what_rounds_over_all_rules_find(rules):
    found: set[int] = set()
    for _ in range(6):
        found |= {lhs for lhs, rhs in rules if all(s >= 0 or -1 - s in found for s in rhs)}
    assert find_derivable(rules) == found


@given(GRAPHS)
@example([[1], [2], [0], [2], [3], []])
def test_a_node_has_the_values_of_all_that_it_leads_to(edges):
    reached = [{node} for node in range(6)]
    for _ in range(6):
        for node, targets in enumerate(edges):
            reached[node] = reached[node].union(*(reached[target] for target in targets))
    united, together = unite_along(edges, [1 << node for node in range(6)])
    assert united == [sum(1 << node for node in nodes) for nodes in reached]
    mutual = {frozenset(b for b in a if node in reached[b]) for node, a in enumerate(reached)}
    assert {frozenset(component) for component in together} == {c for c in mutual if len(c) > 1}


def reachable(graph, start):
    found, pending = {start}, [start]
    while pending:
        for target in graph.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


@pytest.mark.parametrize("seed", seeds(20))
def test_nodes_that_reach_each_other_are_one_component(seed):
    draw = Random(seed)
    n = draw.randint(1, 8)
    graph = {a: [b for b in range(n) if draw.random() < 0.2] for a in range(n)}
    reach = {a: reachable(graph, a) for a in graph}
    found = {frozenset(component) for component in find_components(graph)}
    assert found == {frozenset(b for b in graph if b in reach[a] and a in reach[b]) for a in graph}


def test_a_path_of_thousands_of_nodes_is_no_recursion():
    graph = {node: [node + 1] for node in range(5_000)} | {5_000: []}
    assert len(list(find_components(graph))) == 5_001
