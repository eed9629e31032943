"""The items of LALR states are built again from productions and Lark's numbered states."""

import pytest

from tests.languages import language_of

NESTED = 'start: "a" start "b" | "c"\n'
GRAMMARS = (
    NESTED,
    'start: start "+" start | "a" |\n',
    'start: x "a" | "b" x\nx: | "c" x\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
)


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
