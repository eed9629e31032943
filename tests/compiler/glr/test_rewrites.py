"""Productions of general grammars are rewritten, and their language stays."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import maskc
from maskc.compiler import glr as rewrites
from maskc.compiler.glr import (
    adjacency,
    drop_empties,
    factor_tails,
    make_cfg,
    merge_unit_cycles,
    share_tails,
    turn_right_recursion,
)
from maskc.compiler.glr.adjacency import Adjacency, keep_adjacent
from maskc.compiler.glr.walk import find_follow
from maskc.compiler.glr_path import find_symbol_classes
from maskc.compiler.pushdown.interchangeable import merge_terminals
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.pushdown.production_verdicts import AskedProductions
from maskc.errors import LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Production
from maskc.grammar.sets import find_components
from maskc.ids import END
from tests.compiler.glr.general_values import values_of
from tests.compiler.glr.productions import A, S, a, b, language, language_of, make, productions


@given(productions())
@example((Production(0, (S, S, S, S)), Production(0, ()), Production(0, (a,))))
@example((Production(0, (S, S)), Production(0, (a,))))
@example((Production(0, (a, A)), Production(1, (b, S)), Production(1, ())))
@example((Production(0, (b, S)), Production(0, (A,)), Production(1, (S, a)), Production(1, (b,))))
def test_each_rewrite_keeps_the_language(given_productions):
    expected = language(0, given_productions)
    cfg = drop_empties(0, 4, given_productions)
    assert all(production.rhs for production in cfg.productions)
    assert language_of(cfg) == expected
    for rewrite in (merge_unit_cycles, turn_right_recursion, factor_tails):
        cfg = rewrite(cfg)
        assert language_of(cfg) == expected, rewrite


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


def test_a_nonterminal_that_begins_with_the_list_is_no_list_within_a_list():
    # `- - a ++`, with the postfix operator in a rule of its own: E -> - E | P, P -> E + | a.
    cfg = turn_right_recursion(make((0, (b, S)), (0, (A,)), (1, (S, a)), (1, (a,))))
    begins = {lhs: set() for lhs in cfg.alternatives()}
    for production in cfg.productions:
        if production.rhs[0] < 0:
            begins[production.lhs].add(-1 - production.rhs[0])
    components = find_components({lhs: sorted(first) for lhs, first in begins.items()})
    assert all(len(component) == 1 for component in components)


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
    debts = ProductionDebts(lexed.cfg.reduced)
    assert find_follow(AskedProductions(debts, lexed.symbols, (), {}, None, None)) == {
        a: 1 << END | 1 << a
    }


def test_too_many_productions_are_refused(monkeypatch):
    monkeypatch.setattr(adjacency, "MAX_PRODUCTIONS", 2)
    cfg = make((0, (S, a)), (0, (a,)))
    with pytest.raises(LimitError, match="more than 2 productions"):
        keep_adjacent(cfg, Adjacency({END: (0,), a: (1,)}, (0, 0b11), 0b10))


def cfg_of(sides, more=()):
    productions = [*(Production(0, side) for side in sides), *more]
    return make_cfg(0, 2, productions, has_empty=False)


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
    monkeypatch.setattr(rewrites, "MOST_SYMBOLS", 0)
    assert share_tails(plain) is plain


def test_parts_that_may_be_left_out_take_as_many_symbols_as_there_are(monkeypatch):
    monkeypatch.setattr(rewrites, "MOST_SYMBOLS", 0)
    sides = [()]
    for symbol in range(1, 11):
        sides = [*sides, *((*side, symbol) for side in sides)]
    cfg = cfg_of([(*side, 11) for side in sides])
    assert sum(len(p.rhs) for p in cfg.productions) > 5_000
    assert sum(len(p.rhs) for p in share_tails(cfg).productions) < 150


TERMINALS = "A: /[a-z]+/\nB: /[a-m]+/\nC: /[ab]/\n"


def merged(rules):
    grammar, _ = load_grammar(load_source(f"// maskc: parser=earley\n{rules}\n{TERMINALS}"))
    terminals = grammar.bnf.terminals
    bnf, stands_for = merge_terminals(grammar.bnf)
    named = {terminals[t]: terminals[one] for t, one in stands_for.items()}
    return bnf.format().splitlines(), named


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("start: A | B", {"B": "A"}),
        ("start: A | B | C", {"B": "A", "C": "A"}),
        ("start: A A | A B | B A | B B", {"B": "A"}),
        ("start: A A | A B | B A", {}),
        ("start: A | B | B B", {}),
        ("start: A x | B y | C\nx: A | B\ny: A | B\n", {}),
        ('start: A x | B x | C "!"\nx: A | B\n', {"B": "A"}),
        ("start: A x | B y\nx: A | B\ny: A | B | C\n", {}),
        ("start: A | B\n%ignore B\n", {"B": "A"}),
    ],
)
def test_terminals_with_the_same_holes_become_one(rules, named):
    productions, found = merged(rules)
    assert found == named
    assert not any(set(production.split()) & named.keys() for production in productions)


def test_masks_are_those_of_one_terminal_for_all():
    both = maskc.compile_grammar(
        "// maskc: parser=earley\nstart: (A | B | C)+\n" + TERMINALS, tokenizer="bytes"
    ).matcher()
    one = maskc.compile_grammar(
        "// maskc: parser=earley\nstart: A+\nA: /[a-z]+/\n", tokenizer="bytes"
    ).matcher()
    for text in (b"", b"a", b"zb", b"abz"):
        masks = []
        for matcher in (both, one):
            matcher.reset()
            assert matcher.accept_bytes(text)
            bitmask = maskc.allocate_bitmask(1, 257)
            matcher.fill_bitmask(bitmask, 0)
            masks.append(bitmask)
        assert np.array_equal(*masks)


def test_a_sign_that_may_stand_alone_is_not_interchangeable():
    text = 'start: start ("+" | "-") start | "a" | "-" start\n'
    assert find_symbol_classes(values_of(text).lexed) == ()
