"""Tails that alternatives share become nonterminals, and no language changes."""

from hypothesis import given
from hypothesis import strategies as st

from maskc.glr import tails
from maskc.glr.cfg import make_cfg
from maskc.glr.tails import factor_tails, share_tails
from maskc.grammar.model import Production

WORDS = st.sets(st.lists(st.integers(1, 3), min_size=1, max_size=6).map(tuple), min_size=1)


def cfg_of(sides, more=()):
    productions = [*(Production(0, side) for side in sides), *more]
    return make_cfg(0, 2, productions, has_empty=False)


def words_of(cfg, nonterminal, kept):
    """Return the right sides of a nonterminal, written out but for those that are kept."""
    found = set()
    for side in cfg.alternatives()[nonterminal]:
        heads = {()}
        for symbol in side:
            parts = [(symbol,)]
            if symbol < 0 and -1 - symbol >= kept:
                parts = words_of(cfg, -1 - symbol, kept)
            heads = {(*head, *part) for head in heads for part in parts}
        found |= heads
    return found


@given(WORDS, WORDS)
def test_no_alternative_is_lost_and_none_is_added(one, other):
    cfg = cfg_of([*one, (-2,)], [Production(1, side) for side in other])
    shared = factor_tails(cfg)
    assert words_of(shared, 0, 2) == {*one, (-2,)}
    assert words_of(shared, 1, 2) == other


def test_a_tail_that_two_alternatives_have_is_written_once():
    shared = factor_tails(cfg_of([(1, 3, 4, 5), (2, 3, 4, 5)]))
    assert {(p.lhs, p.rhs) for p in shared.productions} == {
        (0, (1, -3)),
        (0, (2, -3)),
        (2, (3, 4, 5)),
    }


def test_a_tail_that_may_be_left_out_generates_nothing_empty():
    sides = [(a, *b) for a in (1, 2) for b in ((), (3,), (4, 5), (3, 4, 5))]
    assert all(p.rhs for p in factor_tails(cfg_of(sides)).productions)


def test_a_grammar_that_is_small_or_does_not_shrink_stays_as_it_is(monkeypatch):
    small, plain = cfg_of([(1, 3, 4), (2, 3, 4)]), cfg_of([(1, 2, 3), (4, 5, 6)])
    assert share_tails(small) is small
    monkeypatch.setattr(tails, "MOST_SYMBOLS", 0)
    assert share_tails(plain) is plain


def test_parts_that_may_be_left_out_take_as_many_symbols_as_there_are(monkeypatch):
    monkeypatch.setattr(tails, "MOST_SYMBOLS", 0)
    sides = [()]
    for symbol in range(1, 11):
        sides = [*sides, *((*side, symbol) for side in sides)]
    cfg = cfg_of([(*side, 11) for side in sides])
    assert sum(len(p.rhs) for p in cfg.productions) > 5_000
    assert sum(len(p.rhs) for p in share_tails(cfg).productions) < 150
