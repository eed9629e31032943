"""Rewrites of productions keep the language: compared with all short sequences, both ways."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import LimitError
from maskc.glr import adjacency
from maskc.glr.adjacency import Adjacency, keep_adjacent
from maskc.glr.cfg import make_cfg
from maskc.glr.epsilon import drop_empties
from maskc.glr.recursion import turn_right_recursion
from maskc.glr.unit_cycles import merge_unit_cycles
from maskc.grammar.components import find_components
from maskc.grammar.model import Production
from maskc.ids import END

LONGEST = 5
S, A, B = -1, -2, -3  # nonterminals 0, 1, 2
a, b = 1, 2


@st.composite
def productions(draw):
    """Productions over up to four nonterminals and two terminals, empty and cyclic ones too."""
    n = draw(st.integers(1, 4))
    symbols = st.sampled_from([a, b, *(-1 - i for i in range(n))])
    rhs = st.lists(symbols, max_size=4).map(tuple)
    return tuple(
        Production(lhs, side)
        for lhs in range(n)
        for side in draw(st.lists(rhs, min_size=1, max_size=3))
    )


def language(start, given_productions, *, has_empty=False):
    """Return all sequences up to ``LONGEST`` by a fixpoint."""
    found = {p.lhs: set() for p in given_productions}
    grown = True
    while grown:
        grown = False
        for production in given_productions:
            here = {()}
            for symbol in production.rhs:
                parts = {(symbol,)} if symbol >= 0 else found.get(-1 - symbol, set())
                here = {x + y for x in here for y in parts if len(x + y) <= LONGEST}
            if not here <= found[production.lhs]:
                found[production.lhs] |= here
                grown = True
    return found.get(start, set()) | ({()} if has_empty else set())


def language_of(cfg):
    return language(cfg.start, cfg.productions, has_empty=cfg.has_empty)


def make(*sides, start=0):
    rules = [Production(lhs, rhs) for lhs, rhs in sides]
    return make_cfg(start, 1 + max(lhs for lhs, _ in sides), rules, has_empty=False)


@given(productions())
@example((Production(0, (S, S, S, S)), Production(0, ()), Production(0, (a,))))
def test_dropping_empties_keeps_the_language(given_productions):
    cfg = drop_empties(0, 4, given_productions)
    assert language_of(cfg) == language(0, given_productions)
    assert all(production.rhs for production in cfg.productions)


@given(productions())
def test_merging_unit_cycles_keeps_the_language(given_productions):
    cfg = drop_empties(0, 4, given_productions)
    assert language_of(merge_unit_cycles(cfg)) == language_of(cfg)


@given(productions())
@example((Production(0, (S, S)), Production(0, (a,))))
@example((Production(0, (a, A)), Production(1, (b, S)), Production(1, ())))
def test_turning_right_recursion_keeps_the_language(given_productions):
    cfg = merge_unit_cycles(drop_empties(0, 4, given_productions))
    assert language_of(turn_right_recursion(cfg)) == language_of(cfg)


def test_a_production_with_many_nullable_symbols_grows_linearly():
    sides = [(0, (A,) * 30), (1, (a,)), (1, ())]
    cfg = drop_empties(0, 2, [Production(*side) for side in sides])
    assert len(cfg.productions) < 100


def test_a_unit_cycle_becomes_one_nonterminal():
    cfg = merge_unit_cycles(make((0, (A,)), (0, (a,)), (1, (S,)), (1, (b,))))
    assert cfg.productions == (Production(0, (a,)), Production(0, (b,)))


@pytest.mark.parametrize(
    "sides",
    [
        [(0, (a, S)), (0, (b,))],
        [(0, (S, S)), (0, (a,))],
        [(0, (S, b, S)), (0, (a,))],
        [(0, (a, A)), (0, (a,)), (1, (b, S))],
    ],
)
def test_a_list_to_the_right_is_turned(sides):
    cfg = turn_right_recursion(make(*sides))
    reaches = {p.lhs: set() for p in cfg.productions}
    for production in cfg.productions:
        if production.rhs[-1] < 0:
            reaches[production.lhs].add(-1 - production.rhs[-1])
    edges = {lhs: sorted(last) for lhs, last in reaches.items()}
    assert all(len(group) == 1 for group in find_components(edges))
    assert all(lhs not in last for lhs, last in edges.items())


@given(productions(), st.sets(st.sampled_from([(x, y) for x in (a, b) for y in (a, b, END)])))
def test_keeping_what_is_adjacent_keeps_just_the_sequences_the_lexer_gives(given_productions, may):
    cfg = drop_empties(0, 4, given_productions)
    follows = tuple(sum(1 << y for x, y in may if x == lookahead) for lookahead in range(3))
    lexed = keep_adjacent(cfg, Adjacency({END: (0,), a: (1,), b: (2,)}, follows, 0b111))
    found = {
        tuple(lexed.symbols[symbol][0] for symbol in sequence)
        for sequence in language_of(lexed.cfg)
    }
    allowed = {
        sequence
        for sequence in language_of(cfg)
        if all(pair in may for pair in pairwise((*sequence, END)))
    }
    assert found == allowed


def test_a_terminal_with_two_lookaheads_that_allow_the_same_is_one_symbol():
    cfg = make((0, (S, a)), (0, (a,)))
    lexed = keep_adjacent(cfg, Adjacency({END: (0,), a: (1, 2)}, (0, 0b111, 0b111), 0b110))
    assert lexed.symbols == ((END, 0b001), (a, 0b110))
    assert lexed.follow() == {a: 1 << END | 1 << a}


def test_too_many_productions_are_refused(monkeypatch):
    monkeypatch.setattr(adjacency, "MAX_PRODUCTIONS", 2)
    cfg = make((0, (S, a)), (0, (a,)))
    with pytest.raises(LimitError, match="more than 2 productions"):
        keep_adjacent(cfg, Adjacency({END: (0,), a: (1,)}, (0, 0b11), 0b10))
