"""The items of LALR states are built again from productions and Lark's numbered states."""

import pytest

from maskc.ids import ROOT
from tests.languages import language_of

NESTED = 'start: "a" start "b" | "c"\n'
GRAMMARS = (
    NESTED,
    'start: start "+" start | "a" |\n',
    'start: x "a" | "b" x\nx: | "c" x\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
)


def test_the_start_state_stands_before_the_start_symbol():
    found = language_of(NESTED).item_sets
    assert found.kernels[0] == ((ROOT, 0),)
    assert found.closures[0] == {0: (0, 1)}


def test_a_state_holds_what_the_dot_moved_over():
    language = language_of(NESTED)
    row = language.lexed.grammar.lalr.states[0]
    a = language.lexed.grammar.bnf.terminals.index("A")
    assert language.item_sets.kernels[row.shifts[a]] == ((0, 1),)


def test_the_symbol_after_the_dot_is_none_at_the_end():
    found = language_of(NESTED).item_sets
    assert found.next_symbol((0, 1)) == -1
    assert found.next_symbol((0, 3)) is None


def test_a_production_that_derives_nothing_is_a_closure_item_with_no_way_on():
    found = language_of('start: "a" x\nx:\n').item_sets
    assert found.right_sides[1] == ()
    assert any(1 in productions for closure in found.closures for productions in closure.values())


@pytest.mark.parametrize("text", GRAMMARS)
def test_each_action_of_the_table_leads_to_the_moved_items(text):
    language = language_of(text)
    found, grammar = language.item_sets, language.lexed.grammar
    for state in found.states():
        started = [(p, 0) for productions in found.closures[state].values() for p in productions]
        moved = {}
        for item in (*found.kernels[state], *started):
            symbol = found.next_symbol(item)
            if symbol is not None:
                moved.setdefault(symbol, set()).add((item[0], item[1] + 1))
        for symbol, items in moved.items():
            target = grammar.lalr.target(state, symbol)
            assert set(found.kernels[target]) == items
