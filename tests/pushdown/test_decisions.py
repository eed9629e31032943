"""The verdicts of all states at once are upper bounds of the table's debt automata."""

import pytest

from maskc.pushdown.debt_automaton import Verdict, check_debt_automaton
from maskc.pushdown.decisions import DEPENDS, FAIL, MAY
from tests.pushdown.table_values import values_of

GRAMMARS = (
    'start: "a" start "b" | "c"\n',
    'start: "p" x "a" "c"\nx: "b" "a" | "b"\n',
    'start: "(" start ")" | "[" start "]" | "a" | start "," start\n',
    'start: x*\nx: "a" y | "b"\ny: | "c" y\n',
)
MEANS = {MAY: Verdict.ALWAYS, FAIL: Verdict.NEVER}


def sequences(values):
    names = [name for name in values.language.lexed.grammar.bnf.terminals if name != "$END"]
    yield from ((one,) for one in names)
    yield from ((one, other) for one in names for other in names)
    yield from ((one, other, one) for one in names for other in names)


@pytest.mark.parametrize("text", GRAMMARS)
def test_what_is_decided_at_a_state_is_what_its_stacks_do(text):
    values = values_of(text)
    boundaries = values.language.lexed.boundaries
    reached = {state for t in boundaries.of_terminal for state in values.debts.list_after(t)}
    for names in sequences(values):
        sequence = values.sequence(*names)
        (number,) = values.decisions.classes_of([sequence])
        flags = values.decisions.flags()[number]
        lookaheads = [
            sum(1 << lookahead for lookahead in boundaries.of_terminal[values.terminal(name)])
            for name in names
        ]
        for state in sorted(reached):
            exact = values.debts.decide([state], lookaheads)
            if flags[state] != DEPENDS:
                assert exact is MEANS[int(flags[state])]
            automaton = values.debts.build([state], lookaheads)
            assert automaton is not None
            check_debt_automaton(automaton)
            assert automaton.verdict is exact
