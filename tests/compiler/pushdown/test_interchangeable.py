"""Interchangeable terminals, and the edges of reductions."""

from random import Random

import pytest
from hypothesis import given

import maskc
from maskc.compiler.pushdown import interchangeable
from maskc.compiler.pushdown.interchangeable import (
    find_classes,
    find_production_classes,
    find_table_classes,
    find_word_classes,
    merge_states,
)
from maskc.compiler.pushdown.reductions import find_reductions
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import list_reductions
from maskc.grammar.sets import reduce_grammar
from tests.compiler.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    prefixes,
    sequences,
    small_grammars,
)
from tests.examples import examples
from tests.languages import language_of
from tests.random_grammars import draw_grammar

A, B, C = LETTERS
# The blog's list; the names that Lark gives these terminals are beside it.
BLOG = {
    ("/=", "%=", "^=", "**=", "*=", ">>=", "|=", "-=", "+=", "//=", "<<=", "@=", "&="),
    ("False", "None", "True"),
    ("+", "-"),
    ("<<", ">>"),
    ("//", "%"),
    ("!=", "<", ">=", "==", "<=", ">", "<>"),
    (*("HEX_NUMBER", "FLOAT_NUMBER", "BIN_NUMBER", "OCT_NUMBER", "DEC_NUMBER", "IMAG_NUMBER"),),
}


def load(text):
    return load_grammar(load_source(text))[0]


def test_terminals_with_the_same_places_are_interchangeable():
    assert find_production_classes(grammar_of("S -> a c", "S -> b c").productions) == ((A, B),)


def test_a_place_of_ones_own_sets_a_terminal_apart():
    assert find_production_classes(grammar_of("S -> a c", "S -> b c", "S -> b").productions) == ()


def test_each_occurrence_must_be_replaceable_on_its_own():
    assert find_production_classes(grammar_of("S -> a a", "S -> b b").productions) == ()
    rules = ("S -> a a", "S -> a b", "S -> b a", "S -> b b")
    assert find_production_classes(grammar_of(*rules).productions) == ((A, B),)


def test_terminals_of_no_production_are_in_no_class():
    grammar = load('start: "x"\n%ignore " "\n%ignore "\\t"\n')
    assert find_classes(grammar, reduce_grammar(grammar.bnf)) == ()


def test_python_has_the_seven_classes_with_35_terminals_of_the_blog(python):
    classes = find_classes(python.grammar, reduce_grammar(python.grammar.bnf))
    shown = {
        frozenset(
            name if name.endswith("_NUMBER") else python.grammar.lexer.patterns[t].replace("\\", "")
            for t in members
            for name in [python.grammar.bnf.terminals[t]]
        )
        for members in classes
    }
    assert shown == {frozenset(members) for members in BLOG}
    assert sum(len(members) for members in classes) == 35


def test_the_table_of_python_takes_the_classes_of_its_productions_for_one(python):
    by_table = [set(members) for members in find_table_classes(python.grammar)]
    by_productions = find_production_classes(python.reduced.productions)
    assert all(any(found.issuperset(members) for found in by_table) for members in by_productions)


def test_the_table_tells_apart_what_a_resolved_conflict_does():
    """Behind ``b``, A is shifted for ``x: "b" "a"``; ``c`` has no such conflict."""
    grammar = load(
        'start: p\np: x "a" | x "c" | x "a" "q" | x "c" "q" | "z"\nx: "b" "a" "q" "q" | "b"\n'
    )
    assert find_table_classes(grammar) == ()


def test_states_that_only_differ_in_interchangeable_pasts_are_merged():
    grammar = load('start: "a" "c" | "b" "c"\n')
    block = merge_states(grammar)
    shifts = grammar.lalr.states[0].shifts
    a, b = (grammar.bnf.terminals.index(name) for name in "AB")
    assert shifts[a] != shifts[b]
    assert block[shifts[a]] == block[shifts[b]]


