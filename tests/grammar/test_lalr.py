import pytest

from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.grammar.lalr import LalrState, Reduction, list_reductions


def load(text):
    return load_lalr_grammar(load_source(text))[0]


def test_a_row_cannot_be_written():
    shifts = {1: 2}
    row = LalrState(shifts, {}, {})
    shifts[3] = 4
    assert dict(row.shifts) == {1: 2}
    with pytest.raises(TypeError):
        row.shifts[3] = 4


def test_a_reduction_on_shared_terminals_reads_as_a_mapping():
    reduction = Reduction(7, {1: None, 3: None})
    assert dict(reduction) == {1: 7, 3: 7}
    assert 2 not in reduction


def test_reductions_are_listed_by_production():
    assert list_reductions({1: 5, 2: 6, 3: 5}) == [(5, (1, 3)), (6, (2,))]
    assert list_reductions(Reduction(7, {1: None, 3: None})) == [(7, (1, 3))]


def test_the_target_of_a_state_is_read_by_symbol():
    grammar = load('start: "a" start "b" |\n')
    start = grammar.lalr.target(0, -1 - grammar.bnf.start)
    assert start == grammar.lalr.end_state
    a = grammar.bnf.terminals.index("A")
    assert grammar.lalr.target(0, a) == grammar.lalr.states[0].shifts[a]
