"""Never, always and jointly legal words of general grammars, from their productions."""

import pytest

from maskc.glr.decisions import ProductionVerdicts
from maskc.pushdown.debts import Verdict
from tests.glr.general_values import values_of

NESTED = "start: A start B | C\nA: /a/\nB: /b/\nC: /c/\n"


@pytest.fixture(scope="module")
def nested():
    values = values_of(NESTED)
    return values, ProductionVerdicts(values.lexed, values.boundaries, values.words)


@pytest.mark.parametrize(
    ("before", "names", "verdict"),
    [
        ("B", ("A",), Verdict.NEVER),
        ("A", ("A",), Verdict.ALWAYS),
        ("A", ("C",), Verdict.ALWAYS),
        ("A", ("C", "B"), Verdict.ALWAYS),
        ("A", ("C", "B", "B"), Verdict.DEPENDS),
        ("C", ("B",), Verdict.DEPENDS),
        ("C", ("$END",), Verdict.DEPENDS),
        ("A", ("$END",), Verdict.NEVER),
        ("C", ("B", "C"), Verdict.NEVER),
        ("C", (), Verdict.ALWAYS),
    ],
)
def test_a_word_is_decided_behind_a_terminal(nested, before, names, verdict):
    values, verdicts = nested
    assert verdicts.decide(values.terminal(before), values.word(*names)) is verdict


def test_words_legal_on_the_same_stacks_have_one_signature(nested):
    values, verdicts = nested
    behind = values.terminal("A")
    one = verdicts.signature(behind, values.word("C", "B", "B"))
    assert one == verdicts.signature(behind, values.word("A", "C", "B", "B", "B"))
    assert one != verdicts.signature(behind, values.word("C", "B", "B", "B"))
    assert one is not None


def test_an_open_lexeme_asks_for_the_symbols_that_it_may_become(nested):
    values, verdicts = nested
    word = values.word("$END")
    assert verdicts.first_symbols(word) == 1
    assert not verdicts.is_free(word)
    assert verdicts.is_free(values.word())


def test_the_states_behind_a_terminal_are_those_that_it_leads_to(nested):
    values, verdicts = nested
    states = verdicts.states_behind(values.table)
    shifted = [
        (values.lexed.symbols[symbol][0], state)
        for row in values.table.shifts
        for symbol, state in row.items()
    ]
    assert {(t, s) for t, some in states.items() for s in some} == set(shifted)
