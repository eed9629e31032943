"""What can be read on some stack, asked of climbs."""

from hypothesis import given
from hypothesis import strategies as st

from maskc.ids import END
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.production_debts import ProductionDebts
from tests.pushdown.small_grammars import LETTERS, grammar_of, small_grammars

A, B, C = LETTERS
S = -1


def is_empty(*productions):
    debts = ProductionDebts(build_dft(grammar_of(*productions)))
    return lambda x, *sequence: debts.is_empty([x], sequence)


def test_what_lacks_nothing_is_passed_however_deep_it_is():
    empty = is_empty("S -> T b", "T -> U", "U -> a U", "U -> a")
    assert not empty(A, B)
    assert not empty(A, A, B)
    assert empty(A, B, B)


def test_what_can_be_empty_is_passed_too():
    empty = is_empty("S -> T b", "T -> a U", "U -> c", "U ->")
    assert not empty(A, B)
    assert not empty(A, C, B)
    assert empty(A, B, C)


def test_left_sides_that_end_each_other_are_asked_once():
    empty = is_empty("S -> T", "T -> U", "U -> T", "T -> a", "S -> T b")
    assert not empty(A, B)
    assert empty(A, C)
    assert empty(A, B, B)


def test_the_text_ends_only_at_the_bottom():
    empty = is_empty("S -> a S b", "S -> c")
    assert not empty(C, END)
    assert not empty(C, B, END)
    assert empty(A, END)
    assert empty(C, END, B)


def test_a_nonterminal_may_come_first():
    empty = is_empty("S -> a S b", "S -> c")
    assert not empty(S, B)
    assert empty(S, A)


@given(small_grammars(), st.lists(st.integers(1, 15), min_size=1, max_size=4), st.data())
def test_sets_are_read_as_the_debt_automaton_reads_them(reduced, masks, data):
    debts = ProductionDebts(build_dft(reduced))
    x = data.draw(st.sampled_from(LETTERS))
    sequence = tuple(debts.number_set(mask) for mask in masks)
    verdict = debts.build(x, sequence).verdict
    assert debts.is_empty([x], sequence) == (verdict is Verdict.NEVER)
    assert debts.decide(x, sequence) is verdict
