"""Productions that are free to be rewritten."""

from maskc.glr.cfg import make_cfg
from maskc.grammar.model import Production
from tests.glr.productions import A, S, a, b


def test_equal_productions_are_one():
    cfg = make_cfg(0, 1, [Production(0, (a,)), Production(0, (a,))], has_empty=False)
    assert cfg.productions == (Production(0, (a,)),)


def test_what_no_text_needs_is_left_out():
    rules = [Production(0, (a,)), Production(0, (A,)), Production(1, (A, b))]
    assert make_cfg(0, 2, rules, has_empty=False).productions == (Production(0, (a,)),)


def test_alternatives_are_those_of_a_nonterminal():
    cfg = make_cfg(0, 1, [Production(0, (S, a)), Production(0, (b,))], has_empty=True)
    assert {tuple(sides) for sides in cfg.alternatives().values()} == {((S, a), (b,))}
    assert cfg.has_empty
