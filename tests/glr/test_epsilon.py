"""Empty productions go, and the language stays."""

from hypothesis import example, given

from maskc.glr.epsilon import drop_empties
from maskc.grammar.model import Production
from tests.glr.productions import A, S, a, language, language_of, productions


@given(productions())
@example((Production(0, (S, S, S, S)), Production(0, ()), Production(0, (a,))))
def test_dropping_empties_keeps_the_language(given_productions):
    cfg = drop_empties(0, 4, given_productions)
    assert language_of(cfg) == language(0, given_productions)
    assert all(production.rhs for production in cfg.productions)


def test_a_production_with_many_nullable_symbols_grows_linearly():
    sides = [(0, (A,) * 30), (1, (a,)), (1, ())]
    cfg = drop_empties(0, 2, [Production(*side) for side in sides])
    assert len(cfg.productions) < 100
