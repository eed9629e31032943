"""The edges of reductions, against walking each right side from each state by itself."""

from random import Random

import numpy as np
import pytest

import maskc
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.lalr import list_reductions
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.scanner import build_scanner
from maskc.parser.items import build_item_sets
from maskc.parser.refine import build_refined_table
from maskc.pushdown.reductions import NO_STATE, Steps, find_reductions
from tests.random_grammars import draw_grammar


def tables_of(text):
    grammar, _ = load_grammar(load_source(text))
    scanner = build_scanner(grammar.lexer)
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    item_sets = build_item_sets(grammar)
    return grammar, item_sets, build_refined_table(grammar, item_sets, boundaries)


def by_definition(grammar, item_sets, table):
    """Yield (state after the left side, state that reduces, its terminals)."""
    for state, lalr_state in enumerate(table.lalr_state):
        for lhs, productions in item_sets.closures[lalr_state].items():
            base = table.gotos[state].get(lhs)
            for production in productions:
                here = state
                for symbol in item_sets.right_sides[production]:
                    if here is not None:
                        row = table.shifts[here] if symbol >= 0 else table.gotos[here]
                        here = row.get(symbol if symbol >= 0 else -1 - symbol)
                if base is None or here is None:
                    continue
                reduces = grammar.lalr.states[table.lalr_state[here]].reduces
                for reduced, terminals in list_reductions(reduces):
                    if reduced == production:
                        yield base, here, frozenset(terminals)


def check(text):
    grammar, item_sets, table = tables_of(text)
    edges, kinds = find_reductions(grammar, item_sets, table)
    found = [
        (state, int(edges.target[n]), kinds[edges.kind[n]])
        for state in range(len(table.lalr_state))
        for n in range(edges.first[state], edges.first[state + 1])
    ]
    key = lambda edge: (edge[0], edge[1], sorted(edge[2]))  # noqa: E731
    expected = list(by_definition(grammar, item_sets, table))
    assert sorted(found, key=key) == sorted(expected, key=key)
    return len(found)


@pytest.mark.parametrize(
    "text",
    ['start: "a" start "b" |\n', 'start: (x | y)* \nx: "a" y?\ny: "b" | "(" start ")"\n'],
)
def test_edges_are_those_of_walking_alone(text):
    assert check(text) > 1


def test_edges_of_random_grammars_are_those_of_walking_alone():
    n_edges = 0
    for seed in range(80):
        try:
            n_edges += check(draw_grammar(Random(seed))[0])
        except maskc.MaskcError:
            continue
    assert n_edges > 100


def test_a_symbol_that_no_state_takes_leads_nowhere():
    _, _, table = tables_of('start: "a" "b"\n')
    steps, start = Steps(table), np.array([0, NO_STATE])
    after = steps.follow(start, 1)
    assert (after[0] != NO_STATE) != (steps.follow(start, 2)[0] != NO_STATE)
    assert after[1] == NO_STATE
    assert steps.follow(start, 99).tolist() == steps.follow(start, -99).tolist() == [NO_STATE] * 2
