"""Terminals that a general grammar asks for in the same places become one, and no mask changes."""

import numpy as np

import maskc
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.glr.interchangeable import merge_interchangeable

TERMINALS = "A: /[a-z]+/\nB: /[a-m]+/\nC: /[ab]/\n"


def merge(rules, ignored=()):
    grammar, _ = load_grammar(load_source(f"// maskc: parser=earley\n{rules}\n{TERMINALS}"))
    terminals = grammar.bnf.terminals
    bnf, stands_for = merge_interchangeable(
        grammar.bnf, frozenset(terminals.index(name) for name in ignored)
    )
    named = {terminals[t]: terminals[one] for t, one in stands_for.items()}
    return bnf.format().splitlines(), named


def test_alternatives_become_one():
    assert merge("start: A | B") == (["start -> A"], {"B": "A"})


def test_places_in_one_production_are_exchanged_one_by_one():
    pairs = "start: A A | A B | B A | B B"
    assert merge(pairs) == (["start -> A A"], {"B": "A"})


def test_a_pair_that_is_missing_keeps_both():
    assert merge("start: A A | A B | B A")[1] == {}


def test_a_place_of_its_own_keeps_a_terminal():
    assert merge("start: A | B | B B")[1] == {}


def test_merging_makes_others_interchangeable():
    productions, named = merge("start: A x | B y | C\nx: A | B\ny: A | B\n")
    assert named == {}
    assert len(productions) == 7
    assert merge('start: A x | B x | C "!"\nx: A | B\n')[1] == {"B": "A"}


def test_what_is_ignored_stays():
    assert merge("start: A | B", ignored=["B"])[1] == {}


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