def test_a_word_with_a_rule_of_its_own_is_told_apart_by_productions_and_table():
    grammar = load('start: "a" | x\nx: "b"\n')
    assert find_production_classes(reduce_grammar(grammar.bnf).productions) == ()
    assert find_table_classes(grammar) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('start: (x | y)* "c"\nx: "a"\ny: "b"\n', {"A", "B"}),
        # Of two rules at the same places.
        ('start: (x | y)*\nx: "a" | "d" "d"\ny: "b" | "e"\n', {"A", "B", "E"}),
        # Of rules that stand at the same places as part of others.
        ('start: "c" u | "c" v\nu: x\nv: y\nx: "a"\ny: "b"\n', {"A", "B"}),
        ('start: (x | y)* x "c"\nx: "a"\ny: "b"\n', set()),
        ('start: x x | y y\nx: "a"\ny: "b"\n', set()),
        ('start: (x | y)*\nx: "a"\ny: "b" "b"\n', set()),
    ],
)
def test_words_of_several_rules_are_one_if_their_rules_stand_at_the_same_places(
    monkeypatch, text, words
):
    monkeypatch.setattr(interchangeable, "MANY_WORDS", 2)
    grammar = load(text)
    names = grammar.bnf.terminals
    classes = [{names[t] for t in members} for members in find_word_classes(grammar, ())]
    assert classes == ([words] if words else [])


def test_a_word_that_is_kept_and_few_words_are_not_one(monkeypatch):
    grammar = load('start: "a" | "b" | "c"\n')
    assert find_word_classes(grammar, ()) == ()
    monkeypatch.setattr(interchangeable, "MANY_WORDS", 2)
    a = grammar.bnf.terminals.index("A")
    assert [len(members) for members in find_word_classes(grammar, (a,))] == [2]


def test_words_of_several_rules_are_one_for_the_table_alone():
    grammar = load('start: x | y\nx: "a" | "b"\ny: "c" | "d"\n')
    assert [len(members) for members in find_table_classes(grammar)] == [4]
    found = find_classes(grammar, reduce_grammar(grammar.bnf))
    assert [len(members) for members in found] == [2, 2]


def test_so_many_words_are_one(monkeypatch):
    grammar = load('start: "a" | "b" | "c" | "d" "d"\n')
    for n_words, sizes in ((3, [3]), (4, [])):
        monkeypatch.setattr(interchangeable, "MANY_WORDS", n_words)
        assert [len(members) for members in find_word_classes(grammar, ())] == sizes


@examples(60)
@given(small_grammars())
def test_exchanging_interchangeable_terminals_changes_no_prefix(reduced):
    found = prefixes(reduced, 4)
    for members in find_production_classes(reduced.productions):
        first = dict.fromkeys(members, members[0])
        merged = {tuple(first.get(t, t) for t in word) for word in found}
        for word in sequences(4):
            assert (word in found) == (tuple(first.get(t, t) for t in word) in merged)


def tables_of(text):
    language = language_of(text)
    return language.lexed.grammar, language.item_sets, language.table


def by_definition(grammar, item_sets, table):
    """Yield (state after the left side, state that reduces, its terminals)."""
    for state, lalr_state in enumerate(table.lalr_state):
        for lhs, productions in item_sets.closures[lalr_state].items():
            base = table.gotos[state].get(lhs)
            for production in productions:
                here = state
                for symbol in item_sets.right_sides[production]:
                    if here is not None:
                        row = table.shifts[here] if symbol >= 0 else table.gotos[here]
                        here = row.get(symbol if symbol >= 0 else -1 - symbol)
                if base is None or here is None:
                    continue
                reduces = grammar.lalr.states[table.lalr_state[here]].reduces
                for reduced, terminals in list_reductions(reduces):
                    if reduced == production:
                        yield base, here, frozenset(terminals)


def check(text):
    grammar, item_sets, table = tables_of(text)
    edges, kinds = find_reductions(grammar, table)
    found = [
        (state, int(edges.target[n]), kinds[edges.kind[n]])
        for state in range(len(table.lalr_state))
        for n in range(edges.first[state], edges.first[state + 1])
    ]
    key = lambda edge: (edge[0], edge[1], sorted(edge[2]))  # noqa: E731
    expected = list(by_definition(grammar, item_sets, table))
    assert sorted(found, key=key) == sorted(expected, key=key)
    return len(found)


@pytest.mark.parametrize(
    "text", ['start: "a" start "b" |\n', 'start: (x | y)* \nx: "a" y?\ny: "b" | "(" start ")"\n']
)
def test_edges_are_those_of_walking_alone(text):
    assert check(text) > 1


@pytest.mark.costly
def test_edges_of_random_grammars_are_those_of_walking_alone():
    n_edges = 0
    for seed in range(80):
        try:
            n_edges += check(draw_grammar(Random(seed))[0])
        except maskc.MaskcError:
            continue
    assert n_edges > 100
