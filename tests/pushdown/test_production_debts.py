"""Sets of terminals in the sequences that debt automata read."""

from hypothesis import given
from hypothesis import strategies as st

from maskc.grammar.model import Production
from maskc.grammar.reduce import reduce_productions
from maskc.ids import END
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.dft import build_dft
from maskc.pushdown.production_debts import ProductionDebts
from tests.examples import examples

S = -1
a, b, c = 1, 2, 3
NESTED = [Production(0, (a, S, b)), Production(0, (c,))]


def debts_of(productions):
    return ProductionDebts(
        build_dft(reduce_productions(("$END", "a", "b", "c"), ("S",), 0, productions))
    )


def test_a_set_is_legal_where_one_of_its_terminals_is():
    debts = debts_of(NESTED)
    assert debts.decide(c, (b,)) is Verdict.DEPENDS
    assert debts.decide(c, (debts.number_set(1 << b | 1 << END),)) is Verdict.ALWAYS
    assert debts.decide(a, (debts.number_set(1 << b | 1 << END),)) is Verdict.NEVER


def test_a_set_of_one_terminal_is_the_terminal():
    assert debts_of(NESTED).number_set(1 << b) == b


def test_an_empty_set_is_never_legal():
    debts = debts_of(NESTED)
    assert debts.decide(a, (debts.number_set(0),)) is Verdict.NEVER
    assert debts.decide_after(0, (a,)) is Verdict.NEVER


def test_after_a_set_all_stacks_count():
    debts = debts_of(NESTED)
    assert debts.decide(a, (c,)) is Verdict.ALWAYS
    assert debts.decide(b, (c,)) is Verdict.NEVER
    assert debts.decide_after(1 << a | 1 << b, (c,)) is Verdict.DEPENDS


def test_after_a_nonterminal_is_where_it_ends():
    assert debts_of(NESTED).decide(S, (b,)) is Verdict.DEPENDS
    assert debts_of(NESTED).decide(S, (a,)) is Verdict.NEVER


def test_a_set_stands_in_the_middle_as_well():
    debts = debts_of(NESTED)
    assert debts.decide(c, (debts.number_set(1 << b | 1 << c), b)) is Verdict.DEPENDS
    assert debts.decide(a, (debts.number_set(1 << a | 1 << b), c)) is Verdict.ALWAYS


def test_an_automaton_beyond_the_bound_is_not_made():
    assert debts_of(NESTED).build(c, (b, b, b), most=1) is None
    assert debts_of(NESTED).build(c, (b, b, b)) is not None


@examples(60)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.sampled_from([a, b, c]))
def test_a_sequence_of_sets_is_never_legal_iff_each_choice_from_them_is(masks, x):
    productions = [*NESTED, Production(0, (S, S))]
    debts = debts_of(productions)
    choices = [()]
    for mask in masks:
        choices = [(*s, t) for s in choices for t in (a, b, c) if mask >> t - 1 & 1]
    each = [debts.decide(x, s) for s in choices]
    found = debts.decide(x, tuple(debts.number_set(mask << 1) for mask in masks))
    assert (found is Verdict.NEVER) == all(verdict is Verdict.NEVER for verdict in each)
    if Verdict.ALWAYS in each:
        assert found is Verdict.ALWAYS
