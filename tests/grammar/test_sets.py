import itertools

from hypothesis import given

from maskc.grammar.sets import compute_adjacent, compute_sets
from maskc.ids import END
from tests.pushdown.small_grammars import (
    LETTERS,
    grammar_of,
    prefixes,
    rules_of,
    small_grammars,
    words,
)

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
