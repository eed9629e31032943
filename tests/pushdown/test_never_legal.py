import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyformlang.cfg import CFG, Production, Terminal, Variable
from pyformlang.regular_expression import Regex

from maskc.ids import END
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.never_legal import NeverLegal
from maskc.pushdown.production_debts import ProductionDebts
from tests.examples import examples
from tests.pushdown.small_grammars import (
    LETTERS,
    TERMINALS,
    grammar_of,
    prefixes,
    sequences,
    small_grammars,
)

A, B, C = LETTERS


def answers(*productions):
    return NeverLegal(ProductionDebts(build_dft(grammar_of(*productions)))).is_never_legal


def test_a_never_follows_b_in_the_worked_example():
    assert answers("S -> a S b", "S ->")(B, [A])


def test_b_may_follow_b_in_the_worked_example():
    assert not answers("S -> a S b", "S ->")(B, [B])


def test_a_long_sequence_is_decided_as_a_whole():
    """Each pair of it occurs; three of b after one a does not occur in ``aabb``."""
    never = answers("S -> a T b", "T -> a b", "T ->")
    assert not never(A, [B, B])
    assert never(A, [B, B, B])


def test_a_pair_across_an_empty_symbol_is_legal_only_where_it_is_empty():
    never = answers("S -> a T b", "S -> c T c", "T ->", "T -> a")
    assert not never(A, [B])
    assert never(A, [C, B])
    assert not never(A, [A])
    assert not never(A, [C])


def test_the_end_can_be_asked_for():
    never = answers("S -> a S b", "S ->")
    assert not never(B, [END])
    assert never(A, [END])
    assert never(B, [END, B])


def test_everything_is_never_legal_after_a_terminal_of_no_text():
    assert answers("S -> a a")(B, [])


def test_nothing_is_legal_in_an_empty_language():
    assert answers("S -> a S")(A, [])


def pyformlang_never(reduced, word):
    """Return whether L ∩ Σ*wordΣ* is empty, by pyformlang."""
    variables = [Variable(f"N{i}") for i in range(3)]
    letters = [Terminal(name) for name in TERMINALS]
    rules = {
        Production(variables[p.lhs], [letters[s] if s >= 0 else variables[-1 - s] for s in p.rhs])
        for p in reduced.productions
    }
    cfg = CFG(set(variables), set(letters[1:]), variables[0], rules)
    middle = " ".join(TERMINALS[t] for t in word)
    return cfg.intersection(Regex(f"(a|b|c)* {middle} (a|b|c)*")).is_empty()


@examples(25)
@given(small_grammars(), st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4))
def test_never_legal_is_the_emptiness_that_pyformlang_finds(reduced, word):
    never = NeverLegal(ProductionDebts(build_dft(reduced)))
    assert never.is_never_legal(word[0], word[1:]) == pyformlang_never(reduced, word)


@given(small_grammars())
def test_a_sequence_that_occurs_in_a_prefix_is_not_never_legal(reduced):
    never = NeverLegal(ProductionDebts(build_dft(reduced)))
    for prefix in prefixes(reduced, 5):
        for i, j in itertools.combinations(range(len(prefix) + 1), 2):
            assert not never.is_never_legal(prefix[i], prefix[i + 1 : j])


@given(small_grammars())
def test_the_debt_automaton_finds_the_same_sequences_never_legal(reduced):
    """Two algorithms: positions one by one, and all of them at once."""
    debts = ProductionDebts(build_dft(reduced))
    never = NeverLegal(debts)
    for x, *rest in sequences(4)[1:]:
        for word in (rest, [*rest, END]):
            verdict = debts.build(x, word).verdict
            assert never.is_never_legal(x, word) == (verdict is Verdict.NEVER)
            assert debts.decide(x, word) is verdict


@pytest.mark.parametrize("name", ["NAME", "MATCH", "CASE"])
def test_def_is_followed_by_a_name_or_a_soft_keyword(python, name):
    assert not python.never.is_never_legal(python.id("DEF"), [python.id(name)])


def test_def_is_followed_by_nothing_else(python):
    followers = python.never.adjacent[python.id("DEF")]
    assert python.names(followers) == {"NAME", "MATCH", "CASE"}
