"""Lists grow to the left, and the language stays."""

import pytest
from hypothesis import example, given

from maskc.glr.epsilon import drop_empties
from maskc.glr.recursion import turn_right_recursion
from maskc.glr.unit_cycles import merge_unit_cycles
from maskc.grammar.components import find_components
from maskc.grammar.model import Production
from tests.glr.productions import A, S, a, b, language_of, make, productions


@given(productions())
@example((Production(0, (S, S)), Production(0, (a,))))
@example((Production(0, (a, A)), Production(1, (b, S)), Production(1, ())))
@example((Production(0, (b, S)), Production(0, (A,)), Production(1, (S, a)), Production(1, (b,))))
def test_turning_right_recursion_keeps_the_language(given_productions):
    cfg = merge_unit_cycles(drop_empties(0, 4, given_productions))
    assert language_of(turn_right_recursion(cfg)) == language_of(cfg)


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
