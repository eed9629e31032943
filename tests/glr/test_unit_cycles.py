"""Nonterminals that derive each other alone become one, and the language stays."""

from hypothesis import given

from maskc.glr.epsilon import drop_empties
from maskc.glr.unit_cycles import merge_unit_cycles
from maskc.grammar.model import Production
from tests.glr.productions import A, S, a, b, language_of, make, productions


@given(productions())
def test_merging_unit_cycles_keeps_the_language(given_productions):
    cfg = drop_empties(0, 4, given_productions)
    assert language_of(merge_unit_cycles(cfg)) == language_of(cfg)


def test_a_unit_cycle_becomes_one_nonterminal():
    cfg = merge_unit_cycles(make((0, (A,)), (0, (a,)), (1, (S,)), (1, (b,))))
    assert cfg.productions == (Production(0, (a,)), Production(0, (b,)))
