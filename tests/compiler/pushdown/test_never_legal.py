"""Sequences that no text has: after a terminal, after a set of them, and by the debt automaton."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyformlang.cfg import CFG, Production, Terminal, Variable
from pyformlang.regular_expression import Regex

from maskc.compiler.pushdown.debt_automaton import Verdict
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.ids import END
from tests.compiler.pushdown.small_grammars import (
    LETTERS,
    TERMINALS,
    grammar_of,
    prefixes,
    sequences,
    small_grammars,
)
from tests.examples import examples

A, B, C = LETTERS
S = -1
NESTED = ("S -> a S b", "S ->")
WITH_C = ("S -> a S b", "S -> c")


def debts_of(*productions):
    return ProductionDebts(grammar_of(*productions))


@pytest.mark.parametrize(
    ("productions", "x", "legal", "never"),
    [
        (NESTED, B, [(B,), (END,)], [(A,), (END, B)]),
        (NESTED, A, [], [(END,)]),
        # Each pair of it occurs; three of b after one a do not occur in `aabb`.
        (("S -> a T b", "T -> a b", "T ->"), A, [(B, B)], [(B, B, B)]),
        # A pair across an empty symbol is legal only where that is empty.
        (("S -> a T b", "S -> c T c", "T ->", "T -> a"), A, [(B,), (A,), (C,)], [(C, B)]),
        # What lacks nothing is passed however deep it is, and what can be empty is, too.
        (("S -> T b", "T -> U", "U -> a U", "U -> a"), A, [(B,), (A, B)], [(B, B)]),
        (("S -> T b", "T -> a U", "U -> c", "U ->"), A, [(B,), (C, B)], [(B, C)]),
        # What can be empty is left out before what comes after it, in one production and above.
        (("S -> c T b b", "T ->", "T -> a"), C, [(B, B), (A, B, B)], [(C,), (A, A)]),
        (("S -> b U a b", "U -> c T", "T ->", "T -> a"), B, [(C, A, B), (C, A, A, B)], [(C, B)]),
        # What stands before the first terminal of a nonterminal is not skipped.
        (("S -> c U c", "U -> T b", "U -> b b", "T -> a"), C, [(B, B, C), (A, B, C)], [(B, C)]),
        # Left sides that end each other.
        (("S -> T", "T -> U", "U -> T", "T -> a", "S -> T b"), A, [(B,)], [(C,), (B, B)]),
        # The text ends only at the bottom.
        (WITH_C, C, [(END,), (B, END)], [(END, B)]),
        (WITH_C, A, [], [(END,)]),
        # A terminal of no text, and a language without any.
        (("S -> a a",), B, [], [()]),
        (("S -> a S",), A, [], [()]),
    ],
)
def test_a_sequence_is_legal_after_a_terminal_or_never(productions, x, legal, never):
    debts = debts_of(*productions)
    asked = debts
    for sequence in (*legal, *never):
        assert asked.is_never_legal(x, sequence) == (sequence in never)
        assert not sequence or debts.is_empty([x], sequence) == (sequence in never)


def test_a_nonterminal_may_come_first():
    debts = debts_of(*WITH_C)
    assert not debts.is_empty([S], (B,))
    assert debts.is_empty([S], (A,))
    assert debts.decide(S, (B,)) is Verdict.DEPENDS
    assert debts.decide(S, (A,)) is Verdict.NEVER


def test_a_set_is_legal_where_one_of_its_terminals_is():
    debts = debts_of(*WITH_C)
    b_or_end = debts.number_set(1 << B | 1 << END)
    assert debts.decide(C, (B,)) is Verdict.DEPENDS
    assert debts.decide(C, (b_or_end,)) is Verdict.ALWAYS
    assert debts.decide(A, (b_or_end,)) is Verdict.NEVER
    assert debts.decide(C, (debts.number_set(1 << B | 1 << C), B)) is Verdict.DEPENDS
    assert debts.decide(A, (debts.number_set(1 << A | 1 << B), C)) is Verdict.ALWAYS
    assert debts.number_set(1 << B) == B


def test_an_empty_set_is_never_legal():
    debts = debts_of(*WITH_C)
    assert debts.decide(A, (debts.number_set(0),)) is Verdict.NEVER
    assert not debts.is_always_legal(0, (A,))


def test_after_a_set_all_stacks_count():
    debts = debts_of(*WITH_C)
    assert debts.is_always_legal(1 << A, (C,))
    assert debts.decide(B, (C,)) is Verdict.NEVER
    assert not debts.is_always_legal(1 << A | 1 << B, (C,))


def test_an_automaton_beyond_the_bound_is_not_made():
    debts = debts_of(*WITH_C)
    assert debts.build(C, (B, B, B), most=1) is None
    assert debts.build(C, (B, B, B)) is not None


@examples(60)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.sampled_from(LETTERS))
def test_a_sequence_of_sets_is_never_legal_iff_each_choice_from_them_is(masks, x):
    debts = debts_of(*WITH_C, "S -> S S")
    choices = itertools.product(*([t for t in LETTERS if mask >> t - 1 & 1] for mask in masks))
    each = [debts.decide(x, s) for s in choices]
    found = debts.decide(x, tuple(debts.number_set(mask << 1) for mask in masks))
    assert (found is Verdict.NEVER) == all(verdict is Verdict.NEVER for verdict in each)
    if Verdict.ALWAYS in each:
        assert found is Verdict.ALWAYS


@given(small_grammars(), st.lists(st.integers(1, 15), min_size=1, max_size=4), st.data())
def test_sets_are_read_as_the_debt_automaton_reads_them(reduced, masks, data):
    debts = ProductionDebts(reduced)
    x = data.draw(st.sampled_from(LETTERS))
    sequence = tuple(debts.number_set(mask) for mask in masks)
    verdict = debts.build(x, sequence).verdict
    assert debts.is_empty([x], sequence) == (verdict is Verdict.NEVER)
    assert debts.decide(x, sequence) is verdict


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
    never = ProductionDebts(reduced)
    assert never.is_never_legal(word[0], word[1:]) == pyformlang_never(reduced, word)


@given(small_grammars())
def test_a_sequence_that_occurs_in_a_prefix_is_not_never_legal(reduced):
    never = ProductionDebts(reduced)
    for prefix in prefixes(reduced, 5):
        for i, j in itertools.combinations(range(len(prefix) + 1), 2):
            assert not never.is_never_legal(prefix[i], prefix[i + 1 : j])


@given(small_grammars())
def test_the_debt_automaton_finds_the_same_sequences_never_legal(reduced):
    """Two algorithms: positions one by one, and all of them at once."""
    debts = ProductionDebts(reduced)
    never = debts
    for x, *rest in sequences(4)[1:]:
        for word in (rest, [*rest, END]):
            verdict = debts.build(x, word).verdict
            assert never.is_never_legal(x, word) == (verdict is Verdict.NEVER)
            assert debts.decide(x, word) is verdict


def test_def_is_followed_by_a_name_or_a_soft_keyword_and_nothing_else(python):
    names = {"NAME", "MATCH", "CASE"}
    assert python.names(python.never.adjacent[python.id("DEF")]) == names
    for name in names:
        assert not python.never.is_never_legal(python.id("DEF"), [python.id(name)])
